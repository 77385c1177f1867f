import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type Savepoint, type Store, sqliteStore } from 'savepoint';
import { postgresStore } from 'savepoint/postgres';
import { PostgresServer } from '../test/setup/postgres-server.ts';
import type { Benchmark } from './benchmark.ts';
import { CHECKPOINTS, fillTimeline } from './long-timeline.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { sourceText } from './source-text.ts';

const BYTES = 4 * 1024;
const LISTED = 50;
const FILES = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'];
const AGAINST = 'the same on SQLite';

/** What a server on this machine costs, with every commit synced on both sides. */
export const POSTGRES: readonly Benchmark[] = [
  row('capture of a 4 KiB file on a PostgreSQL server', async (savepoint) => capture(savepoint)),
  row(
    `listing the newest ${LISTED} of ${CHECKPOINTS.toLocaleString('en')} checkpoints on a PostgreSQL server`,
    listing,
  ),
  row('rewind of 5 files on a PostgreSQL server', async (savepoint) => rewind(savepoint)),
];

type MakeSide = (savepoint: Savepoint, store: Store) => Promise<Side>;

function row(name: string, side: MakeSide): Benchmark {
  return { name, against: AGAINST, bar: null, run: (scratch) => contest(scratch, side) };
}

async function contest(scratch: Scratch, side: MakeSide): Promise<Samples> {
  const server = await PostgresServer.start({ isDurable: true });
  const opened: Savepoint[] = [];
  const open = async (name: string, store: Store): Promise<Side> => {
    const savepoint = await openSavepoint({ project: scratch.make(name), store });
    opened.push(savepoint);
    return side(savepoint, store);
  };
  try {
    const directory = scratch.make(`server-${server.port}`);
    const store = await postgresStore({ url: server.url, project: 'ours', directory });
    const ours = await open('ours', store);
    const theirs = await open('theirs', await sqliteStore({ directory: scratch.make('store') }));
    return await alternate(ours, theirs);
  } finally {
    for (const savepoint of opened) await savepoint.close();
    await server.stop();
  }
}

function capture(savepoint: Savepoint): Side {
  return {
    prepare: (round) => write(savepoint, `file-${round}.ts`, round),
    time: (round) => clock(async () => void (await before(savepoint, [`file-${round}.ts`]))),
  };
}

async function listing(savepoint: Savepoint, store: Store): Promise<Side> {
  await fillTimeline(store);
  let found = 0;
  return {
    time: () =>
      clock(async () => {
        found = (await savepoint.list({ limit: LISTED })).length;
      }),
    verify: () => {
      if (found !== LISTED) throw new Error(`${found} checkpoints were listed`);
    },
  };
}

function rewind(savepoint: Savepoint): Side {
  let to = '';
  return {
    prepare: async (round) => {
      for (const name of FILES) write(savepoint, name, 2 * round);
      to = (await savepoint.checkpoint({ sessionId: 'session', messageId: `${round}` })).id;
      const made = await before(savepoint, FILES, `${round}`);
      for (const name of FILES) write(savepoint, name, 2 * round + 1);
      await savepoint.captureAfter(made);
    },
    time: () => clock(async () => void (await savepoint.rewind({ to }))),
  };
}

function before(savepoint: Savepoint, paths: readonly string[], messageId = 'message') {
  return savepoint.captureBefore({ sessionId: 'session', messageId, paths: [...paths] });
}

function write(savepoint: Savepoint, name: string, nth: number): void {
  writeFileSync(join(savepoint.root, name), sourceText(BYTES, nth));
}
