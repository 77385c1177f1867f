import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'old\n' });
});
afterEach(() => project.remove());

it('asks at a terminal, and rewinds after a yes', async () => {
  const id = await project.agentWrites('m1', 'a.txt', 'new\n');
  const terminal = new Terminal([MAIN, 'rewind', id], { cwd: project.root, env: project.env({}) });
  try {
    await terminal.until('Go ahead? [y/N]');
    terminal.type('y\r');
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen()).toContain('Done: 1 restored.');
    expect(project.read('a.txt')).toBe('old\n');
  } finally {
    await terminal.close();
  }
});

it('prints errors as the published schema says', async () => {
  const { out } = await project.run(['list', '--json']);
  expectSchema('error', out);
  expect(() => expectSchema('error', '{"version":1}')).toThrow();
});
