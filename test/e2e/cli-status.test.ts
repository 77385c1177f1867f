import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'old\n', '.gitignore': 'out/\n', 'out/built': 'x' });
});
afterEach(() => project.remove());

describe('savepoint status', () => {
  it('shows at a terminal what is covered', async () => {
    await project.run(['run', '--', 'true']);
    const options = { cwd: project.root, env: project.env(), columns: 100 };
    const terminal = new Terminal([MAIN, 'status'], options);
    try {
      expect(await terminal.exit()).toBe(0);
      expect(terminal.screen()).toMatch(/^Project {6}\S+\nTimeline {5}1 checkpoint, 0 changes, /);
      expect(terminal.screen()).toContain('hint: see the timeline with: savepoint list');
    } finally {
      await terminal.close();
    }
  });

  it('gives programs the same before and after the first scan, as published', async () => {
    await project.agentWrites('m1', 'a.txt', 'new\n');
    const before = await project.run(['status', '--json']);
    expectSchema('status', before.out);
    expect(JSON.parse(before.out)).toMatchObject({ worktree: null, newest: { coverage: 'named' } });
    await project.run(['run', '--', 'true']);
    const after = await project.run(['status', '--json']);
    expectSchema('status', after.out);
    expect(JSON.parse(after.out)).toMatchObject({ worktree: { ignored: ['out'], pending: 0 } });
  });

  it('exits with the code of each outcome', async () => {
    const nothing = await project.run(['status', '--json']);
    expect(nothing.code).toBe(4);
    expectSchema('error', nothing.out);
    expect((await project.run(['status', 'extra'])).code).toBe(2);
  });

  it('explains itself', async () => {
    expect((await project.run(['status', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint status [options]

      Shows how much of the project is covered: what the scan of the worktree found, which files git holds
      already, which are in scope and not on record, and which the ignore rules leave out.

      options:
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint status
        savepoint status --json  for a program, with every path
      "
    `);
  });
});
