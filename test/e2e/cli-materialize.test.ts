import { globSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
let target: string;
beforeEach(async () => {
  project = new CliProject({ 'a.txt': 'old\n', 'src/b.txt': 'b\n' });
  writeFileSync(project.path('large.bin'), Buffer.alloc(11 * 1024 * 1024));
  await project.open(async (savepoint) => {
    await savepoint.scan();
    await savepoint.checkpoint();
  });
  target = join(project.scratch, 'made here');
});
afterEach(() => project.remove());

describe('savepoint materialize', () => {
  it('says at a terminal what it wrote, what it did not, and what to do next', async () => {
    const args = ['materialize', 'latest', target];
    const { code, rows } = await project.see(args, { columns: 200 });
    expect(code).toBe(0);
    expect(rows).toEqual([
      `Written to ${target}: 2 files, 1 folder, 0 links.`,
      '  not written  large.bin  it was too large to record',
      `hint: compare it with the project: diff -r '${target}' .`,
    ]);
    expect(readFileSync(join(target, 'src/b.txt'), 'utf8')).toBe('b\n');
  });

  it('gives programs the counts, as published', async () => {
    const { code, out } = await project.run(['materialize', 'latest', target, '--json']);
    expect(code).toBe(0);
    expectSchema('materialize', out);
    expect(JSON.parse(out)).toMatchObject({
      directory: target,
      files: 2,
      skipped: [{ path: 'large.bin', reason: 'too-large', message: 'it was too large to record' }],
    });
  });

  it('exits with the code of each outcome', async () => {
    expect((await project.run(['materialize', 'latest'])).code).toBe(2);
    expect((await project.run(['materialize', 'nosuchid', target])).code).toBe(4);
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), 'mine');
    const full = await project.run(['materialize', 'latest', target, '--json']);
    expect(full.code).toBe(2);
    expectSchema('error', full.out);
  });

  it('writes no damaged content, says so even with --quiet, and exits 1', async () => {
    const packs = globSync(join(project.home, 'projects/*/packs/*'));
    for (const pack of packs) truncateSync(pack, 10);
    expect(packs).not.toEqual([]);
    const { code, out, err } = await project.run(['materialize', 'latest', target, '--quiet']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^ {2}not written {2}a\.txt {2}its recorded content is /);
  });

  it('explains itself', async () => {
    expect((await project.run(['materialize', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint materialize ID DIR [options]

      Writes every file, folder and link as it was at the checkpoint into DIR, which must be empty or not
      there yet. The project itself is not touched. Ignored files are not on record and not written.

      options:
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint materialize latest /tmp/before  to compare or to copy from
        savepoint materialize ~3 ../old           three checkpoints before the latest
      "
    `);
  });
});
