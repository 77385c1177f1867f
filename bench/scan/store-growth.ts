import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint, Savepoint } from 'savepoint';
import { atMost } from '../benchmark.ts';
import type { Samples } from '../measure.ts';
import { editFile, type Ground } from './ground.ts';
import type { Row } from './row.ts';
import { ShadowGit } from './shadow-git.ts';
import { middlingFiles } from './tree.ts';

const CHECKPOINTS = 50;
const FILES_PER_CHECKPOINT = 5;
// What an agent works on for an hour: it comes back to each file some times.
const FILES_WORKED_ON = 50;
const REF = 'refs/checkpoints/main';
const BLOCK_BYTES = 512;
const NO_HURRY_MS = 10 * 60 * 1000;

export const GROWTH: Row = {
  name: `growth of the store from the first to the ${CHECKPOINTS + 1}st checkpoint, ${FILES_PER_CHECKPOINT} files changed in each`,
  against: 'shadow git after `git gc --prune=now`',
  bar: atMost(1),
  unit: 'bytes',
  run: growth,
};

/** How much more both keep after fifty further checkpoints of one tree, each tidied as it does. */
async function growth(ground: Ground): Promise<Samples> {
  const home = ground.newHome();
  const shadow = new ShadowGit(ground.scratch, 'growth', ground.project);
  const begin = await firstOfBoth(ground, home, shadow);
  const savepoint = await ground.open(home);
  try {
    for (let nth = 1; nth <= CHECKPOINTS; nth += 1) {
      for (const path of filesAt(ground, nth)) editFile(join(ground.project, path), nth);
      await checkpoint(savepoint, nth);
      await commit(shadow, nth);
    }
    await tidy(savepoint, shadow);
    await requireAll(savepoint, begin.checkpoint, shadow);
  } finally {
    await savepoint.close();
  }
  await ground.scratch.settle();
  const end = sizes(home, shadow);
  return { ours: [end.ours - begin.ours], theirs: [end.theirs - begin.theirs] };
}

async function firstOfBoth(ground: Ground, home: string, shadow: ShadowGit) {
  const savepoint = await ground.open(home);
  let made: Checkpoint;
  try {
    made = await checkpoint(savepoint, 0);
    await commit(shadow, 0);
    await tidy(savepoint, shadow);
  } finally {
    await savepoint.close();
  }
  await ground.scratch.settle();
  return { checkpoint: made, ...sizes(home, shadow) };
}

function filesAt(ground: Ground, nth: number): string[] {
  const all = middlingFiles(ground.files, FILES_WORKED_ON);
  const from = ((nth - 1) * FILES_PER_CHECKPOINT) % all.length;
  return all.slice(from, from + FILES_PER_CHECKPOINT);
}

function checkpoint(savepoint: Savepoint, nth: number): Promise<Checkpoint> {
  return savepoint.checkpoint({ sessionId: 'session', messageId: `message ${nth}` });
}

/** A commit for each, as nothing may be unreachable when git tidies up. */
async function commit(shadow: ShadowGit, nth: number): Promise<void> {
  const { tree } = await shadow.checkpoint();
  const parents = nth === 0 ? [] : ['-p', REF];
  const made = shadow.run('commit-tree', tree, ...parents, '-m', `message ${nth}`);
  shadow.run('update-ref', REF, made);
}

async function tidy(savepoint: Savepoint, shadow: ShadowGit): Promise<void> {
  // As many as are made here: evicting some would make the store smaller than what is compared.
  await savepoint.cleanup({ maxCheckpointsPerSession: CHECKPOINTS + 1 }, NO_HURRY_MS);
  shadow.run('gc', '--quiet', '--prune=now');
}

/** Every version that was ever there can be read, on both sides. */
async function requireAll(savepoint: Savepoint, first: Checkpoint, shadow: ShadowGit) {
  const made = await savepoint.list();
  if (made.length !== CHECKPOINTS + 1) throw new Error(`there are ${made.length} checkpoints`);
  const changes = await savepoint.changes({ after: first.seq });
  const expected = CHECKPOINTS * FILES_PER_CHECKPOINT;
  if (changes.length !== expected) throw new Error(`${changes.length} changes are on record`);
  for (const { before, after } of changes) {
    for (const state of [before, after]) {
      if (state?.kind !== 'captured' || state.blob === null) throw new Error('a file is unknown');
      await savepoint.readBlob(state.blob);
    }
  }
  const commits = shadow.run('rev-list', '--count', REF);
  if (commits !== String(CHECKPOINTS + 1)) throw new Error(`there are ${commits} commits`);
}

/** What the disk gives up for them. */
function sizes(home: string, shadow: ShadowGit) {
  return { ours: bytesBelow(home), theirs: bytesBelow(shadow.folder) };
}

function bytesBelow(folder: string): number {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const blocks = found
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).blocks);
  return blocks.reduce((sum, count) => sum + count, 0) * BLOCK_BYTES;
}
