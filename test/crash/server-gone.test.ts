import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSavepointError, openSavepoint, type Savepoint } from '../../src/index.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';
import { problemsOf } from '../concurrency/check-timeline.ts';
import type { WorkerReport } from '../concurrency/report.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { PostgresServer } from '../setup/postgres-server.ts';
import { allProblems, numberFrom, randomFrom, titled } from './campaign.ts';
import { CountedSteps } from './scenario/counted-steps.ts';

// Each once by a kill, and once by cutting all connections. `npm run test:campaigns` tries 100.
const TRIES = numberFrom('SAVEPOINT_SERVER_KILLS', 2);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);
const SESSION = 'agent';
const FILES = ['a', 'b', 'c'];
const LATEST_MS = 250;

/** What may come of an act while the server goes away. */
const EXPECTED = [
  'store-unreachable',
  'store-moved-on',
  'restore-failed',
  'restore-unfinished',
] as const;

type Act = 'checkpoint' | 'capture' | 'rewind' | 'step';
type Files = Readonly<Record<string, string>>;

describe('a database server that goes away at a random moment', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  test('loses nothing acknowledged, and tears no file', { timeout: 3_600_000 }, async () => {
    const runs = [];
    for (let turn = 0; turn < TRIES; turn += 1) {
      for (const how of ['kill', 'cut'] as const) {
        const seed = SEED + 2 * turn + (how === 'kill' ? 0 : 1);
        runs.push(await titled(`${how} ${turn}`, () => tryOnce(server, how, seed)));
      }
    }
    expect(allProblems(runs)).toEqual([]);
    if (TRIES < 50) return;
    const interrupted = runs.map((run) => ('interrupted' in run ? run.interrupted : null));
    for (const act of ['capture', 'rewind', 'step']) {
      expect(interrupted.filter((one) => one === act).length).toBeGreaterThan(TRIES / 10);
    }
  });
});

async function tryOnce(
  server: PostgresServer,
  how: 'kill' | 'cut',
  seed: number,
): Promise<{ problems: string[]; interrupted: Act }> {
  const random = randomFrom(seed);
  const [project, directory] = [makeScratch(), makeScratch()];
  const name = randomUUID();
  mkdirSync(join(project, SESSION));
  try {
    const agent = new Agent(project, random);
    const opened = await open(server, project, directory, name);
    let isInterrupted = false;
    const going = (async () => {
      while (!isInterrupted) {
        await setTimeout(random() * LATEST_MS);
        if (!isInterrupted) await takeAway(server, how);
      }
    })();
    const error = await agent.work(opened);
    isInterrupted = true;
    await going;
    await opened.close();
    const problems = isExpected(error) ? [] : [`failed with ${describeError(error)}`];
    const again = await open(server, project, directory, name);
    // What was interrupted is finished or taken back before anything else is done.
    await again.checkpoint({ sessionId: SESSION, messageId: 'after' });
    problems.push(...agent.filesProblems(), ...(await agent.steps.problems(again)));
    await again.close();
    const store = await postgresStore({ url: server.url, project: name, directory });
    const found = await problemsOf(store, project, [agent.report()]);
    await store.close();
    // Of a call whose end could not be recorded, the beginning is on record.
    problems.push(...found.filter((problem) => !problem.endsWith('was never closed')));
    return { problems, interrupted: agent.act };
  } finally {
    for (const folder of [project, directory]) removeScratch(folder);
  }
}

async function open(
  server: PostgresServer,
  project: string,
  directory: string,
  name: string,
): Promise<Savepoint> {
  const store = await postgresStore({ url: server.url, project: name, directory });
  return openSavepoint({ project, store });
}

/** The server is killed and started again, or all its connections are cut. */
async function takeAway(server: PostgresServer, how: 'kill' | 'cut'): Promise<void> {
  if (how === 'kill') {
    await server.kill();
    await server.resume();
    return;
  }
  const database = await Database.open({ url: server.url });
  const sql =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()';
  await database.query(sql).catch(() => {});
  await database.close();
}

/** Writes files, takes steps, rewinds and undoes until an act fails, and knows what it was told was done. */
class Agent {
  readonly steps: CountedSteps;
  /** What it is doing, or did last. */
  act: Act = 'checkpoint';
  readonly #project: string;
  readonly #random: () => number;
  readonly #changes: { seq: number; path: string }[] = [];
  readonly #operations: string[] = [];
  readonly #checkpoints: string[] = [];
  /** Those of them whose work stands. */
  readonly #targets: { readonly id: string; readonly files: Files }[] = [];
  /** What the files may be now: one state, or two while a way back is under way. */
  #possible: Files[] = [{}];

  constructor(project: string, random: () => number) {
    this.#project = project;
    this.#random = random;
    this.steps = new CountedSteps(project);
  }

  /** The error that ended it. */
  async work(savepoint: Savepoint): Promise<unknown> {
    try {
      for (let n = 0; ; n += 1) await this.#act(savepoint, n);
    } catch (error) {
      return error;
    }
  }

  async #act(savepoint: Savepoint, n: number): Promise<void> {
    const chance = this.#targets.length === 0 ? 0 : this.#random();
    this.act =
      chance < 0.15 ? 'checkpoint' : chance < 0.45 ? 'capture' : chance < 0.7 ? 'step' : 'rewind';
    if (this.act === 'capture') await this.#write(savepoint, n);
    else if (this.act === 'step') await this.steps.next(savepoint);
    else if (this.act === 'rewind') await this.#goBack(savepoint);
    else {
      const request = { sessionId: SESSION, messageId: `message ${n}` };
      const { id } = await savepoint.checkpoint(request);
      this.#checkpoints.push(id);
      this.#targets.push({ id, files: this.#files });
    }
  }

  async #write(savepoint: Savepoint, n: number): Promise<void> {
    const name = FILES[Math.floor(this.#random() * FILES.length)] ?? 'a';
    const path = `${SESSION}/${name}`;
    const messageId = `message ${n}`;
    const capture = await savepoint.captureBefore({ sessionId: SESSION, messageId, paths: [path] });
    const text = `${name} ${n}\n`.repeat(200);
    writeFileSync(join(this.#project, path), text);
    this.#possible = [{ ...this.#files, [name]: text }];
    await savepoint.captureAfter(capture);
    this.#changes.push(
      ...capture.changes.map((change) => ({ seq: change.seq, path: change.path })),
    );
  }

  async #goBack(savepoint: Savepoint): Promise<void> {
    const at = Math.floor(this.#random() * this.#targets.length);
    const to = this.#targets[at];
    if (to === undefined) return;
    const here = this.#files;
    this.#possible = [here, to.files];
    const { operationId } = await savepoint.rewind({ to: to.id });
    this.#possible = [to.files];
    if (operationId === null) return;
    this.#operations.push(operationId);
    if (this.#random() < 0.5) {
      // Later messages are taken back with it.
      this.#targets.splice(at + 1);
      return;
    }
    this.#possible = [to.files, here];
    const undone = await savepoint.undo({ operationId });
    this.#possible = [here];
    if (undone.operationId !== null) this.#operations.push(undone.operationId);
  }

  get #files(): Files {
    return this.#possible[0] ?? {};
  }

  filesProblems(): string[] {
    const found = textOf(this.#read());
    if (this.#possible.some((files) => textOf(files) === found)) return [];
    return [`the files are ${found}, not one of ${this.#possible.map(textOf).join(' or ')}`];
  }

  #read(): Files {
    const folder = join(this.#project, SESSION);
    return Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
  }

  report(): WorkerReport {
    return {
      session: SESSION,
      changes: this.#changes,
      checkpoints: this.#checkpoints,
      operations: this.#operations,
      files: this.#read(),
      failures: [],
    };
  }
}

function textOf(files: Files): string {
  const short = Object.entries(files).map(([name, text]) => [name, text.length, text.slice(0, 9)]);
  return JSON.stringify(short.sort());
}

function isExpected(error: unknown): boolean {
  return EXPECTED.some((code) => isSavepointError(error, code));
}

function describeError(error: unknown): string {
  return isSavepointError(error) ? `${error.code}: ${error.message}` : String(error);
}
