import { openSavepoint, sqliteStore, storeDirectory } from 'savepoint';
import { atMost, type Benchmark } from './benchmark.ts';
import { CHECKPOINTS, fillTimeline } from './long-timeline.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const LISTED = 50;

/** What every command begins with must not grow with the timeline. */
export const OPEN_STORE: readonly Benchmark[] = [
  {
    name: `opening a store with ${CHECKPOINTS.toLocaleString('en')} checkpoints and listing the newest ${LISTED}`,
    against: 'the same on an empty store',
    bar: atMost(2),
    run: contest,
  },
];

async function contest(scratch: Scratch): Promise<Samples> {
  const home = scratch.make('home');
  const [full, empty] = [scratch.make('full'), scratch.make('empty')];
  await listNewest(full, home);
  const store = await sqliteStore({ directory: storeDirectory(home, full) });
  try {
    await fillTimeline(store);
  } finally {
    await store.close();
  }
  return alternate(listing(full, home, LISTED), listing(empty, home, 0));
}

function listing(project: string, home: string, expected: number): Side {
  let found: number;
  return {
    time: () =>
      clock(async () => {
        found = await listNewest(project, home);
      }),
    verify: () => {
      if (found !== expected) throw new Error(`${found} checkpoints were listed, not ${expected}`);
    },
  };
}

async function listNewest(project: string, home: string): Promise<number> {
  const savepoint = await openSavepoint({ project, home });
  const listed = await savepoint.list({ limit: LISTED });
  await savepoint.close();
  return listed.length;
}
