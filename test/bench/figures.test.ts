import { describe, expect, it } from 'vitest';
import { atMost, type Benchmark, fasterBy } from '../../bench/benchmark.ts';
import { alternate, median, quantile, roundsWanted, type Side } from '../../bench/measure.ts';
import { meetsBar, reportOf } from '../../bench/report.ts';

const MACHINE = {
  cores: 2,
  memoryGiB: 8,
  fileSystem: 'ext4',
  kernel: 'linux 6.1',
  node: '24.0.0',
  git: '2.39.5',
  load: 0.25,
};

describe('the figures of a benchmark', () => {
  it('takes quantiles between neighbours in proportion, whatever the order of the samples', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 4])).toBe(3);
    expect(quantile([30, 10, 20], 0.1)).toBeCloseTo(12);
    expect(quantile([5], 0.9)).toBe(5);
    expect(() => median([])).toThrow('no samples');
  });

  it('says that a bar is missed, and on which side of it "met" lies', () => {
    const outcome = (bar: Benchmark['bar'], ours: number, theirs: number) => ({
      benchmark: { name: 'ours', against: 'theirs', bar, run: () => Promise.reject(new Error()) },
      samples: { ours: [ours], theirs: [theirs] },
      spawnerBytes: 0,
    });
    expect(meetsBar(outcome(atMost(2.5), 5, 2))).toBe(true);
    expect(meetsBar(outcome(atMost(2.5), 5.1, 2))).toBe(false);
    expect(meetsBar(outcome(fasterBy(8), 1, 8))).toBe(true);
    expect(meetsBar(outcome(fasterBy(8), 1, 7.9))).toBe(false);
    const report = reportOf([outcome(fasterBy(8), 1, 4)], MACHINE, 31, '2026-01-01');
    expect(report).toContain(
      '| ours | theirs | 1.00 (1.00–1.00) | 4.00 (4.00–4.00) | 4.0 times faster | at least 8 times faster | **no** |',
    );
  });
});

describe('the rounds of a benchmark', () => {
  it('lets both sides take turns, and leaves the warm-up out', async () => {
    const calls: string[] = [];
    const { ours, theirs } = await alternate(side('ours', calls), side('theirs', calls), 3);
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

  it('stops at work that was not done', async () => {
    const broken: Side = {
      time: async () => 1,
      verify: () => {
        throw new Error('not restored');
      },
    };
    await expect(alternate(broken, side('theirs', []), 3)).rejects.toThrow('not restored');
  });

  it('reads their number from the environment and refuses nonsense', () => {
    expect(roundsWanted('')).toBeGreaterThanOrEqual(15);
    expect(roundsWanted('101')).toBe(101);
    for (const text of ['0', '-3', '1.5', 'many']) expect(() => roundsWanted(text)).toThrow(text);
  });
});

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
