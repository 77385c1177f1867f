import type { Checkpoint, Savepoint } from 'savepoint';
import { alternate, clock, type Samples, type Side } from '../measure.ts';
import { type Ground, requireSame } from './ground.ts';
import { largeBar, type Row, rounds } from './row.ts';
import type { ShadowGit } from './shadow-git.ts';

const CHANGED_FILES = 5;
// How the time grows with what changed is shown in a tree of one size.
const MANY_CHANGES = { files: 10_000, changed: [50, 500, 5_000] };

/** What an agent waits for at each message, while files change in between. */
export function nextRows(files: number): readonly Row[] {
  const row = (changed: number) => ({
    name: `next checkpoint, ${changed.toLocaleString('en')} files changed`,
    against: 'shadow git: `git add -A`, `git write-tree`',
    bar: largeBar(files, 2),
    run: (ground: Ground) => contest(ground, changed),
  });
  const many = files === MANY_CHANGES.files ? MANY_CHANGES.changed : [];
  return [CHANGED_FILES, ...many].map(row);
}

async function contest(ground: Ground, changed: number): Promise<Samples> {
  const savepoint = await ground.open(ground.newHome());
  try {
    const theirs = ofShadow(ground, await ground.shadow(), changed);
    return await alternate(ofOurs(ground, savepoint, changed), theirs, rounds());
  } finally {
    await savepoint.close();
  }
}

/**
 * A checkpoint after some files were edited. Both sides watch one tree: what the other one's turn
 * changed is on record before, so that each finds its own edits and nothing else.
 */
function ofOurs(ground: Ground, savepoint: Savepoint, changed: number): Side {
  let since: Checkpoint;
  let expected: string[];
  return {
    prepare: async (round) => {
      since = await checkpoint(savepoint, `before round ${round}`);
      expected = await ground.edit(changed, 2 * round);
    },
    time: (round) => clock(() => checkpoint(savepoint, `round ${round}`)),
    verify: async () => {
      const changes = await savepoint.changes({ after: since.seq });
      requireSame(
        'changes on record',
        changes.map(({ path }) => path),
        expected,
      );
    },
  };
}

function ofShadow(ground: Ground, shadow: ShadowGit, changed: number): Side {
  let before: string;
  let after: string;
  let expected: string[];
  return {
    prepare: async (round) => {
      before = (await shadow.checkpoint()).tree;
      expected = await ground.edit(changed, 2 * round + 1);
    },
    time: async () => {
      const made = await shadow.checkpoint();
      after = made.tree;
      return made.elapsed;
    },
    verify: () =>
      requireSame('changes in the tree', shadow.changedBetween(before, after), expected),
  };
}

function checkpoint(savepoint: Savepoint, messageId: string): Promise<Checkpoint> {
  return savepoint.checkpoint({ sessionId: 'session', messageId });
}
