import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ExecutionCheckpoints,
  type NewCheckpoint,
  PersistenceManager,
} from '../../src/execution/index.ts';
import { openSavepoint, type Savepoint, type StepContext } from '../../src/index.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { CliProject } from './cli-project.ts';
import { endHolder } from './execution-bed.ts';
import { expectSchema } from './json-schema.ts';

const project = new CliProject({ 'a.txt': 'mine\n' });

type Context = StepContext<{ done: string[] }>;

/** Two steps that succeed, one of them with an effect, and one that fails. */
async function workInSteps(savepoint: Savepoint): Promise<void> {
  const run = await savepoint.execution('exec-1', { state: { done: [] } });
  await run.step('fetch', async (context: Context) => {
    await context.effect('asked example.com');
    context.variables.url = 'here';
  });
  await run.step('write', { key: 'a' }, async (context: Context) => {
    await context.files.write('a.txt', 'agent\n');
    await context.files.write('notes.md', 'one\ntwo\n');
    context.state.done.push('notes.md');
  });
  const failing = run.step('send', async (context: Context) => {
    await context.files.write('a.txt', 'half\n');
    throw new Error('no luck');
  });
  await expect(failing).rejects.toThrow('no luck');
  await run.close();
}

async function keepCheckpoints(savepoint: Savepoint): Promise<void> {
  const persistence = new PersistenceManager(await savepoint.storage());
  const checkpoints = new ExecutionCheckpoints(persistence, { files: savepoint });
  const step = (stepIndex: number, more: Partial<NewCheckpoint>): Promise<unknown> =>
    checkpoints.createCheckpoint({
      executionId: 'old-1',
      sessionId: 's1',
      stepName: `part ${stepIndex}`,
      stepIndex,
      state: { at: stepIndex },
      context: {},
      variables: {},
      ...more,
    });
  await step(0, {});
  const request = { sessionId: 's1', messageId: 'm1', agent: 'test-agent' };
  const capture = await savepoint.captureBefore({ ...request, paths: ['b.txt'] });
  project.write('b.txt', 'new\n');
  await savepoint.captureAfter(capture);
  await step(1, { status: 'failed', error: 'out of luck' });
}

/** An execution whose step is at work: this process holds it until `leave`. */
async function stayAtWork(): Promise<() => Promise<void>> {
  const savepoint = await openSavepoint({ project: project.root, home: project.home });
  const run = await savepoint.execution('exec-2');
  await run.step('first', (context) => context.files.write('c.txt', 'whole\n'));
  await new Promise<void>((begun) => {
    void run.step('second', async (context) => {
      await context.files.write('c.txt', 'half\n');
      begun();
      await new Promise(() => undefined);
    });
  });
  return async () => {
    await savepoint.close();
    await endHolder(project, 'exec-2');
  };
}

let leave: () => Promise<void>;

beforeAll(async () => {
  await project.open(async (savepoint) => {
    await workInSteps(savepoint);
    await keepCheckpoints(savepoint);
  });
  leave = await stayAtWork();
});
afterAll(() => project.remove());

const run = (...args: string[]) => project.run(['executions', ...args]);

/** What a program gets, checked against what is published. */
async function json(verb: string, ...args: string[]) {
  const { code, out } = await run(verb, '--json', ...args);
  expectSchema(`executions-${verb}`, out);
  return { code, ...JSON.parse(out) };
}

describe('savepoint executions', () => {
  it('lists both kinds, where each stands and who holds it', async () => {
    const { code, executions } = await json('list');
    expect(code).toBe(0);
    const holder = { host: hostname(), processId: process.pid };
    expect(executions).toMatchObject([
      { id: 'exec-2', kind: 'steps', status: 'running', done: 1, holder },
      { id: 'old-1', kind: 'checkpoints', status: 'failed', done: 1, holder: null },
      { id: 'exec-1', status: 'open', done: 2, last: { index: 2, name: 'send', status: 'failed' } },
    ]);
    const { out } = await project.run(['executions']);
    expect(out).toMatch(/^exec-2 {2}running {2}steps, 1 step done, last 1 "second" \(running\), /);
    expect(out).toContain(`held by process ${process.pid} on ${hostname()}\n`);
    expect(out).toMatch(
      /\nold-1 {3}failed {3}checkpoints, 1 step done, last 1 "part 1" \(failed\), /,
    );
  });

  it('shows steps with attempts, errors, effects and files', async () => {
    const { steps } = await json('show', 'exec-1');
    expect(steps).toMatchObject([
      { name: 'fetch', attempts: [{ effects: [{ description: 'asked example.com' }], files: [] }] },
      {
        name: 'write',
        key: 'a',
        status: 'success',
        attempts: [{ files: [{ path: 'a.txt' }, { path: 'notes.md' }] }],
      },
      {
        name: 'send',
        attempts: [{ status: 'failed', files: [{ path: 'a.txt', takenBack: true }] }],
      },
    ]);
    const { out, err } = await run('show', 'exec-1');
    expect(out).toMatch(
      /\n {2}1 {2}write, key a {2}success\n {7}just now, file checkpoint \w{8}\n {7}M a\.txt/,
    );
    expect(out).toMatch(/\n {7}error: Error: no luck\n/);
    expect(err).toContain('savepoint executions resume exec-1');
  });

  it('shows where state changed, and files when asked for', async () => {
    const { state, files } = await json('diff', 'exec-1', 'write', '--files');
    expect(state).toEqual([{ path: 'state.done[0]', kind: 'added' }]);
    expect(files).toMatchObject([
      { path: 'a.txt', status: 'modified' },
      { path: 'notes.md', status: 'created', insertions: 2 },
    ]);
    expect((await json('diff', 'exec-1', 'fetch', '--files')).files).toEqual([]);
    const back = await json('diff', 'exec-1', '1', 'beginning');
    expect(back).toMatchObject({ from: 1, to: -1, files: null });
    expect((await json('diff', 'old-1', '0', '1', '--files')).state).toEqual([
      { path: 'state.at', kind: 'changed' },
    ]);
    const { out } = await run('diff', 'exec-1', '1', '--stat');
    expect(out).toMatch(
      /^exec-1, from after step 0 \(fetch\) to after step 1 \(write\):\n {2}added {4}state\.done\[0\]\n\n a\.txt/,
    );
  });

  it.each([
    [['show', 'none'], 4, 'there is no execution none'],
    [['show'], 2, 'which execution?'],
    [['diff', 'exec-1', 'send'], 4, 'no step send has succeeded'],
    [['rollback', 'exec-1'], 2, '--to is missing'],
    [['list', '--to', '1'], 2, 'list takes no --to'],
    [['rollbak', 'exec-1'], 2, 'did you mean: savepoint executions rollback'],
    [['show', 'exec-'], 2, 'several executions begin with "exec-"'],
    [['resume', 'exec-2'], 1, `held by process ${process.pid} on ${hostname()}`],
  ])('%j ends with %i', async (args, code, said) => {
    const result = await run(...args);
    expect(result.code).toBe(code);
    expect(result.err).toContain(said);
  });

  it('offers verbs, ids of both kinds and kinds to a shell', async () => {
    const offered = async (...words: string[]): Promise<string[]> => {
      const { out } = await project.run(['__complete', '--', 'executions', ...words]);
      return out
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')[0] ?? '');
    };
    expect(await offered('r')).toEqual(['resume', 'rollback']);
    expect(await offered('show', '')).toEqual(['exec-2', 'exec-1', 'old-1']);
    expect(await offered('list', '--kind', '')).toEqual(['steps', 'checkpoints']);
  });

  it('shows ids, names and errors so that none of them can steer a terminal', async () => {
    const hostile = new CliProject();
    const id = 'a\u001b[2J\u202e b';
    await hostile.open(async (savepoint) => {
      const persistence = new PersistenceManager(await savepoint.storage());
      const checkpoints = new ExecutionCheckpoints(persistence, { files: savepoint });
      const fields = { state: { [id]: id }, context: {}, variables: {} };
      const step = { executionId: id, stepName: id, ...fields, error: id };
      await checkpoints.createCheckpoint({ ...step, stepIndex: 0 });
      await checkpoints.createCheckpoint({ ...step, stepIndex: 1, status: 'failed' });
    });
    for (const args of [['list'], ['show'], ['diff'], ['rollback', '--to', '1'], ['resume']]) {
      const [verb = '', ...more] = args;
      const words = verb === 'list' ? [] : ['a'];
      const { out, err } = await hostile.run(['executions', verb, ...words, ...more]);
      expect(`${out}${err}`, verb).toContain('a\\x1b[2J');
      expect(`${out}${err}`, verb).not.toMatch(/[\u001b\u202e]/);
    }
    hostile.remove();
  });

  it('asks which is meant where both kinds have an id', async () => {
    const both = new CliProject();
    await both.open(async (savepoint) => {
      await (await savepoint.execution('same')).step('only', () => 1);
      const persistence = new PersistenceManager(await savepoint.storage());
      const step = { executionId: 'same', stepName: 'kept', stepIndex: 0 };
      const fields = { state: {}, context: {}, variables: {} };
      await new ExecutionCheckpoints(persistence).createCheckpoint({ ...step, ...fields });
    });
    const { code, err } = await both.run(['executions', 'show', 'same']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('--kind steps') });
    const { out } = await both.run(['executions', 'show', 'same', '--kind', 'checkpoints']);
    expect(out).toContain('  0  kept  success\n');
    both.remove();
  });
});

describe('savepoint executions resume', () => {
  it('takes back what a step left that was cut off, and says where the program goes on', async () => {
    await leave();
    const cutOff = { status: 'open', last: { name: 'second', status: 'killed' }, holder: null };
    expect((await json('list')).executions[0]).toMatchObject({ id: 'exec-2', ...cutOff });
    const dry = await json('resume', 'exec-2', '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, rolledBack: [{ index: 1, name: 'second' }] });
    expect(project.read('c.txt')).toBe('half\n');
    const { code, out } = await run('resume', 'exec-2');
    expect(code).toBe(0);
    expect(project.read('c.txt')).toBe('whole\n');
    expect(out).toMatchInlineSnapshot(`
      "Taken back: attempt 1 at step 1 (second), which was killed
        restored  c.txt
      exec-2 is ready to go on with step 1: 1 step is done. The files are as its steps left them.
      This command cannot run the program's own code: start the program again. It gets the results of the steps that are done, and savepoint.execution("exec-2") runs step 1 next.
      "
    `);
    expect(await json('resume', 'exec-2')).toMatchObject({ code: 0, next: 1, rolledBack: [] });
  });

  it('stops where a file is not as the steps left it, and touches nothing', async () => {
    project.write('c.txt', 'a person was here\n');
    const { code, err } = await run('resume', 'exec-2');
    expect(code).toBe(3);
    expect(err).toContain('a file is not as exec-2 left it (c.txt)');
    expect(err).toContain("changedFiles: 'accept'");
    expect(project.read('c.txt')).toBe('a person was here\n');
    project.write('c.txt', 'whole\n');
  });

  it('takes a program that keeps checkpoints back to its last success', async () => {
    await project.agent({
      message: 'n1',
      session: 'others',
      paths: ['others.txt'],
      work: () => project.write('others.txt', 'of another agent\n'),
    });
    const dry = await run('resume', 'old-1', '--dry-run');
    expect(dry.out.replace(/\s+/g, ' ')).toContain('and they stay as they are (c.txt, others.txt)');
    expect(dry.out).toContain('  set aside, because it did not succeed: 1 (part 1)\n');
    expect(project.read('b.txt')).toBe('new\n');
    const { code, checkpointId, next, files } = await json('resume', 'old-1');
    expect({ code, checkpointId, next }).toEqual({
      code: 0,
      checkpointId: 'ckpt-old-1-0',
      next: 1,
    });
    expect(files).toContain('b.txt');
    expect(project.read('b.txt')).toBeNull();
    expect(project.read('others.txt')).toBe('of another agent\n');
    const again = await run('resume', 'old-1');
    expect(again.code).toBe(0);
    expect(again.out).toContain('resumeFromCheckpoint("ckpt-old-1-0", agent)');
  });
});

describe('savepoint executions rollback', () => {
  it('names what cannot be undone, and does nothing until that is accepted', async () => {
    const dry = await json('rollback', 'exec-1', '--to', 'beginning', '--dry-run');
    expect(dry).toMatchObject({ code: 0, dryRun: true, effects: [{ index: 0, name: 'fetch' }] });
    const { code, out, err } = await run('rollback', 'exec-1', '--to', '-1', '--yes');
    expect(code).toBe(1);
    expect(out).toContain('  cannot be undone: asked example.com (step 0, fetch)\n');
    expect(err).toContain('add --accept-effects');
    expect(project.read('a.txt')).toBe('agent\n');
  });

  it('takes files and state back as one, and undo brings both again', async () => {
    const done = await json('rollback', 'exec-1', '--to', 'fetch');
    expect(done).toMatchObject({
      code: 0,
      to: 0,
      restoredFiles: ['a.txt'],
      deletedFiles: ['notes.md'],
    });
    expect(project.read('a.txt')).toBe('mine\n');
    expect((await json('show', 'exec-1')).steps[1]).toMatchObject({ status: 'rolled-back' });
    expect((await run('rollback', 'exec-1', '--to', '0')).code).toBe(5);
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('agent\n');
    expect((await json('show', 'exec-1')).execution).toMatchObject({ done: 2 });
  });

  it('asks at a terminal, which accepts what was named', async () => {
    const args = ['executions', 'rollback', 'exec-1', '--to', 'beginning'];
    expect(await project.see(args, { answers: ['n'] })).toMatchObject({ code: 130 });
    expect(project.read('a.txt')).toBe('agent\n');
    const { code, raw } = await project.see(args, { answers: ['y'] });
    expect(code).toBe(0);
    const question = raw.indexOf('Go ahead, although that stays done? [y/N] ');
    expect(question).toBeGreaterThan(raw.indexOf('cannot be undone'));
    expect(raw).toContain('hint: take this back with: savepoint undo');
    expect(project.read('a.txt')).toBe('mine\n');
  });
});

describe('savepoint executions resume --include-shared', () => {
  it('takes back what a killed step may have written, which it leaves without the option', async () => {
    const killed = new CliProject({ 'a.txt': 'old\n' });
    const child = new ChildScript(AT_WORK, killed.root, killed.home);
    try {
      await child.says('at work');
    } finally {
      await child.kill();
    }
    const without = await killed.run(['executions', 'resume', 'exec']);
    expect(without.code).toBe(3);
    expect(without.err).toContain('--include-shared takes it back too');
    expect(killed.read('a.txt')).toBe('half\n');
    const { code, out } = await killed.run(['executions', 'resume', 'exec', '--include-shared']);
    expect([code, killed.read('a.txt')]).toEqual([0, 'old\n']);
    expect(out).toContain('restored  a.txt');
    killed.remove();
  });

  it('does the same for a program that keeps checkpoints', async () => {
    const kept = new CliProject({ 'a.txt': 'old\n' });
    const { root, home } = kept;
    const savepoint = await openSavepoint({ project: root, home, scan: true });
    const persistence = new PersistenceManager(await savepoint.storage());
    const checkpoints = new ExecutionCheckpoints(persistence, { files: savepoint });
    const fields = { state: {}, context: {}, variables: {} };
    const step = { executionId: 'kept', stepName: 'one', ...fields };
    await checkpoints.createCheckpoint({ ...step, stepIndex: 0 });
    // Two agents at once: nobody can tell which of them wrote the file.
    const windows = [];
    for (const sessionId of ['other', 'kept']) {
      windows.push(await savepoint.openWindow({ sessionId, messageId: 'm' }));
    }
    kept.write('a.txt', 'half\n');
    for (const { id } of windows) await savepoint.closeWindow(id);
    await checkpoints.createCheckpoint({ ...step, stepIndex: 1, status: 'failed' });
    await savepoint.close();
    const resume = ['executions', 'resume', 'kept', '--yes'];
    await kept.run(resume);
    expect(kept.read('a.txt')).toBe('half\n');
    expect((await kept.run([...resume, '--include-shared'])).code).toBe(0);
    expect(kept.read('a.txt')).toBe('old\n');
    kept.remove();
  });
});

/** A step that writes a file without naming it, and never ends. */
const AT_WORK = `
  const [, project, home] = process.argv;
  const { writeFileSync } = await import('node:fs');
  const { openSavepoint } = await import('${builtProgram('src/index.ts')}');
  const savepoint = await openSavepoint({ project, home, scan: true });
  const run = await savepoint.execution('exec');
  await run.step('one', async () => {
    writeFileSync(project + '/a.txt', 'half\\n');
    console.log('at work');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;
