import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n' });
});
afterEach(() => project.remove());

describe('savepoint save', () => {
  it('begins a timeline that covers the whole worktree, at a terminal', async () => {
    const { code, rows } = await project.see(['save', '-m', 'before lunch']);
    expect(code).toBe(0);
    const screen = rows.join('\n');
    expect(screen).toMatch(/^Saved \w{8} "before lunch", which covers the whole worktree\.\n/);
    expect(screen).toContain('This is the first checkpoint of');
    expect(screen).toMatch(/\nhint: go back to it with: savepoint rewind \w{8}$/);
    // What no tool named and no command was seen to write is on record all the same.
    project.write('a.txt', 'two\n');
    const exact = await project.run(['rewind', 'before lunch', '--exact']);
    expect(exact.code).toBe(0);
    expect(project.read('a.txt')).toBe('one\n');
  });

  it('covers what tools named where nothing was scanned, unless told to scan', async () => {
    await project.agentWrites('m1', 'a.txt', 'two\n');
    const named = await project.run(['save', '--label=two', '--json']);
    expect(named).toMatchObject({ code: 0, err: '' });
    expectSchema('save', named.out);
    expect(JSON.parse(named.out)).toMatchObject({
      checkpoint: { label: 'two', description: 'two', kind: 'manual', sessionId: null },
      coverage: 'named',
      began: false,
    });
    const said = await project.run(['save']);
    expect(said.out).toMatch(/^Saved \w{8}, which covers files that tools named\.\n$/);
    expect(said.err).toContain(
      'hint: to cover everything, scan the worktree: savepoint save --scan',
    );
    const scanned = await project.run(['save', '--scan', '--quiet']);
    expect(scanned).toMatchObject({ code: 0, err: '' });
    expect(scanned.out).toMatch(/^Saved \w{8}, which covers the whole worktree\.\n$/);
    expect((await project.run(['save', '--json'])).out).toContain('"coverage": "scanned"');
  });

  it('refuses a label that would mean something else, and makes nothing', async () => {
    const refused = await project.run(['save', '-m', 'latest']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/^savepoint: a label must not be "latest".*\nhint: choose another/);
    expect((await project.run(['save', '-m', ' '])).code).toBe(2);
    expect((await project.run(['save', '-m', 'two\nlines'])).code).toBe(2);
    expect((await project.run(['save', '-m'])).err).toBe('savepoint: -m needs a value\n');
    const { value } = await project.json(['list']);
    expect(value.checkpoints).toEqual([]);
  });

  it('explains itself', async () => {
    expect((await project.run(['save', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint save [options]

      Makes a checkpoint of how the project is now. A rewind to it takes back what every agent did since.
      Where the worktree is scanned, what changed is put on record first, and the checkpoint covers all of
      it; otherwise it covers the files that tools named. Begins a timeline, with a first scan, where
      there is none.

      options:
        -m, --label LABEL  what to call it; names it in every command, like its id
        --scan             scan the worktree, also where that was never done
        --project DIR      the project; by default the one around the current folder
        --json             print JSON for programs, and nothing else, on standard output
        --quiet            print results and problems, no remarks and no hints
        --no-color         no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help             show this help

      examples:
        savepoint save -m 'before the migration'
        savepoint rewind 'before the migration'   and back to it
      "
    `);
  });
});

describe('savepoint label', () => {
  it('names a checkpoint, names it anew, and takes the name away', async () => {
    const id = await project.agentWrites('m1', 'a.txt', 'two\n');
    const { code, rows } = await project.see(['label', 'latest', "it's done"]);
    expect(code).toBe(0);
    expect(rows).toContain(`Done: ${id.slice(0, 8)} "message m1" has the label "it's done".`);
    expect(rows).toContain("hint: go back to it with: savepoint rewind 'it'\\''s done'");
    expect((await project.run(['list'])).out).toContain("  [it's done] message m1\n");
    const again = await project.run(['label', "it's done", 'done', '--json']);
    expectSchema('label', again.out);
    expect(JSON.parse(again.out)).toEqual({
      version: 1,
      id,
      label: 'done',
      previous: "it's done",
      changed: true,
    });
    expect((await project.run(['label', 'done', ''])).out).toContain('has no label now');
    await project.run(['label', id, 'done']);
    expect((await project.run(['label', 'done', '-'])).out).toContain('has no label now');
    const idle = await project.run(['label', id, '--remove']);
    expect(idle.code).toBe(5);
    expect(idle.out).toMatch(/^Nothing to do: /);
  });

  it('says what it cannot do', async () => {
    const id = await project.agentWrites('m1', 'a.txt', 'two\n');
    expect((await project.run(['label', 'zzzz', 'x'])).code).toBe(4);
    expect((await project.run(['label', id])).code).toBe(2);
    const short = await project.run(['label', id, id.slice(0, 5), '--json']);
    expect(short.code).toBe(2);
    expectSchema('error', short.out);
    await project.run(['label', id, 'mine']);
    const taken = await project.run(['save', '-m', 'mine']);
    expect(taken).toMatchObject({ code: 2, out: '' });
    expect(taken.err).toContain(`another checkpoint has the label "mine": ${id}\nhint: `);
  });

  it('explains itself', async () => {
    expect((await project.run(['label', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint label ID [TEXT] [options]

      A label shows in the list and names the checkpoint in every command, like its id. It replaces the
      one that was there; the TEXT - takes it away, as an empty one and --remove do. A text that another
      checkpoint has, or that could be taken for an id, for \`latest\` or for \`~N\`, is refused; so is one of
      more than 200 characters.

      options:
        --remove       take the label away
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint label k3m9 'before the migration'
        savepoint rewind 'before the migration'      and back to it
        savepoint label k3m9 -                       take it away
      "
    `);
  });
});
