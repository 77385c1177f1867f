import { expect, it } from 'vitest';
import { type Change, liveChanges } from './change.ts';

const changes = (...seqs: number[]): Change[] => seqs.map((seq) => ({ seq }) as Change);

it('counts a change as live until something cancels it', () => {
  expect(liveChanges(changes(1, 2), [])).toEqual(new Set([1, 2]));
  expect(liveChanges(changes(1, 2, 3), [{ by: 3, change: 1, inPart: false }])).toEqual(
    new Set([2, 3]),
  );
});

it('makes a change live again when its canceller is cancelled, and so on', () => {
  const rewind = { by: 2, change: 1, inPart: false };
  const undo = { by: 3, change: 2, inPart: false };
  const redo = { by: 4, change: 3, inPart: false };
  expect(liveChanges(changes(1, 2, 3), [rewind, undo])).toEqual(new Set([1, 3]));
  expect(liveChanges(changes(1, 2, 3, 4), [rewind, undo, redo])).toEqual(new Set([2, 4]));
});

it('needs only one live canceller', () => {
  const pairs = [
    { by: 2, change: 1, inPart: false },
    { by: 3, change: 2, inPart: false },
    { by: 4, change: 1, inPart: false },
  ];
  expect(liveChanges(changes(1, 2, 3, 4), pairs)).toEqual(new Set([3, 4]));
});
