import { existsSync, globSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject, type Json } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
let project: CliProject;
afterEach(() => project.remove());

describe('savepoint rewind --session', () => {
  it('takes back the last work of the session, and the work before it the next time', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const write = (message: string, session: string, name: string, text: string) =>
      project.agent({ message, session, paths: [name], work: () => project.write(name, text) });
    await write('m1', 's1', 'a.txt', 'one\n');
    await write('m2', 's1', 'a.txt', 'two\n');
    await write('m3', 's2', 'b.txt', 'other\n');
    // The prompt that asks for it changes nothing.
    await project.open((savepoint) => savepoint.checkpoint({ sessionId: 's1', messageId: 'm4' }));
    const rewind = ['rewind', '--session', 's1', '--yes'];
    expect((await project.run(rewind)).code).toBe(0);
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['one\n', 'other\n']);
    expect((await project.run(rewind)).code).toBe(0);
    expect(project.read('a.txt')).toBe('old\n');
    expect((await project.run(rewind)).code).toBe(5);
    expect((await project.run([...rewind, 'latest'])).code).toBe(2);
    expect((await project.run(['rewind', '--session', 'nobody'])).code).toBe(4);
  });

  it('does not say that nothing changed where it leaves what is not certain', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const call = { sessionId: 's1', messageId: 'm1', toolCallId: 'interrupted' };
    await project.open(async (savepoint) => {
      await savepoint.openWindow(call);
      project.write('a.txt', 'new\n');
      await savepoint.checkpoint({ sessionId: 's1', messageId: 'm2', scan: true });
    });
    const { code, out } = await project.run(['rewind', '--session', 's1', '--yes']);
    expect(code).toBe(5);
    expect(out.split('\n')).toEqual([
      'Nothing was changed. These files are left as they are:',
      '  skip      a.txt  left as it is: it is not certain who changed it; --include-shared takes it back too',
      '',
    ]);
  });
});

describe('savepoint rewind, undo and redo', () => {
  it('takes back what the agent did, names every file, and goes there and back', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    await project.agentWrites('m2', 'made/b.txt', 'b\n');

    const rewind = await project.run(['rewind', id.slice(0, 6)]);
    expect(rewind.code).toBe(0);
    expect(rewind.out.split('\n')).toEqual([
      `Rewind to before ${id.slice(0, 8)} "message m1" (just now):`,
      '  restore   a.txt       goes back to how it was',
      '  delete    made        created since then: will be deleted',
      '  delete    made/b.txt  created since then: will be deleted',
      '',
      'Done: 1 restored, 2 deleted.',
      expect.stringMatching(/^Operation \w{16}$/),
      '',
    ]);
    expect(rewind.err).toBe('hint: take this back with: savepoint undo\n');
    expect([project.read('a.txt'), project.read('made/b.txt')]).toEqual(['old\n', null]);

    const undo = await project.run(['undo']);
    expect(undo).toMatchObject({ code: 0, err: 'hint: take this back with: savepoint redo\n' });
    expect(undo.out).toMatch(/^Undo: rewind to message m1\n {2}restore {3}a\.txt/);
    expect([project.read('a.txt'), project.read('made/b.txt')]).toEqual(['new\n', 'b\n']);

    expect(await project.run(['redo'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Redo: rewind to message m1\n/),
    });
    expect([project.read('a.txt'), project.read('made/b.txt')]).toEqual(['old\n', null]);
  });

  it('says that files are as they were already, where only the record changes', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    project.write('a.txt', 'old\n');
    const { code, out } = await project.run(['rewind', id]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /\nDone: every file is already as it was, and the changes are on record as taken back\.\nOperation /,
    );
    expect((await project.run(['rewind', id])).code).toBe(5);
  });

  it('says when there is nothing to do', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    const none = await Promise.all([project.run(['undo']), project.run(['redo'])]);
    expect(none.map(({ code }) => code)).toEqual([5, 5]);
    expect(none[0]?.err).toMatch(
      /^savepoint: there is no rewind to undo\nhint: .*savepoint list\n$/,
    );

    expect((await project.run(['rewind', id])).code).toBe(0);
    const again = await project.run(['rewind', id]);
    expect(again).toMatchObject({ code: 5, out: expect.stringMatching(/^Nothing to do: /) });
    expect((await project.run(['rewind', id, 'a.txt'])).out).toBe(again.out);
    const { code, value } = await project.json(['rewind', id]);
    expect(code).toBe(5);
    expect(value).toMatchObject({ success: true, operationId: null, restoredFiles: [] });
    expect(project.read('a.txt')).toBe('old\n');
  });

  it('previews with --dry-run exactly what it then does', async () => {
    project = new CliProject({ 'a.txt': LINES, 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const id = await project.agentWrites('m1', 'a.txt', LINES.replace('1', 'ONE'));
    await project.agentWrites('m2', 'b.txt', 'agent\n');
    await project.agentWrites('m3', 'c.txt', 'agent\n');
    await project.agentWrites('m4', 'new.txt', 'agent\n');
    project.write('a.txt', LINES.replace('1', 'ONE').replace('9', 'NINE'));
    project.write('b.txt', 'mine\n');

    const dry = await project.json(['rewind', id, '--dry-run']);
    expectSchema('rewind', JSON.stringify(dry.value));
    expect(project.read('c.txt')).toBe('agent\n');
    const real = await project.json(['rewind', id]);
    expectSchema('rewind', JSON.stringify(real.value));
    const { operationId, safetyCheckpointId, ...receipt } = real.value;
    expect(operationId).toMatch(/^\w{16}$/);
    expect(safetyCheckpointId).toMatch(/^\w{16}$/);
    const none = { dryRun: true, operationId: null, safetyCheckpointId: null };
    expect(dry).toEqual({ code: real.code, value: { ...receipt, ...none } });
    expect(receipt).toEqual({
      version: 1,
      success: false,
      restoredFiles: ['c.txt'],
      deletedFiles: ['new.txt'],
      mergedFiles: ['a.txt'],
      conflicts: [
        {
          path: 'b.txt',
          reason: 'overlapping-edits',
          message: 'somebody else changed the same lines since',
        },
      ],
      skipped: [],
      notes: [],
      errors: [],
      notOnRecord: [],
      pathBytes: {},
    });
    // The person's own line survives in the file that was merged.
    expect(project.read('a.txt')).toBe(LINES.replace('9', 'NINE'));
  });

  it('names the paths of which nothing is on record', async () => {
    project = new CliProject({ 'a.txt': 'old\n', 'sub/b.txt': 'old\n', 'other.txt': 'mine\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    await project.agentWrites('m2', 'sub/b.txt', 'new\n');
    for (const name of ['typo.txt', '../outside', '/etc/passwd']) {
      const { code, out } = await project.run(['rewind', id, name]);
      expect({ code, out }).toEqual({ code: 4, out: `${name}: nothing on record\n` });
    }
    expect(await project.json(['rewind', id, 'typo.txt'])).toMatchObject({
      code: 4,
      value: { success: false, notOnRecord: ['typo.txt'] },
    });
    const untouched = await project.run(['rewind', id, 'other.txt']);
    expect(untouched).toMatchObject({ code: 5, out: 'other.txt: no change on record\n' });
    expect([project.read('a.txt'), project.read('sub/b.txt')]).toEqual(['new\n', 'new\n']);

    const some = await project.json(['rewind', id, 'sub', 'typo.txt', '--dry-run']);
    expect(some).toMatchObject({
      code: 0,
      value: { restoredFiles: ['sub/b.txt'], notOnRecord: ['typo.txt'] },
    });
    const mixed = await project.run(['rewind', id, 'sub', 'typo.txt']);
    expect(mixed).toMatchObject({ code: 0, out: expect.stringContaining('Done: 1 restored.') });
    expect(mixed.out).toContain('\ntypo.txt: nothing on record\n');
    expect([project.read('a.txt'), project.read('sub/b.txt')]).toEqual(['new\n', 'old\n']);
    const later = await project.run(['rewind', id, 'sub']);
    expect(later).toMatchObject({ code: 5, out: expect.stringMatching(/^Nothing to do: /) });
  });

  it('undoes an operation by the id that was printed, also when it is not the newest', async () => {
    project = new CliProject({ 'a.txt': 'old\n', 'b.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    await project.agentWrites('m2', 'b.txt', 'new\n');
    const first = await project.run(['rewind', id, 'a.txt']);
    await project.run(['rewind', id, 'b.txt']);
    const [, operation = ''] = /^Operation (\w+)$/m.exec(first.out) ?? [];
    expect((await project.run(['undo', operation])).code).toBe(0);
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['new\n', 'old\n']);
  });

  it.skipIf(!existsSync('/dev/full'))(
    'says on standard error what was done when the output is full',
    async () => {
      project = new CliProject({ 'a.txt': 'old\n' });
      await project.agentWrites('m1', 'a.txt', 'new\n');
      const { code, err } = await project.runFull(['rewind', 'latest', '--json']);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^savepoint: the output could not be written: ENOSPC[^\n]*; the rewind was carried out all the same: operation \w{16}\n$/,
      );
      expect(project.read('a.txt')).toBe('old\n');
      const [, operation = ''] = /operation (\w+)\n$/.exec(err) ?? [];
      expect((await project.run(['undo', operation])).code).toBe(0);
      const reading = await project.runFull(['list', '--json']);
      expect(reading).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^[^\n]*ENOSPC[^\n]*\n$/),
      });
    },
  );

  it('leaves a conflict alone and exits 3, until told what to do', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'agent\n');
    project.write('a.txt', 'mine\n');

    const left = await project.run(['rewind', id]);
    expect(left.code).toBe(3);
    expect(left.out).toContain(
      'conflict  a.txt  left as it is: somebody else changed the same lines',
    );
    expect(left.out).toContain('Nothing was changed: 1 left in conflict.');
    expect(left.err).toContain('--on-conflict restore');
    expect(project.read('a.txt')).toBe('mine\n');

    for (const dry of [[], ['--dry-run']]) {
      const failed = await project.json(['rewind', id, '--on-conflict', 'fail', ...dry]);
      expect(failed.code).toBe(3);
      expect(failed.value).toMatchObject({ error: { code: 'conflicts' } });
    }
    const kept = await project.json(['rewind', id, '--on-conflict', 'keep', '--dry-run']);
    expect(kept.code).toBe(0);
    expect(kept.value.skipped).toMatchObject([{ path: 'a.txt', reason: 'kept' }]);
    expect((await project.run(['rewind', id, '--on-conflict', 'restore'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('old\n');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('mine\n');
  });

  it('takes back one message, one path, or everything as it was', async () => {
    project = new CliProject({ 'a.txt': LINES, 'sub/b.txt': 'b\n' });
    const first = await project.agentWrites('m1', 'a.txt', LINES.replace('2', 'TWO'));
    await project.agentWrites('m2', 'a.txt', LINES.replace('2', 'TWO').replace('8', 'EIGHT'));
    await project.agentWrites('m3', 'sub/b.txt', 'agent\n');
    project.write('sub/b.txt', 'mine\n');

    expect((await project.run(['rewind', first, '--only-message'])).code).toBe(0);
    expect(project.read('a.txt')).toBe(LINES.replace('8', 'EIGHT'));
    expect((await project.run(['undo'])).code).toBe(0);

    const named = await project.run(['rewind', first, '../a.txt'], { cwd: project.path('sub') });
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining('Done: 1 restored.') });
    expect([project.read('a.txt'), project.read('sub/b.txt')]).toEqual([LINES, 'mine\n']);

    expect((await project.run(['rewind', first, '--exact'])).code).toBe(0);
    expect([project.read('a.txt'), project.read('sub/b.txt')]).toEqual([LINES, 'b\n']);
    expect((await project.run(['rewind', first, '--exact', '--only-message'])).code).toBe(2);
  });

  it('names with --quiet only what is left alone, and the whole plan where that is asked for', async () => {
    project = new CliProject({ 'a.txt': 'old\n', 'b.txt': 'old\n', 'package-lock.json': '{}' });
    const id = await project.agentWrites('m1', 'a.txt', 'agent\n');
    await project.agentWrites('m2', 'b.txt', 'agent\n');
    await project.agentWrites('m3', 'package-lock.json', '{"agent":1}');
    project.write('a.txt', 'mine\n');
    const dry = await project.run(['rewind', id, '--quiet', '--dry-run']);
    expect(dry).toMatchObject({ code: 3, err: '' });
    expect(dry.out).toMatch(
      /^Rewind to before .*\n(?:.*\n)*.*restore {3}b\.txt(?:.*\n)*Dry run, nothing was changed/,
    );
    const { code, out, err } = await project.run(['rewind', id, '--quiet']);
    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toMatch(
      /^ {2}conflict {2}a\.txt {2}left as it is: .* since\n {2}note: .*\(package-lock\.json\)\n$/,
    );
    expect(project.read('b.txt')).toBe('old\n');
  });

  it('explains itself', async () => {
    project = new CliProject();
    expect((await project.run(['rewind', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint rewind [ID [PATH...]] [options]

      Takes back everything that the session of a checkpoint did since that message was sent; for a run,
      the run and all runs that began after it had ended, since those are one line of time. What you or
      another agent did in between stays; where the same lines are concerned, the file is left alone and
      named as a conflict. What is there now is kept first, so \`savepoint undo\` takes it all back. Shows
      the plan and asks, at a terminal. With PATHs, only those files and folders. Without an ID, at a
      terminal, you choose from the timeline; with --session, it is the newest checkpoint of that session
      of which not everything is taken back. The id of an operation means what was there before it. With
      --quiet only what is left alone is named, and why. With --conversation the agent forgets as well:
      its conversation is copied up to that prompt, and the command that goes on in the copy is printed.
      The conversation itself stays as it is. The agent must have ended. Claude Code, Codex, Gemini CLI
      and opencode can do it. With --hunks you are asked hunk by hunk, and what you do not choose stays;
      --hunk takes hunks by their ids, which --hunks --dry-run lists. The id of a hunk is good as long as
      the file and what the agent did to it are the same. A file that was created or deleted, is binary or
      very large is one hunk.

      options:
        --dry-run            show what would be done, and do nothing
        --on-conflict WHAT   settle conflicts: keep what is there, restore all the same, or fail (default:
                             leave them)
        --force              go ahead although a tool call of the session is still running
        --yes                do not ask
        --only-message       take back this one message, and keep what came later
        --exact              the recorded files as they were, whoever changed them since
        --include-shared     also take back changes of which it is not certain who made them
        --conversation       fork the agent's conversation before the prompt, and say how to go on there
        --hunks              choose hunk by hunk what goes back; with --dry-run list the hunks
        --hunk ID            take back this hunk and nothing else; may be repeated
        --resolve PATH=WHAT  settle the conflict of one file, keep or restore, in place of --on-conflict;
                             may be repeated
        --session ID         in place of an ID: the last work of this session
        --project DIR        the project; by default the one around the current folder
        --json               print JSON for programs, and nothing else, on standard output
        --quiet              print results and problems, no remarks and no hints
        --no-color           no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help               show this help

      examples:
        savepoint rewind                      choose a checkpoint, looking at what each would take back
        savepoint rewind latest --dry-run     what taking back the last message would do
        savepoint rewind k3m9                 back to before that message
        savepoint rewind k3m9 src/app.ts      only one file
        savepoint rewind k3m9 --only-message  one message out of the middle
        savepoint rewind k3m9 --hunks         choose what goes back, hunk by hunk
        savepoint rewind k3m9 --conversation  files and conversation, back to before that prompt
      "
    `);
  });

  it('waits for a running tool call unless forced', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const request = { sessionId: 's', messageId: 'm', paths: ['a.txt'], toolCallId: 'call' };
    const { checkpointId } = await project.open((savepoint) => savepoint.captureBefore(request));
    project.write('a.txt', 'half\n');
    const busy = await project.run(['rewind', checkpointId]);
    expect(busy.code).toBe(1);
    expect(busy.err).toMatch(
      /^savepoint: a tool call .* still running \(a\.txt\)\nhint: .*--force if you interrupted it\n$/,
    );
    expect((await project.run(['rewind', checkpointId, '--force'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('old\n');
  });

  it('names what it leaves alone, and why', async () => {
    project = new CliProject({ 'big.bin': 'x'.repeat(2_000), '.vscode/tasks.json': '{}\n' });
    const outside = join(project.scratch, 'outside.txt');
    writeFileSync(outside, 'old\n');
    const request = { sessionId: 's', messageId: 'm', maxFileSize: 1_000 };
    const paths = ['big.bin', '.vscode/tasks.json', outside];
    const id = await project.open(async (savepoint) => {
      const capture = await savepoint.captureBefore({ ...request, paths });
      project.write('big.bin', 'small');
      project.write('.vscode/tasks.json', '{"a":1}\n');
      writeFileSync(outside, 'new\n');
      await savepoint.captureAfter(capture);
      return capture.checkpointId;
    });
    const { code, out } = await project.run(['rewind', id]);
    expect(code).toBe(5);
    expect(out).toContain('big.bin');
    expect(out).toContain('left as it is: it was too large to record');
    expect(out).toContain(
      'left as it is: it is configuration of an agent or editor; name it to include it',
    );
    expect(out).toContain('left as it is: it lies outside the project; name it to include it');

    const named = await project.run(['rewind', id, '.vscode/tasks.json', outside]);
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining('Done: 2 restored.') });
    expect(project.read('.vscode/tasks.json')).toBe('{}\n');
  });

  it('never writes damaged content, and exits 1', async () => {
    project = new CliProject({ 'large.txt': 'x'.repeat(400_000), 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'large.txt', 'small\n');
    await project.agentWrites('m2', 'a.txt', 'new\n');
    const [blobs] = globSync(join(project.home, 'projects/*/arrivals'));
    truncateSync(blobs ?? 'no blob was found', 1_000);

    const { code, value } = await project.json(['rewind', id]);
    expect(code).toBe(1);
    expectSchema('rewind', JSON.stringify(value));
    expect(value).toMatchObject({ success: false, restoredFiles: ['a.txt'] });
    expect((value.errors as Json[])[0]).toMatchObject({
      path: 'large.txt',
      reason: 'blob-corrupt',
    });
    expect([project.read('large.txt'), project.read('a.txt')]).toEqual(['small\n', 'old\n']);
  });
});
