import { expect, it } from 'vitest';
import type { CheckpointId } from '../model/ids.ts';
import { memoryStore } from '../store/sqlite/memory-store.ts';
import { checkpointOf } from '../testing/store/samples.ts';
import { uniqueLengths } from './resolve.ts';

async function lengthsOf(
  ids: readonly string[],
  labels: readonly string[] = [],
  asked: readonly string[] = ids,
): Promise<number[]> {
  const store = memoryStore();
  const checkpoints = [
    ...ids.map((id, at) => checkpointOf(at + 1, { id: id as CheckpointId })),
    ...labels.map((label, at) => checkpointOf(ids.length + at + 1, { label })),
  ];
  await store.timeline.commit({ base: 0, checkpoints });
  const lengths = await uniqueLengths(store, asked as CheckpointId[]);
  return [...lengths.values()];
}

it('needs four characters, and more where ids begin alike', async () => {
  expect(await lengthsOf(['abcdefgh', 'abcdxfgh', 'zbcdefgh'])).toEqual([5, 5, 4]);
});

it('respects ids that were not asked for', async () => {
  expect(await lengthsOf(['abcdefgh', 'abcdeeee'], [], ['abcdefgh'])).toEqual([6]);
});

it('never stops at a text that is a label, because the label would be found instead', async () => {
  expect(await lengthsOf(['abcdefgh'], ['abcd', 'abcde'])).toEqual([6]);
});

it('takes the whole id where nothing shorter is unique', async () => {
  expect(await lengthsOf(['abcdef', 'abcdefgh'])).toEqual([6, 7]);
});
