import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seenHere } from '../e2e/cli-here.ts';
import type { Json } from '../e2e/cli-project.ts';
import { expectSchema } from '../e2e/json-schema.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { RunProject } from './run-project.ts';

let project: RunProject;
beforeEach(() => {
  project = new RunProject();
});
afterEach(() => project.remove());

async function json(args: readonly string[]): Promise<{ code: number | null; value: Json }> {
  const { code, out } = await project.cli([...args, '--json']);
  expectSchema(out.includes('"error":') ? 'error' : (args[0] ?? ''), out);
  return { code, value: JSON.parse(out) as Json };
}

/** Runs a script under `savepoint run`; returns the id of the checkpoint made before it. */
async function run(script: string): Promise<string> {
  const { code, out } = await project.run([script], ['--json']);
  expect(code).toBe(0);
  return (JSON.parse(out) as { checkpointId: string }).checkpointId;
}

/** A person works while a program runs: which of the two wrote a file is not on record. */
async function workMeanwhile(): Promise<void> {
  const running = project.startRun(
    'printf run > run.txt; : > "$HOME/ready"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done',
  );
  await project.appears('ready');
  project.write('mine.txt', 'mine');
  project.sh(': > "$HOME/go"');
  expect(await running.ended).toEqual({ code: 0 });
}

describe('undo of a run during which a person worked', () => {
  it('says which lines no tool named, and asks before it deletes such a file', async () => {
    await workMeanwhile();
    const place = { cwd: project.root, env: project.childEnvironment };
    const { code, rows } = await seenHere(['undo'], place, { columns: 120, answers: ['n'] });
    expect(code).toBe(130);
    const text = rows.join('\n');
    expect(text).toMatch(
      /delete +mine\.txt +created since then: will be deleted; found after a command/,
    );
    expect(text).toContain('what you did to them meanwhile goes back too');
    expect(text).toContain('Delete these files too? [y/N]');
    expect(project.read('mine.txt')).toBe('mine');

    const yes = await seenHere(['undo', '--yes'], place, { columns: 120 });
    expect(yes.code).toBe(0);
    expect(yes.rows.join('\n')).not.toContain('[y/N]');
    expect(project.picture()).not.toHaveProperty(['mine.txt']);
  });

  it('says it to programs as well', async () => {
    await workMeanwhile();
    const { value } = await json(['undo', '--dry-run']);
    expect(value).toMatchObject({ notes: [{ code: 'inferred', paths: ['mine.txt', 'run.txt'] }] });
  });
});

/** One prompt without a terminal, which only uses a tool that names its file. */
const KILLED_PROMPT = `
  const [, project, home] = process.argv;
  const { writeFileSync } = await import('node:fs');
  const { openSavepoint } = await import('${builtProgram('src/index.ts')}');
  const savepoint = await openSavepoint({ project, home });
  const prompt = { sessionId: 'prompt', messageId: 'prompt' };
  await savepoint.checkpoint({ ...prompt, isRun: true });
  const capture = await savepoint.captureBefore({ ...prompt, paths: ['src/main.txt'] });
  writeFileSync(project + '/src/main.txt', 'prompt\\n');
  await savepoint.captureAfter(capture);
  console.log('at work');
  await new Promise((resolve) => setTimeout(resolve, 60_000));`;

describe('runs of one project', () => {
  it('are one line of time: a rewind to one takes back those that came after it', async () => {
    const before = project.picture();
    const first = await run("sed -i 's/two/TWO/' src/main.txt");
    const between = project.picture();
    const second = await run("sed -i 's/TWO/zwei/' src/main.txt; printf new > new.txt");
    await run("sed -i 's/zwei/deux/' src/main.txt; rm new.txt; rm -r docs");
    const after = project.picture();

    expect((await json(['rewind', first])).code).toBe(0);
    expect(project.picture()).toEqual(before);
    expect((await json(['undo'])).code).toBe(0);
    expect(project.picture()).toEqual(after);
    expect((await json(['rewind', second])).code).toBe(0);
    expect(project.picture()).toEqual(between);
  });

  it('go back without what a person did between them', async () => {
    const first = await run('printf "1\\n" >> src/main.txt');
    project.sh('printf mine > mine.txt; printf mine > docs/guide.md');
    await run('printf "2\\n" >> src/main.txt; printf run > run.txt');
    const main = project.picture()['src/main.txt'];

    const { code, value } = await json(['rewind', first]);
    expect({ code, value }).toMatchObject({ code: 0, value: { conflicts: [], skipped: [] } });
    const picture = project.picture();
    expect(picture['src/main.txt']).not.toBe(main);
    expect(picture['run.txt']).toBeUndefined();
    expect(picture['mine.txt']).toContain('mine');
    expect(picture['docs/guide.md']).toContain('mine');
  });

  it('are taken back one alone with --only-message', async () => {
    const first = await run('printf 1 > one.txt');
    await run('printf 2 > two.txt');

    expect((await json(['rewind', first, '--only-message'])).value).toMatchObject({
      deletedFiles: ['one.txt'],
    });
    expect(project.picture()['two.txt']).toContain('2');
  });

  it('go back with one that was killed before them, though it never said that it ended', async () => {
    await run('true');
    const before = project.picture();
    const killed = new ChildScript(KILLED_PROMPT, project.root, project.stores);
    try {
      await killed.says('at work');
    } finally {
      await killed.kill();
    }
    await run("sed -i 's/prompt/run/' src/main.txt");

    expect((await json(['rewind', '~1'])).value).toMatchObject({ success: true, conflicts: [] });
    expect(project.picture()).toEqual(before);
  });

  it('that overlapped in time stay apart', async () => {
    const slow = project.startRun(
      `printf slow > slow.txt; : > "$HOME/ready"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done
       printf later > later.txt`,
    );
    await project.appears('ready');
    const fast = await run('printf fast > fast.txt');
    project.sh(': > "$HOME/go"');
    expect(await slow.ended).toEqual({ code: 0 });
    await run('printf last > last.txt');

    const { code, value } = await json(['rewind', fast, '--include-shared']);
    expect(code).toBe(0);
    expect(value.notes).toContainEqual({
      code: 'others-kept',
      message: 'others changed these since, and they stay as they are',
      paths: ['later.txt'],
    });
    const picture = project.picture();
    expect(picture['slow.txt']).toContain('slow');
    expect(picture['fast.txt']).toBeUndefined();
    expect(picture['last.txt']).toBeUndefined();

    await run('rm later.txt');
    const again = await json(['rewind', fast, '--include-shared', '--dry-run']);
    expect(again.value.notes).not.toContainEqual(expect.objectContaining({ code: 'others-kept' }));
  });

  it('are sessions that have ended, of which prune keeps as many as it is told', async () => {
    await run('printf 1 > one.txt');
    await run('printf 2 > two.txt');
    const last = await run('printf 3 > three.txt');
    const sessions = (await json(['sessions'])).value.sessions as { state: string }[];
    expect(sessions.map(({ state }) => state)).toEqual(['ended', 'ended', 'ended']);

    expect((await json(['prune', '--keep', '1'])).code).toBe(0);
    const { checkpoints } = (await json(['list'])).value as { checkpoints: { id: string }[] };
    expect(checkpoints.map(({ id }) => id)).toEqual([last]);
    expect((await json(['sessions'])).value.sessions).toHaveLength(1);
    expect((await json(['undo'])).value).toMatchObject({ deletedFiles: ['three.txt'] });
  });

  it('cannot be rewound to while a later one is at work', async () => {
    const first = await run('printf 1 > one.txt');
    project.startRun(
      ': > "$HOME/ready"; while [ ! -e "$HOME/go" ]; do sleep 0.01; done; printf 2 > two.txt',
    );
    await project.appears('ready');
    const made = await project.cli(['save', '-m', 'by-hand']);
    expect(made.code).toBe(0);
    for (const id of [first, 'latest']) {
      const { code, value } = await json(['rewind', id]);
      expect({ code, value }).toMatchObject({
        code: 1,
        value: { error: { code: 'session-busy' } },
      });
    }
    project.sh(': > "$HOME/go"');
  });
});
