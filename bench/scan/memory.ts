import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ground } from './ground.ts';

const CHILD = fileURLToPath(new URL('./memory-child.mjs', import.meta.url));
const CHANGED_FILES = 5;

/** The most memory of a process that does nothing but open a store and make checkpoints. */
export async function memoryRemark(ground: Ground): Promise<string> {
  const { scratch, project } = ground;
  // What was measured before has changed files; git is to hold them all again.
  scratch.git(project, 'add', '--all');
  scratch.git(project, 'commit', '--quiet', '--allow-empty', '--message', 'again');
  const withGit = await peakOf(ground);
  renameSync(join(project, '.git'), join(scratch.folder, 'aside'));
  const withoutGit = await peakOf(ground);
  renameSync(join(scratch.folder, 'aside'), join(project, '.git'));
  return [
    `Memory in a tree of ${ground.files.toLocaleString('en')} files: a process that opened a store and`,
    `made the first checkpoint and thirty more held at most ${withGit} MB, and ${withoutGit} MB without git.`,
  ].join('\n');
}

/** From the small process: what a child was forked from counts as memory that it held. */
async function peakOf(ground: Ground): Promise<string> {
  const args = [CHILD, ground.project, ground.newHome(), ...ground.pick(CHANGED_FILES, 1)];
  const { output } = await ground.scratch.spawn(process.execPath, ground.scratch.folder, args);
  return (Number(output) / 1e6).toFixed(0);
}
