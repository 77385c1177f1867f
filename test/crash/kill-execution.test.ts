import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkProject,
  type ExecutionState,
  openSavepoint,
  type StoreProblem,
} from '../../src/index.ts';
import { builtProgram } from '../setup/built.ts';
import { allProblems, inParallel, numberFrom, randomFrom, titled } from './campaign.ts';
import { makePlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import { removeTree } from './scenario/tree.ts';

const KILLS = numberFrom('SAVEPOINT_EXECUTION_KILLS', 4);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);
const PROGRAM = builtProgram('test/crash/child/execution-program.ts');
const STEPS = Array.from({ length: 10 }, (_, index) => index);

describe('an execution that is killed at random moments', () => {
  let scratch: string;

  beforeAll(() => {
    scratch = makeScratch();
  });

  afterAll(() => removeTree(scratch));

  test('has done each step once, and lost nobody else’s edits', {
    timeout: 7_200_000,
  }, async () => {
    const random = randomFrom(SEED);
    const usual = await withFolder(scratch, async (folder) => {
      const place = makeProject(folder);
      const took = await runOnce(place, null);
      expect(await problemsOf(place, 0)).toEqual([]);
      // Beside others it takes longer.
      return 1.5 * (took ?? 1_000);
    });
    // Three kills in a row for each: what a resumed one does is interrupted as well.
    const turns = Array.from({ length: Math.ceil(KILLS / 3) }, () =>
      [1, 0.7, 0.5].map((part) => random() * usual * part),
    );
    const runs = await inParallel(turns, (moments, turn) =>
      withFolder(scratch, (folder) =>
        titled(`killed after ${moments.map(Math.round)} ms (${turn})`, async () => {
          const place = makeProject(folder);
          let killed = 0;
          for (const [edits, moment] of moments.entries()) {
            if ((await runOnce(place, moment)) === null) killed += 1;
            editOwnLines(place, edits + 1);
          }
          await runOnce(place, null);
          const problems = await problemsOf(place, moments.length);
          return { killed, interrupted: await interruptedIn(place), problems };
        }),
      ),
    );
    expect(allProblems(runs)).toEqual([]);
    // Enough of them have died, and in the middle of a step, or nothing was shown.
    const total = (of: 'killed' | 'interrupted') =>
      runs.reduce((sum, run) => sum + (of in run ? Number((run as Shown)[of]) : 0), 0);
    expect(total('killed')).toBeGreaterThan(0);
    if (KILLS < 50) return;
    expect(total('killed')).toBeGreaterThan(KILLS / 3);
    expect(total('interrupted')).toBeGreaterThan(KILLS / 6);
  });
});

interface Shown {
  readonly killed: number;
  readonly interrupted: number;
}

/** How many attempts at steps were killed. */
async function interruptedIn({ project, home }: Place): Promise<number> {
  const savepoint = await openSavepoint({ project, home });
  try {
    const { steps } = await (await savepoint.executions()).show('exec');
    const attempts = steps.flatMap((step) => step.attempts);
    return attempts.filter(({ status }) => status === 'killed').length;
  } finally {
    await savepoint.close();
  }
}

function makeProject(folder: string): Place {
  const place = makePlace(folder);
  const filler = Array.from({ length: 8 }, (_, at) => `line ${at}`).join('\n');
  mkdirSync(join(place.project, 'shell'));
  write(place, 'shared.txt', `count: 0\n${filler}\nother: 0\n`);
  write(place, 'tool-log.txt', '');
  write(place, 'shell/log.txt', '');
  write(place, 'shell/last.txt', 'last: none\n');
  write(place, 'other.txt', '');
  return place;
}

/** How long it took; null when it was killed. Somebody else writes a file of their own meanwhile. */
async function runOnce(place: Place, killAfterMs: number | null): Promise<number | null> {
  const child = spawn(process.execPath, [PROGRAM, place.project, place.home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: place.folder },
    // The shell that it runs dies with it: a group of their own.
    detached: true,
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  const begin = performance.now();
  write(
    place,
    'other.txt',
    `${read(place, 'other.txt')}edit while ${killAfterMs === null ? 'it ends' : 'it runs'}\n`,
  );
  if (killAfterMs !== null) {
    await Promise.race([setTimeout(killAfterMs), closed]);
    killGroup(child.pid);
  }
  await closed;
  return said.includes('end') ? performance.now() - begin : null;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** In a file that steps write as well, while nobody else does. */
function editOwnLines(place: Place, edits: number): void {
  const shared = read(place, 'shared.txt');
  write(place, 'shared.txt', shared.replace(/^other: \d+$/m, `other: ${edits}`));
  appendFileSync(join(place.project, 'shell-other.txt'), `edit ${edits}\n`);
}

async function problemsOf(place: Place, edits: number): Promise<string[]> {
  const problems: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown) => {
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== should) problems.push(`${what} is ${is}, not ${should}`);
  };
  const ofTools = STEPS.filter((index) => index % 2 === 0);
  const ofShell = STEPS.filter((index) => index % 2 === 1);
  const logOf = (steps: readonly number[]) => steps.map((index) => `step ${index}\n`).join('');
  compare('tool-log.txt', read(place, 'tool-log.txt'), logOf(ofTools));
  compare('shell/log.txt', read(place, 'shell/log.txt'), logOf(ofShell));
  compare('shell/last.txt', read(place, 'shell/last.txt'), 'last: 9\n');
  compare(
    'made',
    readdirSync(join(place.project, 'made')).sort(),
    ofTools.map((one) => `by-${one}.txt`),
  );
  compare(
    'shell/made',
    readdirSync(join(place.project, 'shell/made')).sort(),
    ofShell.map((one) => `by-${one}.txt`),
  );
  const shared = read(place, 'shared.txt');
  compare('count', /^count: (\d+)$/m.exec(shared)?.[1], String(ofTools.length));
  compare('other', /^other: (\d+)$/m.exec(shared)?.[1], String(edits));
  const own = [...Array(edits).fill('edit while it runs'), 'edit while it ends', ''];
  compare('other.txt', read(place, 'other.txt'), own.join('\n'));
  const ours = readdirSync(place.project, { recursive: true }).filter((name) =>
    String(name).includes('.savepoint-'),
  );
  compare('leftovers', ours, []);
  problems.push(...(await problemsOnRecord(place)));
  return problems;
}

async function problemsOnRecord({ project, home }: Place): Promise<string[]> {
  const savepoint = await openSavepoint({ project, home });
  try {
    const reader = await savepoint.executions();
    const { state } = (await reader.stateAt('exec', 9)) as ExecutionState & {
      state: { done: number[] };
    };
    const results = await Promise.all(STEPS.map((index) => reader.resultOf('exec', index)));
    const { execution, steps } = await reader.show('exec');
    const problems =
      JSON.stringify(state.done) === JSON.stringify(STEPS) ? [] : [`state is ${state.done}`];
    if (JSON.stringify(results) !== JSON.stringify(STEPS)) problems.push(`results are ${results}`);
    if (execution.status !== 'finished') problems.push(`it is ${execution.status}`);
    const open = steps
      .flatMap(({ attempts }) => attempts)
      .filter(({ status }) => status === 'running');
    if (open.length > 0) problems.push('an attempt is still running');
    const check = await checkProject({ project, home });
    return [...problems, ...check.problems.filter(isDamage).map(({ message }) => message)];
  } finally {
    await savepoint.close();
  }
}

/** A file that a killed process had no time to remove is none. */
function isDamage({ kind }: StoreProblem): boolean {
  return kind !== 'leftover';
}

function read({ project }: Place, path: string): string {
  return readFileSync(join(project, path), 'utf8');
}

function write({ project }: Place, path: string, content: string): void {
  writeFileSync(join(project, path), content);
}
