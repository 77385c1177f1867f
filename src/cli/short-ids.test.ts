import { expect, it } from 'vitest';
import { type Checkpoint, type CheckpointId, SavepointError } from '../index.ts';
import { uniqueLengths } from './short-ids.ts';

/** Ids are random, so alike ones cannot be had from a store; this resolves as it does. */
const resolverOf = (ids: readonly string[]) => ({
  resolve: async (short: string): Promise<Checkpoint> => {
    const fitting = ids.filter((id) => id.startsWith(short));
    if (fitting.length > 1) throw new SavepointError('checkpoint-ambiguous', 'several');
    return { id: fitting[0] } as Checkpoint;
  },
});

it('shortens an id as far as it still names one checkpoint, to four characters at least', async () => {
  const ids = ['abcdefgh', 'abcdefxy', 'zzzzzzzz', 'abcdezzz'] as CheckpointId[];
  const lengths = await uniqueLengths(resolverOf(ids), ids);
  expect([...lengths.values()]).toEqual([7, 7, 4, 6]);
});

it('counts checkpoints that are not listed', async () => {
  const listed = ['abcdefgh'] as CheckpointId[];
  expect([...(await uniqueLengths(resolverOf([...listed, 'abcdzzzz']), listed)).values()]).toEqual([
    5,
  ]);
});
