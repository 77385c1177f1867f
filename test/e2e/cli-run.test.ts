import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'old\n' });
});
afterEach(() => project.remove());

describe('savepoint run', () => {
  it('gives the program the terminal, and says beside it what changed', async () => {
    const script = 'test -t 0 && test -t 1 && read answer && echo "$answer" > a.txt';
    const args = [MAIN, 'run', '--', 'sh', '-c', `echo ready; ${script}`];
    const terminal = new Terminal(args, { cwd: project.root, env: project.env() });
    try {
      await terminal.until('ready');
      terminal.type('typed\r');
      expect(await terminal.exit()).toBe(0);
      expect(terminal.screen()).toContain('savepoint: 1 path changed: 1 modified');
      expect(terminal.screen()).toContain('hint: look at it with: savepoint diff latest;');
      expect(project.read('a.txt')).toBe('typed\n');
    } finally {
      await terminal.close();
    }
  });

  it('gives programs what changed, as published, and its own output beside it', async () => {
    const script = 'echo said; echo new > a.txt; echo b > b.txt; exit 3';
    const { code, out, err } = await project.run(['run', '--json', '--', 'sh', '-c', script]);
    expect({ code, err }).toEqual({ code: 3, err: 'said\n' });
    expectSchema('run', out);
    expect(JSON.parse(out)).toMatchObject({
      exitCode: 3,
      signal: null,
      coverage: 'scanned',
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'b.txt', change: 'created' },
      ],
    });
  });

  it('says nothing of its own with --quiet', async () => {
    const script = 'echo said; echo new > a.txt';
    const { code, out, err } = await project.run(['run', '--quiet', '--', 'sh', '-c', script]);
    expect({ code, out, err }).toEqual({ code: 0, out: 'said\n', err: '' });
  });

  it('explains itself', async () => {
    expect((await project.run(['run', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint run -- COMMAND... [options]

      Makes a checkpoint, runs the program, and puts on record what it changed in the project, also when
      it fails or is interrupted. Its exit code is passed on. \`savepoint undo\` takes the changes back.
      With --json the program writes to standard error, so that standard output is JSON alone.

      options:
        --message TEXT  what to call it in the list
        --project DIR   the project; by default the one around the current folder
        --json          print JSON for programs, and nothing else, on standard output
        --quiet         print results and problems, no remarks and no hints
        --no-color      no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help          show this help

      examples:
        savepoint run -- npm run format                                 a formatter that may go wrong
        savepoint run --message 'rename' -- sh -c 'sed -i s/a/b/ *.js'  several programs
      "
    `);
  });
});
