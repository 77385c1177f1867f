import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SmallDisk } from '../crash/scenario/small-disk.ts';
import { skipVisibly } from '../crash/strace/needs-strace.ts';
import { type Json, MAIN } from '../e2e/cli-project.ts';
import { expectSchema } from '../e2e/json-schema.ts';
import { Terminal } from '../e2e/terminal.ts';
import { mountProblem } from '../setup/mounts.ts';
import type { Picture } from './picture.ts';
import { RunProject } from './run-project.ts';

let project: RunProject;
beforeEach(() => {
  project = new RunProject();
});
afterEach(() => project.remove());

const EARLIER = 'printf earlier > docs/guide.md';
const KILLED = 'rm src/main.txt';
/** Says itself that it is there: bash does not hear a SIGQUIT, so it must have made way by then. */
const UNTIL_QUIT = `exec '${process.execPath}' -e '
  require("node:fs").writeFileSync(process.env.HOME + "/ready", "");
  setInterval(() => {}, 60_000)'`;

/** Runs a script under `savepoint run` and kills both once the script is done with its work. */
async function killedRun(script: string): Promise<void> {
  const running = project.startRun(
    `${script}; echo $$ > "$HOME/pid"; : > "$HOME/ready"; exec sleep 60`,
  );
  await project.appears('ready');
  running.kill('SIGKILL');
  await running.ended;
  process.kill(Number(readFileSync(join(project.user, 'pid'), 'utf8')), 'SIGKILL');
}

/** The program outlives `savepoint`, and goes on to work. */
async function abandonedRun(script: string): Promise<void> {
  const running = project.startRun(
    `: > "$HOME/ready"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done; ${script}; : > "$HOME/done"`,
  );
  await project.appears('ready');
  running.kill('SIGKILL');
  await running.ended;
  project.sh(': > "$HOME/go"');
  await project.appears('done');
}

async function json(args: readonly string[]): Promise<{ code: number | null; value: Json }> {
  const { code, out } = await project.cli([...args, '--json']);
  expectSchema(code === 0 || !out.includes('"error":') ? (args[0] ?? '') : 'error', out);
  return { code, value: JSON.parse(out) as Json };
}

/** The paths that an undo names as not certain, having done nothing. */
async function refusedPaths(): Promise<unknown[]> {
  const { code, value } = await json(['undo']);
  expect(code).toBe(5);
  expect(value).toMatchObject({
    success: false,
    operationId: null,
    restoredFiles: [],
    deletedFiles: [],
  });
  return (value.skipped as { path: string; reason: string }[]).map(({ path, reason }) => {
    expect(reason).toBe('shared-attribution');
    return path;
  });
}

/** All of the story after an end that nobody saw; `start` is how it was before any run. */
async function tellsAndTakesBack(start: Picture, before: Picture): Promise<void> {
  const { value: status } = await json(['status']);
  expect(status).toMatchObject({ running: [], interrupted: [{ description: expect.any(String) }] });
  const after = project.picture();
  expect(after).not.toEqual(before);

  expect(await refusedPaths()).toEqual(['src/main.txt']);
  const refused = await project.cli(['undo', '--force']);
  expect(refused).toMatchObject({ code: 5, out: expect.stringContaining('Nothing was undone') });
  expect(refused.err).toContain('savepoint undo --include-shared');
  expect(project.picture()).toEqual(after);

  expect((await project.cli(['undo', '--include-shared'])).code).toBe(0);
  expect(project.picture()).toEqual(before);
  expect((await json(['status'])).value).toMatchObject({ interrupted: [] });
  // It is settled now: what came before it is next.
  expect((await project.cli(['undo'])).code).toBe(start === before ? 5 : 0);
  expect(project.picture()).toEqual(start);
}

/** The project before any run, and before the one that does not end well. */
async function begun(withEarlier: boolean): Promise<[Picture, Picture]> {
  const start = project.picture();
  if (!withEarlier) return [start, start];
  await project.run([EARLIER]);
  return [start, project.picture()];
}

describe.each([
  ['with an earlier run', true],
  ['without an earlier run', false],
])('undo after a run %s', (_title, withEarlier) => {
  it('that was killed with its program takes nothing back without a word', async () => {
    const pictures = await begun(withEarlier);
    await killedRun(KILLED);
    await tellsAndTakesBack(...pictures);
  });

  it('that was killed alone, so that its program went on, takes nothing back without a word', async () => {
    const pictures = await begun(withEarlier);
    await abandonedRun(KILLED);
    await tellsAndTakesBack(...pictures);
  });

  it('that a SIGQUIT ended takes back that run: its end was still recorded', async () => {
    const [start, before] = await begun(withEarlier);
    const running = project.startRun(`${KILLED}; ${UNTIL_QUIT}`);
    await project.appears('ready');
    running.kill('SIGQUIT');
    expect((await running.ended).code).toBe(131);
    expect((await json(['status'])).value).toMatchObject({ running: [], interrupted: [] });
    expect((await project.cli(['undo'])).code).toBe(0);
    expect(project.picture()).toEqual(before);
    await project.cli(['undo']);
    expect(project.picture()).toEqual(start);
  });

  it('that was killed before it changed anything stops there, however often it is repeated', async () => {
    const [start, before] = await begun(withEarlier);
    await killedRun('true');
    for (const look of [[], ['diff', 'latest'], ['rewind', 'latest', '--dry-run']]) {
      if (look.length > 0) await project.cli(look);
      const { code, value } = await json(['undo', '--include-shared']);
      expect(code).toBe(5);
      expect(value).toMatchObject({ error: { code: 'run-unrecorded' } });
      expect(project.picture()).toEqual(before);
      if (!withEarlier) continue;
      // Only the id of the earlier run goes past it.
      const { hint } = value.error as { hint: string };
      const earlier = /with: savepoint (undo \w+)$/.exec(hint)?.[1] ?? '';
      expect((await project.cli(earlier.split(' '))).code).toBe(0);
      expect(project.picture()).toEqual(start);
      expect((await project.cli(['redo'])).code).toBe(0);
      expect(project.picture()).toEqual(before);
    }
  });
});

describe('undo after a killed run', () => {
  it('names what a person did since as not certain either, and can take back one path alone', async () => {
    await project.run([EARLIER]);
    await killedRun(KILLED);
    project.write('src/other.txt', 'person');
    project.write('made.txt', 'person');
    const { code, out, err } = await project.cli(['undo']);
    expect(code).toBe(5);
    for (const path of ['src/main.txt', 'src/other.txt', 'made.txt']) {
      expect(out).toMatch(
        new RegExp(`skip +${path} +left as it is: it is not certain who changed it`),
      );
    }
    const rewind = /savepoint (rewind \w+ --include-shared) PATH/.exec(err)?.[1] ?? '';
    expect((await project.cli([...rewind.split(' '), 'src/main.txt'])).code).toBe(0);
    expect(existsSync(project.at('src/main.txt'))).toBe(true);
    expect([project.read('src/other.txt'), project.read('made.txt')]).toEqual(['person', 'person']);
    expect(project.read('docs/guide.md')).toBe('earlier');
  });

  it('brings a person’s work of since then back with redo', async () => {
    await killedRun(KILLED);
    project.write('src/other.txt', 'person');
    const after = project.picture();
    expect((await project.cli(['undo', '--include-shared'])).code).toBe(0);
    expect((await project.cli(['redo'])).code).toBe(0);
    expect(project.picture()).toEqual(after);
    expect((await refusedPaths()).sort()).toEqual(['src/main.txt', 'src/other.txt']);
  });

  it('takes back the later run first, and then meets the killed one', async () => {
    await project.run([EARLIER]);
    const before = project.picture();
    await killedRun(KILLED);
    const killed = project.picture();
    await project.run(['printf later > src/other.txt']);
    expect((await project.cli(['undo'])).code).toBe(0);
    expect(project.picture()).toEqual(killed);
    expect(await refusedPaths()).toEqual(['src/main.txt']);
    expect((await project.cli(['undo', '--include-shared'])).code).toBe(0);
    expect(project.picture()).toEqual(before);
  });

  it('takes back no half of it: what is certain waits for what is not', async () => {
    const before = project.picture();
    const running = project.startRun(
      `rm link; : > "$HOME/seen"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done; ${KILLED}
       echo $$ > "$HOME/pid"; : > "$HOME/ready"; exec sleep 60`,
    );
    await project.appears('seen');
    // While only the run is at work, what is found is its doing.
    await project.cli(['diff', 'latest']);
    project.sh(': > "$HOME/go"');
    await project.appears('ready');
    running.kill('SIGKILL');
    await running.ended;
    process.kill(Number(readFileSync(join(project.user, 'pid'), 'utf8')), 'SIGKILL');
    const after = project.picture();
    expect(await refusedPaths()).toEqual(['src/main.txt']);
    expect(project.picture()).toEqual(after);
    const { out } = await project.cli(['undo', '--include-shared']);
    expect(out).toMatch(/not certain who changed these.*\(src\/main\.txt\)/);
    expect(project.picture()).toEqual(before);
  });

  it('names the rewind that came before a run without changes', async () => {
    const [start] = await begun(true);
    await project.cli(['rewind', 'latest']);
    await killedRun('true');
    const { value } = await json(['undo']);
    const [verb, id] =
      /savepoint (undo) (\w+)$/.exec((value.error as { hint: string }).hint)?.slice(1) ?? [];
    expect(project.picture()).toEqual(start);
    expect((await project.cli([verb ?? '', id ?? ''])).code).toBe(0);
    expect(project.read('docs/guide.md')).toBe('earlier');
  });

  it('stops where the worktree could not be scanned, also for programs', async () => {
    await project.run([EARLIER]);
    await killedRun(KILLED);
    const hurried = await project.open({ scanDeadlineMs: 0 });
    await expect(hurried.planUndo()).rejects.toMatchObject({ code: 'run-unrecorded' });
    await hurried.scan();
    const undone = hurried.undo({ includeShared: true });
    await expect(undone).rejects.toMatchObject({ code: 'run-unrecorded' });
    expect(project.read('docs/guide.md')).toBe('earlier');
    const savepoint = await project.open();
    await savepoint.scan();
    await savepoint.undo({ includeShared: true });
    expect(existsSync(project.at('src/main.txt'))).toBe(true);
    expect(project.read('docs/guide.md')).toBe('earlier');
  });

  it('asks at a terminal, and does what the person says', async () => {
    await project.run([EARLIER]);
    const before = project.picture();
    await killedRun(KILLED);
    const after = project.picture();
    for (const [answer, code, picture] of [
      ['n', 130, after],
      ['y', 0, before],
    ] as const) {
      const terminal = new Terminal([MAIN, 'undo'], {
        cwd: project.root,
        env: project.childEnvironment,
      });
      try {
        const screen = await terminal.until('not certain? [y/N]');
        expect(screen).toMatch(/restore +src\/main\.txt +was deleted: comes back/);
        expect(screen).toContain('it is not certain who changed these');
        terminal.type(`${answer}\r`);
        expect(await terminal.exit()).toBe(code);
      } finally {
        await terminal.close();
      }
      expect(project.picture()).toEqual(picture);
    }
  });
});

it('a run that is still running is not passed over by undo', async () => {
  await project.run([EARLIER]);
  const running = project.startRun(`${KILLED}; : > "$HOME/ready"; exec sleep 60`);
  await project.appears('ready');
  const { code, err } = await project.cli(['undo']);
  expect(code).toBe(1);
  expect(err).toContain('the last run is still running');
  expect(project.read('docs/guide.md')).toBe('earlier');
  expect((await json(['status'])).value).toMatchObject({ running: [{}], interrupted: [] });
  running.kill('SIGTERM');
  await running.ended;
});

it('Ctrl-\\ at a terminal ends the program, and what it did is on record', async () => {
  const before = project.picture();
  const args = [MAIN, 'run', '--', 'bash', '-c', `${KILLED}; ${UNTIL_QUIT}`];
  const terminal = new Terminal(args, { cwd: project.root, env: project.childEnvironment });
  try {
    await project.appears('ready');
    terminal.type('\x1c');
    expect(await terminal.exit()).toBe(131);
    expect(terminal.screen()).toContain('1 path changed: 1 deleted');
  } finally {
    await terminal.close();
  }
  expect((await project.cli(['undo'])).code).toBe(0);
  expect(project.picture()).toEqual(before);
});

it('status says of a killed run that it was interrupted, and not that it is running', async () => {
  await killedRun(KILLED);
  const { out, err } = await project.cli(['status']);
  expect(out).toMatch(/^Interrupted {2}bash -c rm src.*, begun .*; its end is not on record$/m);
  expect(out).not.toContain('Running');
  const diff = /savepoint (diff \w+)$/m.exec(err)?.[1] ?? '';
  expect((await project.cli(diff.split(' '))).out).toContain('src/main.txt');
});

const problem = mountProblem();
const TITLE = 'a run at whose end the store is full';
if (problem === null) describe(TITLE, onFullStore);
else skipVisibly(TITLE, problem, onFullStore);

function onFullStore(): void {
  let disk: SmallDisk;
  beforeEach(() => {
    disk = new SmallDisk(project.stores);
  });
  afterEach(() => disk.unmount());

  it.each([
    ['with an earlier run', true, 7],
    ['without an earlier run', false, 0],
  ])(
    'says so at once, and undo goes on when there is room again, %s',
    async (_title, withEarlier, code) => {
      const pictures = await begun(withEarlier);
      const running = project.run([
        // The new content finds no room.
        `: > "$HOME/ready"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done
       head -c 200000 /dev/urandom > src/main.txt; exit ${code}`,
      ]);
      await project.appears('ready');
      disk.fill(0);
      project.sh(': > "$HOME/go"');
      const ended = await running;
      expect(ended.code).toBe(code || 1);
      expect(ended.err).toMatch(/what it changed is not on record yet: .*(ENOSPC|full)/);
      expect(ended.err).toContain('savepoint undo looks again');
      const full = project.picture();
      expect((await project.cli(['undo', '--include-shared'])).code).toBe(1);
      expect(project.picture()).toEqual(full);
      disk.clear();
      await tellsAndTakesBack(...pictures);
    },
  );
}
