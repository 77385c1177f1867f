import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openSavepoint, type Savepoint, sqliteStore, storeDirectory } from '../src/index.ts';
import { startWebServer, type WebServer } from '../src/web/server/index.ts';
import { atMost, type Benchmark } from './benchmark.ts';
import { fillTimeline } from './long-timeline.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const LISTED = 10_000;
const CHANGES_EACH = 3;

/** What the page waits for before it shows anything of a project. */
export const WEB: readonly Benchmark[] = [
  {
    name: `the timeline of ${LISTED.toLocaleString('en')} checkpoints, as \`savepoint web\` answers it`,
    against: '`Savepoint.list` of the same',
    bar: atMost(3),
    run: contest,
  },
];

async function contest(scratch: Scratch): Promise<Samples> {
  const [home, page, project] = ['home', 'page', 'project'].map((name) => scratch.make(name));
  if (home === undefined || page === undefined || project === undefined) throw new Error('folders');
  const savepoint = await openSavepoint({ project, home });
  const store = await sqliteStore({ directory: storeDirectory(home, project) });
  await fillTimeline(store, CHANGES_EACH, LISTED);
  await store.close();
  writeFileSync(join(page, 'index.html'), '');
  const server = await startWebServer({
    page,
    home,
    version: '',
    here: null,
    optionsFor: () => ({}),
    settingsOf: () => ({ settings: [], problems: [] }),
  });
  try {
    const key = await keyOf(server);
    const address = `${server.url}api/projects/${basename(storeDirectory(home, project))}/timeline`;
    return await alternate(asking(address, key), listing(savepoint), { counted: 15, warmUp: 3 });
  } finally {
    await server.close();
    await savepoint.close();
  }
}

/** As the page does it: to the last byte, and read. */
function asking(address: string, key: string): Side {
  return counting(async () => {
    const response = await fetch(address, { headers: { 'x-savepoint-key': key } });
    return ((await response.json()) as { points: readonly unknown[] }).points.length;
  });
}

function listing(savepoint: Savepoint): Side {
  return counting(async () => (await savepoint.list({ limit: LISTED })).length);
}

function counting(count: () => Promise<number>): Side {
  let found = 0;
  return {
    time: () =>
      clock(async () => {
        found = await count();
      }),
    verify: () => {
      if (found !== LISTED) throw new Error(`${found} checkpoints were listed, not ${LISTED}`);
    },
  };
}

async function keyOf({ oneTimeUrl, url }: WebServer): Promise<string> {
  const { origin, hash } = new URL(oneTimeUrl());
  const response = await fetch(`${url}api/key`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
  return ((await response.json()) as { key: string }).key;
}
