import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
beforeEach(async () => {
  project = new CliProject({ 'a.txt': 'old\n', 'b.txt': 'other\n' });
  await project.agentWrites('m1', 'a.txt', 'new\n');
  await project.agentWrites('m2', 'b.txt', 'more\n');
});
afterEach(() => project.remove());

function database(): string {
  const [key = ''] = readdirSync(join(project.home, 'projects'));
  return join(project.home, 'projects', key, 'store.db');
}

function execute(sql: string): void {
  const opened = new DatabaseSync(database());
  opened.exec(sql);
  opened.close();
}

/** Its pages hold no row: everything can be copied without it. */
function breakIndexOfCheckpoints(): void {
  const opened = new DatabaseSync(database());
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_checkpoints_1'";
  const page = Number(opened.prepare(sql).get()?.rootpage);
  opened.close();
  const bytes = readFileSync(database());
  writeFileSync(database(), bytes.fill(0x55, (page - 1) * 4096, page * 4096));
}

it('finds no damage in a store that is whole', async () => {
  const { code, out } = await project.run(['fsck']);
  expect(code).toBe(0);
  expect(out).toMatch(/^No damage: \d+ rows and \d+ contents were checked\.\n$/);
  expect((await project.run(['fsck', '--repair'])).code).toBe(5);
});

it('names what is damaged and what that means, and repairs it when asked', async () => {
  execute("UPDATE blobs SET data = x'00' WHERE id = (SELECT min(before_blob) FROM changes)");
  const { code, out, err } = await project.run(['fsck']);
  expect(code).toBe(1);
  expect(out).toMatch(/^ {2}blob {2}the content [0-9a-f]{64} is damaged$/m);
  expect(out).toContain('cannot be restored: a.txt, at 1 checkpoint');
  expect(err).toContain('savepoint fsck --repair');
  const repair = await project.run(['fsck', '--repair']);
  expect(repair).toMatchObject({ code: 1, err: expect.stringContaining('savepoint list') });
  expect(repair.out).toMatch(/This is lost:\n {2}blob {2}.*\n.*a\.txt, at 1 checkpoint\n/);
  expect(repair.out).toContain('On record are still 2 checkpoints and 2 changes.');
  expect(repair.out).toContain('not everything could be repaired');
  const rewind = await project.run(['rewind', '~1']);
  expect(rewind.code).toBe(1);
  expect(rewind.out).toMatch(/a\.txt .*its recorded content was damaged/);
  expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['new\n', 'other\n']);
  expect((await project.run(['fsck'])).code).toBe(0);
});

it('calls damaged what a diff cannot show for that reason', async () => {
  execute("UPDATE blobs SET data = x'00' WHERE id = (SELECT min(before_blob) FROM changes)");
  const { code, out, err } = await project.run(['diff', '~1']);
  expect(code).toBe(0);
  expect(out).toContain('\nContents differ, but their record is damaged (4 bytes -> 4 bytes)\n');
  expect(out).toContain('\n-other\n+more\n');
  expect(err).toContain('hint: see what is damaged with: savepoint fsck\n');
  expect((await project.run(['diff', '~1', '--stat'])).out).toMatch(/^ a\.txt \| damaged$/m);
  const json = await project.run(['diff', '~1', '--json']);
  expectSchema('diff', json.out);
  expect(JSON.parse(json.out).files).toMatchObject([
    { path: 'a.txt', binary: false, damaged: true, hunks: [] },
    { path: 'b.txt', binary: false, damaged: false },
  ]);
});

it('prints JSON as the published schema says', async () => {
  execute("UPDATE checkpoints SET description = 'something else' WHERE message_id = 'm1'");
  const check = await project.run(['fsck', '--json']);
  expect(check.code).toBe(1);
  expectSchema('fsck', check.out);
  expect(JSON.parse(check.out)).toMatchObject({ repaired: false, problems: [{ kind: 'row' }] });
  const repair = await project.run(['fsck', '--json', '--repair']);
  expect(repair.code).toBe(1);
  expectSchema('fsck', repair.out);
  expect(JSON.parse(repair.out)).toMatchObject({
    setAside: { rows: 1, files: 1 },
    lost: [{ kind: 'row' }],
    kept: { checkpoints: 1, changes: 2 },
  });
});

it('works where no other command does', async () => {
  breakIndexOfCheckpoints();
  const list = await project.run(['list']);
  expect(list).toMatchObject({ code: 1, err: expect.stringContaining('savepoint fsck') });
  const check = await project.run(['fsck']);
  expect(check).toMatchObject({ code: 1, out: expect.stringContaining('database') });
  const repair = await project.run(['fsck', '--repair']);
  expect(repair).toMatchObject({ code: 0, out: expect.stringContaining('Repaired: the record') });
  expect((await project.run(['list'])).out).toContain('m2');
});

it('says so when nothing could be saved, and where the old database is', async () => {
  writeFileSync(database(), readFileSync(database()).subarray(0, 50));
  const repair = await project.run(['fsck', '--repair']);
  expect(repair.code).toBe(1);
  const words = repair.out.replaceAll(/\s+/g, ' ');
  expect(words).toContain('No checkpoint and no change could be read: the timeline begins anew.');
  expect(words).toMatch(/The old database is kept in \S+damaged\/1/);
  expect(words).not.toContain('Repaired');
  expect((await project.run(['fsck'])).code).toBe(0);
});

it('finds nothing to check where nothing was recorded, and works at a terminal', async () => {
  const nothing = new CliProject();
  expect((await nothing.run(['fsck'])).code).toBe(4);
  nothing.remove();
  const { code, rows } = await project.see(['fsck']);
  expect(code).toBe(0);
  expect(rows[0]).toMatch(/^No damage: /);
});

it('explains itself', async () => {
  expect((await project.run(['fsck', '--help'])).out).toMatchInlineSnapshot(`
    "usage: savepoint fsck [options]

    Compares every row of the store with what was written, every recorded content with its hash, and
    names what is damaged and what that means: which paths cannot be restored, and at which checkpoints.
    Changes nothing. With --repair, everything that can still be read and verified goes into a new
    database; what is lost is unknown from then on, and the store works again. The old database and
    damaged files are kept in the folder "damaged" of the store. End other programs that use it first.
    It exits with 0 only when the record is whole again, and with 1 when something is lost for good.
    Your files are never touched.

    options:
      --repair       make a new database of what is not damaged
      --project DIR  the project; by default the one around the current folder
      --json         print JSON for programs, and nothing else, on standard output
      --quiet        print results and problems, no remarks and no hints
      --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
      --help         show this help

    examples:
      savepoint fsck           after a disk failed, or to be sure
      savepoint fsck --repair  go on with what is not damaged
    "
  `);
});
