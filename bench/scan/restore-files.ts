import type { Savepoint } from 'savepoint';
import { alternate, clock, type Rounds, type Samples, type Side } from '../measure.ts';
import type { Ground } from './ground.ts';
import { fewRounds, largeBar, type Row, rounds } from './row.ts';
import type { ShadowGit } from './shadow-git.ts';

const CHANGED_FILES = 5;

/** Commands that are run one after the other to go back to a tree. */
type WayBack = (tree: string, files: readonly string[]) => readonly (readonly string[])[];

const CHECKOUT_FILES: WayBack = (tree, files) => [['checkout', '--quiet', tree, '--', ...files]];
// Goes back to what the index holds, which is the tree.
const RESTORE_AND_CLEAN: WayBack = () => [
  ['restore', '.'],
  ['clean', '-fdq'],
];
// Writes every file of the tree anew, so that it is slow and both sides have to read all again.
const CHECKOUT_INDEX: WayBack = (tree) => [
  ['read-tree', tree],
  ['checkout-index', '-a', '-f'],
];

/** Taking back what a command did, beside the ways in which agents let git do it. */
export function restoreRows(files: number): readonly Row[] {
  const row = (against: string, wayBack: WayBack, turns: Rounds, bar: Row['bar']): Row => ({
    name: `restore of ${CHANGED_FILES} files, safety checkpoint and journal included`,
    against: `spawned ${against}`,
    bar,
    run: (ground) => contest(ground, wayBack, turns),
  });
  return [
    row('`git checkout TREE -- files`', CHECKOUT_FILES, rounds(), largeBar(files, 8)),
    row('`git restore . && git clean -fd`', RESTORE_AND_CLEAN, rounds(), null),
    row('`git read-tree TREE && git checkout-index -a -f`', CHECKOUT_INDEX, fewRounds(files), null),
  ];
}

async function contest(ground: Ground, wayBack: WayBack, turns: Rounds): Promise<Samples> {
  const savepoint = await ground.open(ground.newHome());
  try {
    const theirs = ofShadow(ground, await ground.shadow(), wayBack);
    return await alternate(restoreOfOurs(ground, savepoint), theirs, turns);
  } finally {
    await savepoint.close();
  }
}

/** Puts what a command did on record, and takes it back. */
export function restoreOfOurs(ground: Ground, savepoint: Savepoint): Side {
  let to: string;
  let originals: Originals;
  return {
    prepare: async (round) => {
      const message = { sessionId: 'session', messageId: `round ${round}` };
      const { id, checkpointId } = await savepoint.openWindow(message);
      originals = await editKeeping(ground, 2 * round);
      const { changes } = await savepoint.closeWindow(id);
      if (changes.length !== CHANGED_FILES) throw new Error('not all is on record');
      to = checkpointId;
      await ground.scratch.settle();
    },
    time: () => clock(() => savepoint.rewind({ to })),
    verify: () => requireOriginals(ground, originals),
  };
}

function ofShadow(ground: Ground, shadow: ShadowGit, wayBack: WayBack): Side {
  let tree: string;
  let originals: Originals;
  return {
    prepare: async (round) => {
      tree = (await shadow.checkpoint()).tree;
      originals = await editKeeping(ground, 2 * round + 1);
    },
    time: () => shadow.time(wayBack(tree, originals.paths)),
    verify: () => requireOriginals(ground, originals),
  };
}

interface Originals {
  readonly paths: readonly string[];
  readonly contents: readonly Buffer[];
}

async function editKeeping(ground: Ground, seed: number): Promise<Originals> {
  const contents = ground.read(ground.pick(CHANGED_FILES, seed));
  return { paths: await ground.edit(CHANGED_FILES, seed), contents };
}

function requireOriginals(ground: Ground, { paths, contents }: Originals): void {
  const found = ground.read(paths);
  const wrong = paths.filter((_, nth) => contents[nth]?.equals(found[nth] as Buffer) !== true);
  if (wrong.length > 0) throw new Error(`not restored: ${wrong.join(', ')}`);
}
