import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from 'savepoint';
import { clock, play, type Side, takeTurns } from '../measure.ts';
import type { Ground } from './ground.ts';
import { restoreOfOurs } from './restore-files.ts';
import { fewRounds, largeBar, measuredOnce, type Row } from './row.ts';
import { ShadowGit } from './shadow-git.ts';

const AGAINST = "shadow git's first: `git add -A`, `git write-tree`";

/**
 * What a person waits for once in a project. Each round begins with nothing. Shadow git does the same for
 * both rows, and takes the longest by far, so that it has its turn once in a round.
 */
export function firstRows(files: number): readonly Row[] {
  const measured = measuredOnce((ground) => {
    const [withGit, withoutGit] = [firstWithGit(ground), firstWithoutGit(ground)];
    return takeTurns({ withGit, withoutGit, shadow: firstOfShadow(ground) }, fewRounds());
  });
  return [
    {
      name: 'first checkpoint in a clean git worktree',
      against: AGAINST,
      bar: largeBar(files, 20),
      run: async (ground) => {
        const { withGit: ours, shadow: theirs } = await measured(ground);
        return { ours, theirs };
      },
    },
    {
      name: 'first checkpoint without git',
      against: AGAINST,
      bar: largeBar(files, 3),
      run: async (ground) => {
        const { withoutGit: ours, shadow: theirs } = await measured(ground);
        return { ours, theirs };
      },
    },
  ];
}

/** A new store, in a worktree whose files git holds already. */
function firstWithGit(ground: Ground): Side {
  const side = first(ground, async (savepoint) => {
    const worktree = await coverage(savepoint);
    if (worktree.fromGit !== ground.files) {
      throw new Error(`${worktree.fromGit} of ${ground.files} files were taken from git`);
    }
  });
  return {
    ...side,
    prepare: async (round) => {
      // Files that were restored meanwhile are what they were, which git's index has to be told.
      ground.scratch.git(ground.project, 'update-index', '-q', '--refresh');
      await side.prepare?.(round);
    },
  };
}

/** The same tree where there is no repository, so that everything is copied. */
function firstWithoutGit(ground: Ground): Side {
  const [place, aside] = [join(ground.project, '.git'), join(ground.scratch.folder, 'aside')];
  const side = first(ground, async (savepoint) => {
    renameSync(aside, place);
    const worktree = await coverage(savepoint);
    if (worktree.fromGit !== 0) throw new Error(`${worktree.fromGit} files were taken from git`);
    // Whether the bytes are there is seen by going back to them.
    await play(restoreOfOurs(ground, savepoint), 1);
  });
  return {
    ...side,
    time: (round) => {
      renameSync(place, aside);
      return side.time(round);
    },
  };
}

/** Shadow git's, in a repository that is new as well. */
function firstOfShadow(ground: Ground): Side {
  let shadow: ShadowGit;
  let tree: string;
  return {
    prepare: async (round) => {
      shadow = new ShadowGit(ground.scratch, `first-${round}`, ground.project);
      await ground.scratch.settle();
    },
    time: async () => {
      const made = await shadow.checkpoint();
      tree = made.tree;
      return made.elapsed;
    },
    verify: () => {
      const found = shadow.filesOf(tree).length;
      if (found !== ground.files) throw new Error(`${found} of ${ground.files} files were added`);
      rmSync(shadow.folder, { recursive: true });
    },
  };
}

function first(ground: Ground, check: (savepoint: Savepoint) => Promise<void>): Side {
  let home: string;
  let savepoint: Savepoint;
  return {
    prepare: async () => {
      home = ground.newHome();
      savepoint = await ground.open(home);
      await ground.scratch.settle();
    },
    time: () =>
      clock(() => savepoint.checkpoint({ sessionId: 'session', messageId: 'first message' })),
    verify: async () => {
      try {
        await check(savepoint);
      } finally {
        await savepoint.close();
      }
      rmSync(home, { recursive: true });
    },
  };
}

async function coverage(savepoint: Savepoint) {
  const { worktree, newest } = await savepoint.status();
  if (worktree === null || newest?.coverage !== 'scanned') throw new Error('nothing was scanned');
  if (worktree.unrecorded.length > 0) throw new Error('some files are not on record');
  return worktree;
}
