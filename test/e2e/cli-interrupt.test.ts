import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN, runNode } from './cli-project.ts';

let project: CliProject;
afterEach(() => project.remove());

/** Sends itself a signal at the first file that a restore puts in place, or at each. */
const SIGNAL_AT_RENAME = (how: 'once' | 'always') => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const rename = fs.renameSync;
  let sent = 0;
  fs.renameSync = (...args) => {
    if (${how === 'once' ? 'sent === 0' : 'true'}) process.kill(process.pid, 'SIGINT');
    sent += 1;
    return rename(...args);
  };
  syncBuiltinESMExports();`;

describe('Ctrl-C in the middle of a restore', () => {
  const rewindInterrupted = async (how: 'once' | 'always') => {
    project = new CliProject({ 'a.txt': 'old\n', 'b.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    await project.agentWrites('m2', 'b.txt', 'new\n');
    const preload = join(project.scratch, 'signal.mjs');
    writeFileSync(preload, SIGNAL_AT_RENAME(how));
    const args = ['--import', preload, MAIN, 'rewind', id];
    return runNode(args, { cwd: project.root, env: project.env() });
  };

  it('lets it finish, says what was done, and exits 130', async () => {
    const { code, out } = await rewindInterrupted('once');
    expect(code).toBe(130);
    expect(out).toContain('Done: 2 restored.');
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['old\n', 'old\n']);
    expect((await project.run(['undo'])).code).toBe(0);
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['new\n', 'new\n']);
  });

  it('leaves nothing half done when pressed again and again', async () => {
    const { code } = await rewindInterrupted('always');
    expect(code).toBe(130);
    expect((await project.run(['list'])).code).toBe(0);
    const files = [project.read('a.txt'), project.read('b.txt')];
    expect([
      ['old\n', 'old\n'],
      ['new\n', 'new\n'],
    ]).toContainEqual(files);
  });
});
