import { existsSync } from 'node:fs';
import { makePrivateFolder } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { Arrivals } from '../arrivals.ts';
import { checkStore } from '../check/check-store.ts';
import type { StoreCheck, StoreProblem } from '../check/problem.ts';
import { Connection } from '../connection.ts';
import { storeFailure } from '../failures.ts';
import { GitObjects } from '../git-objects/git-objects.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { takeBackDatabase } from '../lost-database.ts';
import type { Opened } from '../opened.ts';
import { Packs } from '../packs/packs.ts';
import { withoutWriters } from '../writers-lock.ts';
import { repairChains } from './repair-chains.ts';
import { repairBaseline, repairContents } from './repair-contents.ts';
import { repairParts } from './repair-parts.ts';
import { repairRows } from './repair-rows.ts';
import { salvage } from './salvage.ts';
import { SetAside } from './set-aside.ts';

export interface StoreRepair {
  /** What was wrong, before anything was done. */
  readonly found: StoreCheck;
  /** What is still wrong. */
  readonly left: StoreCheck;
  /** Where everything damaged is now; null when nothing had to be taken out. */
  readonly folder: string | null;
  readonly rows: number;
  readonly files: number;
  /** Whether the rows were copied into a new database. */
  readonly salvaged: boolean;
  /** What is lost for good, also what came to light only by the repair; empty when the record is whole. */
  readonly lost: readonly StoreProblem[];
  /** What is on record now. */
  readonly kept: { readonly checkpoints: number; readonly changes: number };
}

// Each round can bring something to light that was hidden by what it puts right.
const ROUNDS = 4;

/**
 * Makes a damaged store usable again: what is damaged is set aside, and what it said is unknown from then
 * on. The caller holds the project lock, and no store is open on the folder in this process. Throws
 * `store-locked` where a program is running that writes documents.
 */
export function repairStore(directory: string): Promise<StoreRepair> {
  const layout = layoutOf(directory);
  return withoutWriters(layout, () => repair(layout));
}

async function repair(layout: Layout): Promise<StoreRepair> {
  const { directory } = layout;
  takeBackDatabase(layout);
  const found = await checkStore(directory);
  const aside = new SetAside(layout);
  makePrivateFolder(layout.blobs);
  const salvaged = found.problems.some(({ kind }) => kind === 'database') || !found.readable;
  // Pages of a damaged database make more seem wrong than is: what counts is what it is like afterwards.
  const lost = salvaged ? salvaging(layout, aside) : [];
  let left = salvaged ? await checkStore(directory) : found;
  for (let round = 0; round < ROUNDS && left.problems.some(isDamage); round += 1) {
    lost.push(...left.problems.filter(isDamage));
    repairOnce(layout, aside);
    left = await checkStore(directory);
  }
  const { rows, files } = aside;
  const folder = rows + files > 0 ? aside.folder : null;
  const kept = countKept(layout);
  return { found, left, folder, rows, files, salvaged, lost: withoutRepeats(lost), kept };
}

function salvaging(layout: Layout, aside: SetAside): StoreProblem[] {
  try {
    return salvage(layout, aside);
  } catch (error) {
    throw storeFailure(error);
  }
}

export function isDamage({ kind }: StoreProblem): boolean {
  return kind !== 'leftover';
}

/** The first of those that say the same: it names the most, since nothing was unknown yet. */
function withoutRepeats(problems: readonly StoreProblem[]): StoreProblem[] {
  const keyOf = ({ kind, message, file, paths }: StoreProblem): string =>
    JSON.stringify([kind, message, file, paths]);
  return [...Map.groupBy(problems, keyOf).values()].flatMap(([first]) => first ?? []);
}

function countKept({ database }: Layout): StoreRepair['kept'] {
  const connection = Connection.toLook(database);
  try {
    const sql = `SELECT (SELECT count(*) FROM checkpoints) AS checkpoints,
      (SELECT count(*) FROM changes) AS changes`;
    return { checkpoints: 0, changes: 0, ...connection.get<StoreRepair['kept']>(sql) };
  } finally {
    connection.close();
  }
}

function repairOnce(layout: Layout, aside: SetAside): void {
  const opened = openToRepair(layout);
  try {
    opened.connection.exec('PRAGMA foreign_keys = OFF');
    opened.connection.immediate(() => {
      repairRows(opened, aside);
      repairContents(opened, aside);
      repairParts(opened.connection, aside);
      repairBaseline(opened, aside);
      repairChains(opened.connection, aside);
    });
  } finally {
    opened.connection.close();
  }
}

function openToRepair(layout: Layout): Opened {
  if (!existsSync(layout.database)) {
    throw new SavepointError('store-missing', 'there is no store in this folder');
  }
  return {
    connection: new Connection(layout.database),
    layout,
    arrivals: new Arrivals(layout.arrivals),
    packs: new Packs(layout),
    gitObjects: new GitObjects(layout.git),
    largeBlobBytes: Number.POSITIVE_INFINITY,
    now: Date.now,
  };
}
