import { postgresStore } from 'savepoint/postgres';
import { PostgresServer } from '../test/setup/postgres-server.ts';
import { atMost, type Bar, type Benchmark, fasterBy } from './benchmark.ts';
import { databaseBytes } from './database-bytes.ts';
import { openPostgresSaver, POSTGRES_SAVER } from './langgraph-saver.ts';
import type { Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';
import {
  APPENDED_BYTES,
  appendSteps,
  GROWTH,
  type Sides,
  STEPS,
  sidesOf,
  timeSaves,
} from './state-sides.ts';

const ON_SERVER = `bytes in a PostgreSQL database ${GROWTH}`;

/** The state of an execution on a server that waits for its disk, against who keeps it whole each time. */
export const POSTGRES_STATE: readonly Benchmark[] = [
  saving(1, null),
  saving(50, fasterBy(2)),
  saving(500, null),
  { name: ON_SERVER, against: 'the bytes appended', bar: atMost(3), unit: 'bytes', run: growth },
  { name: ON_SERVER, against: POSTGRES_SAVER, bar: null, unit: 'bytes', run: growthOfBoth },
];

function saving(kib: number, bar: Bar | null): Benchmark {
  return {
    name: `saving a state of ${kib} KiB with one message changed on a PostgreSQL server`,
    against: POSTGRES_SAVER,
    bar,
    run: (scratch) => withBoth(scratch, (sides) => timeSaves(scratch, sides, kib)),
  };
}

/** All that the database grew by, with indexes and the room that its tables keep free. */
function growth(scratch: Scratch): Promise<Samples> {
  return withBoth(scratch, async ({ save }, url) => {
    const ours = await grownBy(url, () => appendSteps(save));
    return { ours: [ours], theirs: [STEPS * APPENDED_BYTES] };
  });
}

function growthOfBoth(scratch: Scratch): Promise<Samples> {
  return withBoth(scratch, async ({ save, saveTheirs }, url) => {
    const ours = await grownBy(url, () => appendSteps(save));
    const theirs = await grownBy(url, () => appendSteps(saveTheirs));
    return { ours: [ours], theirs: [theirs] };
  });
}

async function grownBy(url: string, work: () => Promise<void>): Promise<number> {
  const before = await databaseBytes(url);
  await work();
  return (await databaseBytes(url)) - before;
}

async function withBoth(
  scratch: Scratch,
  measure: (sides: Sides, url: string) => Promise<Samples>,
): Promise<Samples> {
  const server = await PostgresServer.start({ isDurable: true });
  try {
    const directory = scratch.make(`server-${server.port}`);
    const store = await postgresStore({ url: server.url, project: 'ours', directory });
    const { saver, close } = await openPostgresSaver(server.url);
    const sides = sidesOf(store, saver, async () => {
      await close();
      await store.close();
    });
    try {
      return await measure(sides, server.url);
    } finally {
      await sides.close();
    }
  } finally {
    await server.stop();
  }
}
