import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { addInstruction, LARGEST_CONTEXT, readInstructions } from './instructions.ts';

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

it('adds a line, makes the file where there is none, and follows no link out of the project', () =>
  withTemporaryFolder(async (folder) => {
    const project = join(folder, 'project');
    await mkdir(project);
    const file = join(project, 'CLAUDE.md');
    addInstruction(project, ' use\n pnpm\u001b ');
    expect(await readFile(file, 'utf8')).toBe('- use pnpm\n');
    await writeFile(file, '# Rules');
    addInstruction(project, 'be brief');
    expect(await readFile(file, 'utf8')).toBe('# Rules\n- be brief\n');
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(folder, 'secret.txt'), 'secret\n');
    await symlink(join(folder, 'secret.txt'), join(other, 'CLAUDE.md'));
    expect(() => addInstruction(other, 'x')).toThrow('leads out of the project');
    expect(await readFile(join(folder, 'secret.txt'), 'utf8')).toBe('secret\n');
  }));
