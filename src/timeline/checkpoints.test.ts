import { expect, it } from 'vitest';
import type { Checkpoint } from '../model/checkpoint.ts';
import { memoryStore } from '../store/sqlite/memory-store.ts';
import type { Store } from '../store/store.ts';
import { changeOf, checkpointOf, commit, operationOf, times } from '../testing/store/samples.ts';
import { currentPlace } from './checkpoints.ts';

const MANY = 500;

/** The current place, and how many questions the store had to answer for it. */
async function placeIn(store: Store): Promise<{ place: string | null; questions: number }> {
  let questions = 0;
  const timeline = new Proxy(store.timeline, {
    get: (target, name) => {
      questions += 1;
      return Reflect.get(target, name);
    },
  });
  const place = await currentPlace({ ...store, timeline });
  return { place, questions };
}

it('asks few questions about many checkpoints without changes', async () => {
  const store = await memoryStore();
  const checkpoints = times(MANY, (at) => checkpointOf(at + 1));
  await commit(store, { checkpoints });
  const { place, questions } = await placeIn(store);
  expect(place).toBe(checkpoints.at(-1)?.id);
  expect(questions).toBeLessThan(5);
  await store.close();
});

it('asks few questions about many checkpoints that one rewind took back', async () => {
  const store = await memoryStore();
  const checkpoints: Checkpoint[] = times(MANY, (at) => checkpointOf(2 * at + 1));
  const changes = checkpoints.map(({ id, seq }) =>
    changeOf(seq + 1, 'a', { checkpointId: id, after: null }),
  );
  const by = 2 * MANY + 1;
  await commit(store, {
    checkpoints,
    changes: [...changes, changeOf(by, 'a', { origin: 'operation' })],
    // The first one stays.
    cancellations: changes.slice(1).map(({ seq }) => ({ by, change: seq, inPart: false })),
    operations: [operationOf(by + 1)],
  });
  const { place, questions } = await placeIn(store);
  expect(place).toBe(checkpoints[0]?.id);
  expect(questions).toBeLessThan(12);
  await store.close();
});
