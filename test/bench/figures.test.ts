import { describe, expect, it } from 'vitest';
import { atMost, type Benchmark, fasterBy, type Outcome } from '../../bench/benchmark.ts';
import { meetsBar, spread } from '../../bench/figures.ts';
import {
  alternate,
  median,
  quantile,
  roundsWanted,
  type Side,
  takeTurns,
} from '../../bench/measure.ts';
import { reportOf } from '../../bench/report.ts';

const MACHINE = {
  cores: 2,
  memoryGiB: 8,
  fileSystem: 'ext4',
  kernel: 'linux 6.1',
  node: '24.0.0',
  git: '2.39.5',
  load: 0.25,
};

const ROUNDS = { counted: 3, warmUp: 2 };

describe('the figures of a benchmark', () => {
  it('takes quantiles between neighbours in proportion, whatever the order of the samples', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 4])).toBe(3);
    expect(quantile([30, 10, 20], 0.1)).toBeCloseTo(12);
    expect(quantile([5], 0.9)).toBe(5);
    expect(() => median([])).toThrow('no samples');
  });

  it('says that a bar is missed, and on which side of it "met" lies', () => {
    expect(meetsBar(outcome(atMost(2.5), 5, 2))).toBe(true);
    expect(meetsBar(outcome(atMost(2.5), 5.1, 2))).toBe(false);
    expect(meetsBar(outcome(fasterBy(8), 1, 8))).toBe(true);
    expect(meetsBar(outcome(fasterBy(8), 1, 7.9))).toBe(false);
    const findings = { outcomes: [outcome(fasterBy(8), 1, 4)], remarks: [] };
    const report = reportOf(findings, MACHINE, '2026-01-01');
    expect(report).toContain(
      '| ours | theirs | 1 | 1.00 | 4.00 | 4.0 times faster | at least 8 times faster | **no** |',
    );
  });

  it('misses no bar where there is none, and still says who is faster', () => {
    expect(meetsBar(outcome(null, 5, 1))).toBe(true);
    const report = reportOf({ outcomes: [outcome(null, 5, 1)], remarks: [] }, MACHINE, 'today');
    expect(report).toContain('| ours | theirs | 1 | 5.00 | 1.00 | 0.2 times faster | – | – |');
  });

  it('puts the sizes of one comparison below each other, after those that have none', () => {
    const outcomes = [
      outcome(fasterBy(2), 1, 3, { name: 'scan', files: 1_000 }),
      outcome(atMost(1), 2_048_000, 204_800, { name: 'growth', files: 1_000, unit: 'bytes' }),
      outcome(fasterBy(2), 1_234.5, 9_000, { name: 'scan', files: 100_000 }),
      outcome(fasterBy(2), 1, 3, { name: 'capture' }),
    ];
    const report = reportOf({ outcomes, remarks: ['It held little.'] }, MACHINE, 'today');
    const lines = report.split('\n').filter((line) => /^\| (scan|growth|capture)|^It/.test(line));
    expect(lines).toEqual([
      '| capture | theirs | 1 | 1.00 | 3.00 | 3.0 times faster | at least 2 times faster | yes |',
      '| scan | theirs | 1,000 | 1 | 1.00 | 3.00 | 3.0 times faster | at least 2 times faster | yes |',
      '| scan | theirs | 100,000 | 1 | 1,235 | 9,000 | 7.3 times faster | at least 2 times faster | yes |',
      '| growth | theirs | 1,000 | 1 | 2,000 KiB | 200 KiB | 10.00 times theirs | at most 1 times | **no** |',
      'It held little.',
    ]);
  });

  it('shows how samples spread, where there are several', () => {
    expect(spread([10, 20, 30])).toBe('20.00 (12.00–28.00)');
    expect(spread([5])).toBe('5.00');
  });
});

describe('the rounds of a benchmark', () => {
  it('lets both sides take turns, and leaves the warm-up out', async () => {
    const calls: string[] = [];
    const { ours, theirs } = await alternate(side('ours', calls), side('theirs', calls), ROUNDS);
    expect(ours).toEqual(theirs);
    expect(ours).toHaveLength(3);
    expect(ours[0]).toBeGreaterThan(0);
    expect(calls.slice(-6)).toEqual([
      'prepare ours',
      'time ours',
      'verify ours',
      'prepare theirs',
      'time theirs',
      'verify theirs',
    ]);
    // The rounds say their number; the last of them counted all before it.
    expect(ours.at(-1)).toBe(calls.length / 6 - 1);
  });

  it('gives each of several sides one turn in a round', async () => {
    const calls: string[] = [];
    const sides = { a: side('a', calls), b: side('b', calls), c: side('c', calls) };
    const samples = await takeTurns(sides, ROUNDS);
    expect(Object.values(samples).map(({ length }) => length)).toEqual([3, 3, 3]);
    const times = calls.filter((call) => call.startsWith('time'));
    expect(times.slice(0, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c'].map((name) => `time ${name}`));
  });

  it('stops at work that was not done', async () => {
    const broken: Side = {
      time: async () => 1,
      verify: () => {
        throw new Error('not restored');
      },
    };
    await expect(alternate(broken, side('theirs', []), ROUNDS)).rejects.toThrow('not restored');
  });

  it('reads their number from the environment and refuses nonsense', () => {
    expect(roundsWanted(15, '')).toBe(15);
    expect(roundsWanted(15, '101')).toBe(101);
    for (const text of ['0', '-3', '1.5', 'many'])
      expect(() => roundsWanted(15, text)).toThrow(text);
  });
});

function outcome(bar: Benchmark['bar'], ours: number, theirs: number, more = {}): Outcome {
  const run = () => Promise.reject(new Error());
  return {
    benchmark: { name: 'ours', against: 'theirs', bar, run, ...more },
    samples: { ours: [ours], theirs: [theirs] },
    spawnerBytes: 0,
  };
}

function side(name: string, calls: string[]): Side {
  return {
    prepare: () => void calls.push(`prepare ${name}`),
    time: async (round) => {
      calls.push(`time ${name}`);
      return round;
    },
    verify: () => void calls.push(`verify ${name}`),
  };
}
