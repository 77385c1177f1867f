import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { LARGEST_CONTEXT, readInstructions } from './instructions.ts';

it('reads what the project tells agents, also by a link within it', () =>
  withTemporaryFolder(async (project) => {
    expect(readInstructions(project)).toBeNull();
    await writeFile(join(project, 'AGENTS.md'), '\nAlways run the tests. 总是\n');
    await symlink('AGENTS.md', join(project, 'CLAUDE.md'));
    expect(readInstructions(project)).toBe('Always run the tests. 总是');
  }));

it.each<[string, (file: string, folder: string) => unknown]>([
  ['a folder', (file) => mkdir(file)],
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['no text', (file) => writeFile(file, Uint8Array.of(0xff, 0xfe, 0x41))],
  ['empty', (file) => writeFile(file, ' \n')],
  ['too large', (file) => writeFile(file, 'x'.repeat(LARGEST_CONTEXT + 1))],
  ['a link that leads out', (file, folder) => symlink(join(folder, 'secret.txt'), file)],
])('does without where it is %s', (_what, make) =>
  withTemporaryFolder(async (folder) => {
    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await make(join(project, 'CLAUDE.md'), folder);
    expect(readInstructions(project)).toBeNull();
  }),
);
