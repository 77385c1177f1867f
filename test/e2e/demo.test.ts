import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, type Json, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

describe('savepoint demo', () => {
  let place: CliProject;
  let temporary: string;

  beforeEach(() => {
    place = new CliProject();
    temporary = join(place.scratch, 'tmp');
    mkdirSync(temporary);
  });
  afterEach(() => place.remove());

  it('plays through by itself without a terminal, and leaves nothing behind', async () => {
    const { code, out, err } = await place.run(['demo'], { env: { TMPDIR: temporary } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const story = [
      'Clean up the code a little.',
      'ReferenceError: total is not defined',
      '-let total = 0;',
      'prices.json was deleted',
      '3 files  Clean up the code a little.',
      'restore   prices.json  was deleted: comes back',
      'Done, and checked: 4 files are as they were, byte for byte.',
      'total     8.50',
      '$ savepoint undo',
      'ReferenceError: total is not defined',
      '$ savepoint redo',
      'total     8.50',
      'savepoint rewind ID --dry-run',
    ];
    let from = 0;
    for (const part of story) {
      const at = out.indexOf(part, from);
      expect(at, `"${part}" comes next`).toBeGreaterThanOrEqual(from);
      from = at + part.length;
    }
    expect(readdirSync(temporary)).toEqual([]);
    // Its store is a temporary one: the visitor's own is not even made.
    expect(existsSync(place.home)).toBe(false);
  });

  it('sums itself up for programs, and keeps its folders when asked', async () => {
    const { code, out, err } = await place.run(['demo', '--json', '--keep'], {
      env: { TMPDIR: temporary },
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('demo', out);
    const value = JSON.parse(out) as Json;
    expect(value).toMatchObject({
      version: 1,
      verified: true,
      rewind: {
        restoredFiles: ['README.md', 'prices.json', 'till.mjs'],
        deletedFiles: [],
        success: true,
      },
      undo: { restoredFiles: ['README.md', 'till.mjs'], deletedFiles: ['prices.json'] },
      redo: { restoredFiles: ['README.md', 'prices.json', 'till.mjs'] },
    });
    const { project, home } = value.kept as { project: string; home: string };
    expect(readFileSync(join(project, 'prices.json'), 'utf8')).toContain('"tea": 2.2');
    const list = await place.run(['list'], { cwd: project, env: { SAVEPOINT_HOME: home } });
    expect(list.out).toContain('Add tea to the price list.');
  });

  it('takes no argument, and explains itself', async () => {
    expect((await place.run(['demo', 'extra'])).code).toBe(2);
    expect((await place.run(['demo', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint demo [options]

      Makes a small project in a temporary folder, lets a scripted agent work on it and wreck it, and
      takes that back. At a terminal you choose; otherwise it plays by itself. Cleans up after itself.

      options:
        --keep         leave the temporary folders and say where they are
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint demo         the play
        savepoint demo --keep  and then try the commands on its project yourself
      "
    `);
  });

  describe('at a terminal', () => {
    const visit = (...answers: string[]) =>
      place.see(['demo'], { env: { NO_COLOR: '1' }, answers: ['', ...answers] });

    it('lets the visitor choose, undo and redo', async () => {
      const { code, raw } = await visit('7', '3', '', '');
      expect(code).toBe(0);
      expect(raw).toContain('delete    receipt.mjs  created since then: will be deleted');
      expect(raw.match(/q to leave: /g)).toHaveLength(2);
      expect(raw.match(/Total: 6\.30/g)).toHaveLength(2);
      expect(raw.match(/Done, and checked/g)).toHaveLength(3);
    });

    it('asks again when the answer is neither yes nor no', async () => {
      const { code, raw } = await visit('', 'foo', 'NO');
      expect(code).toBe(0);
      expect(raw.match(/Undo it\? \[Y\/n\] /g)).toHaveLength(2);
      expect(raw.match(/Done, and checked/g)).toHaveLength(1);
    });

    it('takes no for an answer', async () => {
      const { code, raw } = await visit('', 'n');
      expect(code).toBe(0);
      expect(raw.match(/Done, and checked/g)).toHaveLength(1);
      expect(raw).toContain('On your own projects');
    });

    it('cleans up when the visitor presses Ctrl-C', async () => {
      const env = place.env({ TMPDIR: temporary });
      const terminal = new Terminal([MAIN, 'demo'], { cwd: place.root, env });
      try {
        await terminal.until('Press Enter');
        terminal.type('\x03');
        expect(await terminal.exit()).toBe(130);
        expect(terminal.screen()).toContain('savepoint: interrupted');
      } finally {
        await terminal.close();
      }
      expect(readdirSync(temporary)).toEqual([]);
    });
  });
});
