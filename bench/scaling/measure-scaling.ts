import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openSavepoint } from 'savepoint';
import { postgresSql, postgresStore } from 'savepoint/postgres';
import { PostgresServer } from '../../test/setup/postgres-server.ts';
import { databaseBytes, writtenBytes } from '../database-bytes.ts';
import type { Scratch } from '../scratch.ts';
import { mixedText } from '../source-text.ts';
import { multiplyProjects } from './many-projects.ts';
import { fillProject, timeQueries } from './queries.ts';
import { rateOf } from './writers.ts';

export interface ScalingSizes {
  readonly projects: readonly number[];
  readonly writers: readonly number[];
  readonly seconds: number;
}

/** The tables of docs/scaling.md, each on a server of its own that waits for its disk. */
export async function measureScaling(scratch: Scratch, sizes: ScalingSizes): Promise<string[]> {
  return [
    await onServer(({ url }) => writersTable(scratch, url, sizes)),
    await onServer((place) => bytesTable(scratch, place)),
    await onServer((place) => queriesTable(scratch, place, sizes.projects)),
  ];
}

interface Place {
  /** As the role of the agents, which owns nothing. */
  readonly url: string;
  /** As the superuser. */
  readonly admin: string;
}

async function onServer(measure: (place: Place) => Promise<string>): Promise<string> {
  const server = await PostgresServer.start({ isDurable: true });
  try {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query("CREATE ROLE agents LOGIN PASSWORD 'dummy'");
    await admin.query(postgresSql({ tenants: ['agents'] }));
    await admin.end();
    const url = Object.assign(new URL(server.url), { username: 'agents' }).href;
    const table = await measure({ url, admin: server.url });
    process.stderr.write(`${table}\n`);
    return table;
  } finally {
    await server.stop();
  }
}

async function writersTable(
  scratch: Scratch,
  url: string,
  { writers, seconds }: ScalingSizes,
): Promise<string> {
  const rows: string[][] = [];
  for (const count of writers) {
    const fleet = { url, writers: count, milliseconds: seconds * 1000 };
    const apart = await rateOf(scratch, { ...fleet, isShared: false, messagesEach: 50 });
    const short = await rateOf(scratch, { ...fleet, isShared: false, messagesEach: 1 });
    const together = await rateOf(scratch, { ...fleet, isShared: true, messagesEach: 50 });
    const figures = [apart.checkpoints, short.sessions, together.checkpoints];
    rows.push([String(count), ...figures.map((rate) => rate.toFixed(0))]);
  }
  return tableOf(
    [
      'writers',
      'checkpoints per second, a project each',
      'sessions per second, a project each',
      'checkpoints per second, all in one worktree',
    ],
    rows,
  );
}

const KEPT = 200;

/** Checkpoints after one changed line each: what they add to the database, and to its log. */
async function bytesTable(scratch: Scratch, { url, admin }: Place): Promise<string> {
  const rows: string[][] = [];
  for (const kib of [0, 4, 50, 500]) {
    const folder = scratch.make(`bytes-${kib}`);
    const directory = scratch.make(`bytes-${kib}-store`);
    const store = await postgresStore({ url, project: `bytes ${kib}`, directory });
    const savepoint = await openSavepoint({ project: folder, store });
    const text = mixedText(kib * 1024, kib + 1);
    const [grown, written] = [await databaseBytes(admin), await writtenBytes(admin)];
    for (let nth = 0; nth < KEPT; nth += 1) {
      const request = { sessionId: 'session', messageId: `${nth}` };
      await savepoint.checkpoint(request);
      if (kib === 0) continue;
      const capture = await savepoint.captureBefore({ ...request, paths: ['file.ts'] });
      text.write(`// ${nth} \n`, (nth * 997) % (text.length - 20));
      writeFileSync(join(folder, 'file.ts'), text);
      await savepoint.captureAfter(capture);
    }
    await savepoint.close();
    const each = (bytes: number): string => Math.round(bytes / KEPT).toLocaleString('en');
    const what = kib === 0 ? 'a message alone' : `a message and one line of a file of ${kib} KiB`;
    const database = (await databaseBytes(admin)) - grown;
    rows.push([what, each(database), each((await writtenBytes(admin)) - written)]);
  }
  return tableOf(['checkpoint', 'bytes in the database', 'bytes in its log'], rows);
}

async function queriesTable(
  scratch: Scratch,
  { url, admin }: Place,
  projects: readonly number[],
): Promise<string> {
  const folder = scratch.make('many');
  const place = { url, project: 'project 1', directory: scratch.make('many-store') };
  await fillProject(folder, await postgresStore(place));
  const columns: Map<string, number>[] = [];
  for (const count of projects) {
    await multiplyProjects(admin, count);
    const store = await postgresStore(place);
    const savepoint = await openSavepoint({ project: folder, store });
    columns.push(await timeQueries(savepoint, store));
    await savepoint.close();
  }
  const names = [...(columns[0]?.keys() ?? [])];
  const titles = projects.map(
    (count) => `${count.toLocaleString('en')} project${count === 1 ? '' : 's'}`,
  );
  return tableOf(
    ['milliseconds of', ...titles],
    names.map((name) => [name, ...columns.map((column) => (column.get(name) ?? 0).toFixed(2))]),
  );
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
