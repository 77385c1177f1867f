import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'old\n', '.gitignore': 'out/\n', 'out/built': 'x' });
});
afterEach(() => project.remove());

describe('savepoint status', () => {
  it('shows at a terminal what is covered', async () => {
    await project.run(['run', '--', 'true']);
    const { code, rows } = await project.see(['status'], { columns: 100 });
    expect(code).toBe(0);
    expect(rows[0]).toMatch(/^Project {6}\S+$/);
    expect(rows[1]).toMatch(/^Timeline {5}1 checkpoint, 0 changes, /);
    expect(rows).toContain('hint: see the timeline with: savepoint list');
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
