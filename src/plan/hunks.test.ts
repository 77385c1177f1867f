import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSavepointError } from '../model/errors.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanLine } from '../model/plan.ts';
import { hashBytes } from '../store/blob.ts';
import { hunksOf, takeHunks } from './hunks.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const text = (content: Uint8Array | undefined): string =>
  Buffer.from(content ?? []).toString('latin1');

function stateOf(content: string): PlanLine['expected'] {
  const blob = hashBytes(bytes(content));
  return { kind: 'captured', type: 'file', mode: 0o644, blob, size: content.length };
}

/** The line that brings `planned` in place of `current`. */
function lineOf(planned: string, current: string): PlanLine {
  const path = 'file' as TrackedPath;
  return {
    path,
    action: 'write',
    expected: stateOf(current),
    target: stateOf(planned),
    takes: [1],
  };
}

function idsOf(planned: string, current: string): string[] {
  const contents = { planned: bytes(planned), current: bytes(current) };
  return hunksOf(lineOf(planned, current), contents, { hash: hashBytes }).map(({ id }) => id);
}

/** What is there after these hunks were taken back. */
function without(planned: string, current: string, ids: readonly string[]): string {
  const line = lineOf(planned, current);
  const contents = { planned: bytes(planned), current: bytes(current) };
  const taken = takeHunks(line, contents, { ids, hash: hashBytes, inPlace: true });
  if (taken === null) return current;
  return taken === line ? planned : text(taken.merged);
}

/** Texts in which many lines are the same, so that a difference has several shortest forms. */
const texts = fc
  .tuple(
    fc.array(fc.constantFrom('a\n', 'b\n', '\n', '}\r\n', '\xff\n'), { maxLength: 14 }),
    fc.boolean(),
  )
  .map(([lines, ended]) => (ended ? lines.join('') : lines.join('').replace(/\r?\n$/, '')));

const orders = fc.infiniteStream(fc.nat());

/** Some of them in some order. */
function someOf(ids: readonly string[], numbers: Iterator<number>): string[] {
  const number = (): number => numbers.next().value ?? 0;
  const keyed = ids.map((id) => ({ id, key: number() })).toSorted((a, b) => a.key - b.key);
  return keyed.map(({ id }) => id).slice(0, number() % (ids.length + 1));
}

function oneByOne(planned: string, current: string, ids: readonly string[]): string {
  return ids.reduce((now, id) => without(planned, now, [id]), current);
}

const RUNS = { numRuns: 300, seed: 1 };

describe('hunks of any two texts', () => {
  it('are all of the line together, and none of them is nothing', () => {
    const property = fc.property(texts, texts, (planned, current) => {
      const ids = idsOf(planned, current);
      expect(new Set(ids).size).toBe(ids.length);
      expect(without(planned, current, ids)).toBe(planned === current ? current : planned);
      expect(without(planned, current, [])).toBe(current);
    });
    fc.assert(property, RUNS);
  });

  it('taken one after the other, in any order, come to the same as taken together, or are refused', () => {
    let refused = 0;
    const property = fc.property(texts, texts, orders, (planned, current, numbers) => {
      const chosen = someOf(idsOf(planned, current), numbers);
      const together = without(planned, current, chosen);
      try {
        expect(oneByOne(planned, current, chosen)).toBe(together);
      } catch (error) {
        // The difference that is left has several shortest forms, and another one is listed now.
        if (!isSavepointError(error, 'hunk-not-found')) throw error;
        refused += 1;
      }
    });
    fc.assert(property, RUNS);
    expect(refused).toBeLessThan(RUNS.numRuns / 10);
  });

  it('are never refused in texts without a line that stands twice', () => {
    const edits = fc.array(fc.constantFrom('keep', 'drop', 'add', 'change'), { maxLength: 14 });
    const property = fc.property(edits, orders, (kinds, numbers) => {
      const planned = kinds.map((kind, i) => (kind === 'add' ? '' : `${i}\n`)).join('');
      const changed = { keep: '', drop: null, add: 'new ', change: 'other ' } as const;
      const current = kinds.map((kind, i) =>
        changed[kind] === null ? '' : `${changed[kind]}${i}\n`,
      );
      const chosen = someOf(idsOf(planned, current.join('')), numbers);
      const together = without(planned, current.join(''), chosen);
      expect(oneByOne(planned, current.join(''), chosen)).toBe(together);
    });
    fc.assert(property, RUNS);
  });

  it('end at the plan when they are taken one by one until none is left', () => {
    const property = fc.property(
      texts,
      texts,
      fc.infiniteStream(fc.nat()),
      (planned, current, numbers) => {
        let now = current;
        for (let ids = idsOf(planned, now); planned !== now; ids = idsOf(planned, now)) {
          const id = ids[(numbers.next().value ?? 0) % ids.length] ?? '';
          const next = without(planned, now, [id]);
          expect(next).not.toBe(now);
          now = next;
        }
      },
    );
    fc.assert(property, RUNS);
  });
});
