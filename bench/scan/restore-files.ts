import type { Savepoint } from 'savepoint';
import { clock, type Rounds, type Side, takeTurns } from '../measure.ts';
import type { Ground } from './ground.ts';
import { fewRounds, largeBar, measuredOnce, type Row, rounds } from './row.ts';
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
  const measured = measuredOnce((ground) =>
    contest(ground, { files: CHECKOUT_FILES, clean: RESTORE_AND_CLEAN }, rounds()),
  );
  const slow = (ground: Ground) => contest(ground, { all: CHECKOUT_INDEX }, fewRounds());
  const row = (against: string, bar: Row['bar'], run: Row['run']): Row => ({
    name: `restore of ${CHANGED_FILES} files, safety checkpoint and journal included`,
    against: `spawned ${against}`,
    bar,
    run,
  });
  return [
    row('`git checkout TREE -- files`', largeBar(files, 8), async (ground) => {
      const { ours, files: theirs } = await measured(ground);
      return { ours, theirs };
    }),
    row('`git restore . && git clean -fd`', null, async (ground) => {
      const { ours, clean: theirs } = await measured(ground);
      return { ours, theirs };
    }),
    // By itself: both sides have to read all files again after it, before the next round.
    row('`git read-tree TREE && git checkout-index -a -f`', null, async (ground) => {
      const { ours, all: theirs } = await slow(ground);
      return { ours, theirs };
    }),
  ];
}

/** Ours, and each of the other ways, in turn. */
async function contest<Name extends string>(
  ground: Ground,
  ways: Readonly<Record<Name, WayBack>>,
  turns: Rounds,
): Promise<Record<Name | 'ours', readonly number[]>> {
  const savepoint = await ground.open(ground.newHome());
  try {
    const shadow = await ground.shadow();
    const ours = restoreOfOurs(ground, savepoint);
    const theirs = Object.entries<WayBack>(ways).map(([name, way]) => [
      name,
      ofShadow(ground, shadow, way),
    ]);
    const sides: Record<Name | 'ours', Side> = { ours, ...Object.fromEntries(theirs) };
    return await takeTurns(sides, turns);
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
