import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { Terminal } from './terminal.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `f${n}.txt`);
const SLOW = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const rename = fs.renameSync;
  fs.renameSync = (...args) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    return rename(...args);
  };
  syncBuiltinESMExports();`;

let project: CliProject;
let terminal: Terminal;
beforeEach(async () => {
  project = new CliProject(Object.fromEntries(NAMES.map((name) => [name, 'old\n'])));
  const work = () => {
    for (const name of NAMES) project.write(name, 'new\n');
  };
  await project.agent({ message: 'm1', paths: NAMES, work });
  writeFileSync(join(project.scratch, 'slow.mjs'), SLOW);
});
afterEach(async () => {
  await terminal.close();
  project.remove();
});

function slowRewind(...options: string[]): Terminal {
  const preload = join(project.scratch, 'slow.mjs');
  const args = ['--import', preload, MAIN, 'rewind', 'latest', '--yes', ...options];
  terminal = new Terminal(args, { cwd: project.root, env: project.env(), rows: 40 });
  return terminal;
}

it('shows how far a long restore has come, and leaves no trace of that', async () => {
  slowRewind();
  await terminal.until((screen) => /Restoring \[#+-*\] \d+ of 20/.test(screen));
  expect(await terminal.exit()).toBe(0);
  expect(terminal.screen()).not.toContain('Restoring');
  expect(terminal.screen()).toContain('\n\nDone: 20 restored.\n');
});

it('shows nothing of it to whom asked for quiet', async () => {
  slowRewind('--quiet');
  expect(await terminal.exit()).toBe(0);
  expect(terminal.raw).toBe('');
});
