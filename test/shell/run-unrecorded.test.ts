import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seenHere } from '../e2e/cli-here.ts';
import type { Json } from '../e2e/cli-project.ts';
import { expectSchema } from '../e2e/json-schema.ts';
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

const OUT_OF_SCOPE = 'mkdir -p node_modules; printf x > node_modules/gone.js';

describe('undo after a run of which nothing was recorded', () => {
  it('stops at it, names what came before, and reaches past it by that name', async () => {
    project.sh(OUT_OF_SCOPE);
    const before = project.picture();
    await project.run(['echo wanted >> src/main.txt']);
    const wanted = project.picture();
    const { err } = await project.run(['rm node_modules/gone.js']);
    expect(err).toContain('it changed no file that is recorded');
    expect(err).not.toContain('savepoint undo');

    const stopped = await project.cli(['undo']);
    expect(stopped.code).toBe(5);
    expect(stopped.err).toContain('the run changed no file that is recorded: ');
    expect(project.picture()).toEqual(wanted);
    const { value } = await json(['undo']);
    expect(value).toMatchObject({ error: { code: 'run-unrecorded' } });
    const { hint } = value.error as { hint: string };
    const past = /with: savepoint (undo \w+)$/.exec(hint)?.[1] ?? '';

    expect((await json(past.split(' '))).code).toBe(0);
    expect(project.picture()).toEqual(before);
    expect((await json(['redo'])).code).toBe(0);
    expect(project.picture()).toEqual(wanted);
  });

  it('goes further back by itself once a person has reached past it', async () => {
    const before = project.picture();
    await project.run(['printf 1 > one.txt']);
    await project.run(['printf 2 > two.txt']);
    await project.run(['true']);
    const { checkpoints } = (await json(['list'])).value as { checkpoints: { id: string }[] };

    expect((await json(['undo', checkpoints[1]?.id ?? ''])).code).toBe(0);
    expect((await json(['undo'])).value).toMatchObject({ deletedFiles: ['one.txt'] });
    expect(project.picture()).toEqual(before);
  });

  it('is not passed over by undos of what came after it', async () => {
    project.sh(OUT_OF_SCOPE);
    await project.run(['echo wanted >> src/main.txt']);
    const wanted = project.picture();
    await project.run(['rm node_modules/gone.js']);
    await project.run(['printf 3 > three.txt']);
    expect((await json(['undo'])).value).toMatchObject({ deletedFiles: ['three.txt'] });
    expect((await json(['undo'])).value).toMatchObject({ error: { code: 'run-unrecorded' } });
    // Nor by the undo of a rewind that was made after it.
    expect((await json(['rewind', '~2'])).code).toBe(0);
    expect((await json(['undo'])).code).toBe(0);
    expect((await json(['undo'])).value).toMatchObject({ error: { code: 'run-unrecorded' } });
    expect(project.picture()).toEqual(wanted);
  });

  it('says the same where the run is named', async () => {
    await project.run(['true']);
    const { code, value } = await json(['undo', 'latest']);
    expect({ code, value }).toMatchObject({
      code: 5,
      value: { error: { code: 'run-unrecorded' } },
    });
  });

  it('refuses a checkpoint that is no run', async () => {
    await project.run(['printf 1 > one.txt']);
    await project.cli(['save', '-m', 'by-hand']);
    const { code, value } = await json(['undo', 'by-hand']);
    expect({ code, value }).toMatchObject({
      code: 2,
      value: { error: { code: 'argument-invalid', hint: expect.stringContaining('rewind') } },
    });
    expect(project.picture()).toHaveProperty(['one.txt']);
  });
});

describe('a run that changed what cannot be recorded', () => {
  it('says at once which file over the limit is lost, and with which setting it is kept', async () => {
    project.sh('truncate -s 11M big.bin');
    const { err } = await project.run(['rm big.bin; printf new > new.txt']);
    expect(err).toContain('1 of them cannot be taken back: big.bin: it was too large to record');
    expect(err).toContain('maxFileSize');

    const undone = await project.cli(['undo']);
    expect(undone.code).toBe(1);
    expect(undone.out).toMatch(/lost +big\.bin +is gone and cannot come back/);
    expect(undone.out).toContain('1 deleted, 1 lost');
    expect(undone.out).not.toContain('left as it is');
  });

  it('names what came before it, once nothing more of it can be taken back', async () => {
    project.sh('truncate -s 11M big.bin');
    const { 'big.bin': _lost, ...rest } = project.picture();
    await project.run(['printf 1 > one.txt']);
    await project.run(['rm big.bin']);
    const place = { cwd: project.root, env: project.childEnvironment };
    const { code, rows } = await seenHere(['undo'], place, { columns: 200 });
    expect(code).toBe(1);
    const past = /take back what came before it .* with: savepoint (undo \w+)$/m.exec(
      rows.join('\n'),
    );
    expect((await json((past?.[1] ?? '').split(' '))).code).toBe(0);
    expect(project.picture()).toEqual(rest);
  });

  it('does not offer an undo where nothing of it can be taken back', async () => {
    project.sh('truncate -s 11M big.bin');
    const { err, out } = await project.run(['rm big.bin'], ['--json']);
    expect(err).not.toContain('savepoint undo');
    expectSchema('run', out);
    expect(JSON.parse(out)).toMatchObject({
      changes: [{ path: 'big.bin', change: 'deleted', unrecorded: 'too-large' }],
    });

    const { code, value } = await json(['undo']);
    expect({ code, value }).toMatchObject({
      code: 1,
      value: { success: false, errors: [{ path: 'big.bin' }], skipped: [] },
    });
  });

  it('brings back an ignored file that a tool had named before', async () => {
    project.sh(OUT_OF_SCOPE);
    await project.run(['true']);
    const savepoint = await project.open();
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['node_modules/gone.js'] };
    const capture = await savepoint.captureBefore(request);
    project.sh('printf named > node_modules/gone.js');
    await savepoint.captureAfter(capture);
    await project.run(['true']);

    const { err } = await project.run(['rm node_modules/gone.js']);
    expect(err).toContain('1 path changed: 1 deleted');
    expect((await json(['undo'])).value).toMatchObject({
      restoredFiles: ['node_modules/gone.js'],
    });
    expect(project.sh('cat node_modules/gone.js')).toBe('named');
  });
});
