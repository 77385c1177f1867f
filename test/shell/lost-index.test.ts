import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Savepoint, storeDirectory } from '../../src/index.ts';
import { builtProgram } from '../setup/built.ts';
import { changedPaths, command, message } from './agent-work.ts';
import { ShellProject } from './shell-project.ts';

let project: ShellProject;
let savepoint: Savepoint;
let indexFile: string;
afterEach(() => project.remove());

const WORK =
  'printf x > src/main.txt; rm link; mkdir new; printf y > new/file; chmod 600 docs/guide.md';
const CHANGED = ['docs/guide.md', 'link', 'new', 'new/file', 'src/main.txt'];

/** Another process takes over: what the first had in memory is gone. */
async function takeOver(): Promise<void> {
  await savepoint.close();
  savepoint = await project.open();
}

const DAMAGES: readonly (readonly [string, () => void])[] = [
  ['deleted', () => rmSync(indexFile)],
  ['emptied', () => truncateSync(indexFile, 0)],
  ['cut in half', () => truncateSync(indexFile, readFileSync(indexFile).length >> 1)],
  ['overwritten with something else', () => writeFileSync(indexFile, 'not an index')],
  ['flipped in one bit', () => flipBit()],
];

function flipBit(): void {
  const bytes = readFileSync(indexFile);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(indexFile, bytes);
}

describe.each([
  { where: 'in a folder without git', git: false },
  { where: 'in a clean git worktree', git: true },
])('$where', ({ git }) => {
  beforeEach(async () => {
    project = new ShellProject({ git });
    // Stats from the last tick of the clock prove nothing, and an index with such stats is never left to wait.
    await setTimeout(50);
    savepoint = await project.open();
    indexFile = join(storeDirectory(project.stores, project.root), 'scan.index');
  });

  it.each(DAMAGES)(
    'a stat index that was %s loses no change of a command',
    async (_how, damage) => {
      const { id } = await message(savepoint);
      const before = project.picture();
      const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
      await takeOver();
      damage();
      project.sh(WORK);
      const report = await savepoint.closeWindow(window.id);
      expect(changedPaths(report)).toEqual(CHANGED);
      const after = project.picture();
      await savepoint.rewind({ to: id });
      // Without an index nothing shows that new files were not there before: they stay.
      expect(project.picture()).toEqual({
        ...before,
        new: 'folder 755',
        'new/file': 'file 644 y',
      });
      await savepoint.undo();
      expect(project.picture()).toEqual(after);
    },
  );

  it('a stat index that was lost while nothing happened makes no change', async () => {
    await message(savepoint);
    await takeOver();
    rmSync(indexFile);
    expect((await savepoint.scan()).changes).toEqual([]);
    expect(existsSync(indexFile)).toBe(true);
  });

  it('the scan after the one without an index goes on as ever', async () => {
    await message(savepoint);
    await takeOver();
    rmSync(indexFile);
    await savepoint.scan();
    const { id } = await message(savepoint, 'm2');
    const before = project.picture();
    await command(savepoint, () => project.sh(WORK), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
  });

  it('an older index that was put back loses no change', async () => {
    await message(savepoint);
    const old = readFileSync(indexFile);
    await command(savepoint, () => project.sh('printf 1 > 1.txt; rm docs/up'));
    const { id } = await message(savepoint, 'm2');
    const before = project.picture();
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm2' });
    await takeOver();
    writeFileSync(indexFile, old);
    // It came after that index and is gone before the next: only the record knows of it.
    project.sh(`${WORK}; rm 1.txt`);
    const report = await savepoint.closeWindow(window.id);
    expect(changedPaths(report)).toEqual(['1.txt', ...CHANGED]);
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
  });

  it('the index of a process that was killed loses no change', async () => {
    const edited = ['src/main.txt', 'docs/guide.md'];
    const first = await message(savepoint, 'm0');
    await takeOver();
    const original = project.picture();
    await workUntilKilled(edited);
    expect((await savepoint.scan()).changes).toEqual([]);
    const before = project.picture();
    const { id } = await message(savepoint, 'm2');
    const report = await command(savepoint, () => project.sh(WORK), { message: 'm2' });
    expect(changedPaths(report)).toEqual(CHANGED);
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
    await savepoint.rewind({ to: first.id });
    expect(project.picture()).toEqual(original);
  });
});

/** Another process has a command edit files, puts that on record, and is killed. */
async function workUntilKilled(edited: readonly string[]): Promise<void> {
  const program = builtProgram('test/shell/killed-child.ts');
  const args = [program, project.root, project.stores, ...edited];
  const child = spawn(process.execPath, args, {
    env: project.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
    expect(String(said)).toBe('done\n');
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
