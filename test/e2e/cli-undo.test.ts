import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
let id: string;
beforeEach(async () => {
  project = new CliProject({ 'a.txt': 'old\n' });
  id = await project.agentWrites('m1', 'a.txt', 'new\n');
  await project.open((savepoint) => savepoint.rewind({ to: id }));
});
afterEach(() => project.remove());

describe('savepoint undo and redo', () => {
  it('ask nobody at a terminal, and say what they took back', async () => {
    for (const [verb, content] of [
      ['undo', 'new\n'],
      ['redo', 'old\n'],
    ] as const) {
      const { code, rows, raw } = await project.see([verb]);
      expect(code).toBe(0);
      expect(rows[0]).toBe(`${verb === 'undo' ? 'Undo' : 'Redo'}: rewind to message m1`);
      expect(rows[1]).toBe('  restore   a.txt  goes back to how it was');
      expect(rows[3]).toBe('Done: 1 restored.');
      expect(raw).toContain('\x1b[32mrestore ');
      expect(project.read('a.txt')).toBe(content);
    }
  });

  it('take --yes, as every command does that could ask', async () => {
    expect((await project.see(['undo', '--yes'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('new\n');
    expect((await project.run(['redo', '--yes'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('old\n');
  });

  it('give programs the receipt, as published', async () => {
    const dry = await project.run(['undo', '--dry-run', '--json']);
    expectSchema('undo', dry.out);
    expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, operationId: null });
    const undo = await project.run(['undo', '--json']);
    expectSchema('undo', undo.out);
    expect(JSON.parse(undo.out)).toMatchObject({ success: true, restoredFiles: ['a.txt'] });
    const redo = await project.run(['redo', '--json']);
    expectSchema('redo', redo.out);
    expect(JSON.parse(redo.out)).toMatchObject({ success: true, restoredFiles: ['a.txt'] });
    expect(() => expectSchema('redo', '{"version":1,"success":true}')).toThrow();
  });

  it('exit with the code of each outcome', async () => {
    expect((await project.run(['undo', 'nosuchoperation'])).code).toBe(4);
    expect((await project.run(['redo', 'extra'])).code).toBe(2);
    expect((await project.run(['redo'])).code).toBe(5);
    project.write('a.txt', 'mine\n');
    const conflict = await project.run(['undo', '--quiet']);
    expect(conflict).toEqual({
      code: 3,
      out: '  conflict  a.txt  left as it is: somebody else changed the same lines since\n',
      err: '',
    });
    expect(project.read('a.txt')).toBe('mine\n');
    const failed = await project.run(['undo', '--on-conflict', 'fail', '--json']);
    expect(failed.code).toBe(3);
    expectSchema('error', failed.out);
  });

  it('are silent with --quiet when all went well', async () => {
    expect(await project.run(['undo', '--quiet'])).toEqual({ code: 0, out: '', err: '' });
    expect(project.read('a.txt')).toBe('new\n');
  });

  it('explain themselves', async () => {
    expect((await project.run(['undo', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint undo [OPERATION | RUN] [options]

      Takes back whichever came last, the newest rewind that is in effect or what \`savepoint run\` changed;
      or the operation or run whose id is given: every rewind, undo and redo prints its own, and
      \`savepoint list\` shows those of runs. Work that was done since stays. Repeat it to go further back;
      \`savepoint redo\` takes an undo back. It stops at a run that changed nothing that is recorded, and
      says so: to reach past it, name what came before. At a terminal it asks before it deletes a file
      that no tool named but that was found after a command, because you may have made it meanwhile. A
      file that is gone and was never recorded is lost, and the command ends with 1. A run that was killed
      left no word of its end: what is found since it began may be its doing or yours. At a terminal you
      are shown all of it and asked; elsewhere --include-shared says yes. An undo never passes over such a
      run to an older one.

      options:
        --dry-run           show what would be done, and do nothing
        --on-conflict WHAT  settle conflicts: keep what is there, restore all the same, or fail (default:
                            leave them)
        --force             go ahead although a tool call of the session is still running
        --yes               do not ask
        --include-shared    also take back changes of which it is not certain who made them
        --project DIR       the project; by default the one around the current folder
        --json              print JSON for programs, and nothing else, on standard output
        --quiet             print results and problems, no remarks and no hints
        --no-color          no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help              show this help

      examples:
        savepoint undo            the newest rewind or run
        savepoint undo --dry-run  only show what it would do
      "
    `);
    expect((await project.run(['redo', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint redo [options]

      Takes back the newest undo, as long as no new rewind came after it.

      options:
        --dry-run           show what would be done, and do nothing
        --on-conflict WHAT  settle conflicts: keep what is there, restore all the same, or fail (default:
                            leave them)
        --force             go ahead although a tool call of the session is still running
        --yes               do not ask
        --project DIR       the project; by default the one around the current folder
        --json              print JSON for programs, and nothing else, on standard output
        --quiet             print results and problems, no remarks and no hints
        --no-color          no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help              show this help

      examples:
        savepoint redo  rewind again what was undone
      "
    `);
  });
});
