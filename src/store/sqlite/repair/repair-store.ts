import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder, syncPath } from '../../../fs/write-file.ts';
import { SEALED_TABLES } from '../check/check-rows.ts';
import { checkOpened, checkStore } from '../check/check-store.ts';
import { isDamage, type StoreCheck, type StoreProblem } from '../check/problem.ts';
import { Connection, isOutside, storeFailure } from '../connection.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { withoutWriters } from '../lock.ts';
import { buildFresh } from '../open-database.ts';
import { openedWith } from '../sqlite-store.ts';
import { type CopiedTable, copyTable, lossesOf } from './copy-rows.ts';
import {
  describeLost,
  findLostChanges,
  type LostChanges,
  NO_LOST_CHANGES,
} from './lost-changes.ts';
import { repairBaseline, repairBlobs, repairParts } from './repair-contents.ts';
import { dropBaseline, repairChains, repairRows, restoreEntries } from './repair-rows.ts';

export interface StoreRepair {
  /** What was wrong, before anything was done. */
  readonly found: StoreCheck;
  /** What is still wrong. */
  readonly left: StoreCheck;
  /** Where the old database and damaged files are now; null when nothing was set aside. */
  readonly folder: string | null;
  /** How many rows of the old database are not in the new one, or say less there. */
  readonly rows: number;
  readonly files: number;
  /** Whether the rows were copied into a new database. */
  readonly salvaged: boolean;
  /** What is lost for good, also what came to light only by the repair; empty when the record is whole. */
  readonly lost: readonly StoreProblem[];
  /** What is on record now. */
  readonly kept: { readonly checkpoints: number; readonly changes: number };
}

// A round can bring something to light that was hidden by what it repairs.
const ROUNDS = 4;

/**
 * Makes a damaged store usable again: everything that can still be read and is what was written goes into a
 * new database, which takes the place of the old one; the old one is set aside. The caller holds the project
 * lock, and no store is open on the folder in this process. Throws `store-locked` where a program is running
 * that writes documents. Until the new database is in its place, the old one stays in use.
 */
export function repairStore(directory: string): Promise<StoreRepair> {
  const layout = layoutOf(directory);
  return withoutWriters(layout, () => repair(layout));
}

async function repair(layout: Layout): Promise<StoreRepair> {
  const found = await checkStore(layout.directory);
  const aside = new SetAside(layout);
  if (!found.problems.some(isDamage)) {
    const kept = keptIn(layout.database);
    return { found, left: found, folder: null, rows: 0, files: 0, salvaged: false, lost: [], kept };
  }
  const lost = await rebuild(layout, aside);
  const left = await checkStore(layout.directory);
  const { rows, files } = aside;
  const folder = files > 0 ? aside.folder : null;
  const kept = keptIn(layout.database);
  return { found, left, folder, rows, files, salvaged: true, lost, kept };
}

/** Answers what is lost. When it throws, the old database is still in its place. */
async function rebuild(layout: Layout, aside: SetAside): Promise<StoreProblem[]> {
  makePrivateFolder(layout.blobs);
  let copied: Copied = { tables: [], lostChanges: NO_LOST_CHANGES };
  let fresh = '';
  try {
    fresh = buildFresh(layout, (target) => {
      copied = copyAll(layout, target);
    });
    const mended = await mend({ ...layout, database: fresh }, aside, copied.lostChanges);
    replaceDatabase(layout, fresh, aside);
    return withoutRepeats([...lossesOf(copied.tables), ...mended]);
  } catch (error) {
    for (const suffix of fresh === '' ? [] : ['', '-wal', '-shm']) {
      rmSync(fresh + suffix, { force: true });
    }
    throw storeFailure(error);
  }
}

interface Copied {
  readonly tables: readonly CopiedTable[];
  readonly lostChanges: LostChanges;
}

/** Copies every row that can be read; none where SQLite cannot open the database. */
function copyAll(layout: Layout, target: Connection): Copied {
  const source = openSource(layout.database);
  if (source === null) return { tables: [], lostChanges: NO_LOST_CHANGES };
  try {
    target.exec('PRAGMA foreign_keys = OFF');
    return target.immediate(() => {
      // The entries of a new store must not stand for those that cannot be read.
      target.run('DELETE FROM meta');
      const tables = SEALED_TABLES.map((table) => copyTable(target, source, table));
      restoreEntries(target, layout);
      if (tables.some(({ table, isComplete }) => table === 'heads' && !isComplete)) {
        dropBaseline(target);
      }
      return { tables, lostChanges: findLostChanges(target, source) };
    });
  } finally {
    source.close();
  }
}

function openSource(database: string): DatabaseSync | null {
  if (!existsSync(database)) return null;
  try {
    const source = new DatabaseSync(database, { readOnly: true, defensive: false });
    // With this SQLite reads on where the file is cut short, or where a definition is damaged.
    source.exec('PRAGMA writable_schema = ON');
    return source;
  } catch (error) {
    if (isOutside(error)) throw error;
    return null;
  }
}

/** Repairs the rows of a new database until a check finds nothing. Answers what the checks found. */
async function mend(
  layout: Layout,
  aside: SetAside,
  lostChanges: LostChanges,
): Promise<StoreProblem[]> {
  const connection = new Connection(layout.database);
  try {
    const opened = openedWith(connection, layout);
    connection.exec('PRAGMA foreign_keys = OFF');
    let lost = describeLost(connection, lostChanges);
    for (let round = 0; round < ROUNDS; round += 1) {
      const damage = (await checkOpened(opened)).problems.filter(isDamage);
      // A check does not notice every lost change.
      if (damage.length === 0 && (round > 0 || lostChanges === NO_LOST_CHANGES)) break;
      lost = [...lost, ...damage];
      connection.immediate(() => {
        repairRows(opened, aside);
        repairBlobs(opened, aside);
        repairParts(connection, aside);
        repairBaseline(opened, aside);
        repairChains(connection, aside, lostChanges);
      });
    }
    // SQLite does not say when closing fails to copy the log into the database.
    const log = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
    if (log?.busy !== 0) throw new Error('the log of the new database could not be emptied');
    return lost;
  } finally {
    connection.close();
  }
}

/**
 * Puts the new database in the place of the old one, which is set aside. The name never vanishes: whoever
 * found none would begin an empty store.
 */
function replaceDatabase(layout: Layout, fresh: string, aside: SetAside): void {
  syncPath(fresh);
  emptyLog(layout.database);
  aside.keep(layout.database);
  // The log goes for good before the new database comes: SQLite would take it for the log of that one.
  for (const suffix of ['-wal', '-shm']) aside.file(layout.database + suffix);
  syncPath(layout.directory);
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
}

/** Copies the log into the old database, which is then complete without it if we are killed. */
function emptyLog(database: string): void {
  if (!existsSync(database)) return;
  try {
    const connection = new Connection(database);
    try {
      connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      connection.close();
    }
  } catch {
    // SQLite cannot read it. The log is set aside with the database.
  }
}

/** The first of those that say the same: it names the most paths, since nothing was unknown yet. */
function withoutRepeats(problems: readonly StoreProblem[]): StoreProblem[] {
  const keyOf = ({ kind, message, file, paths }: StoreProblem): string =>
    JSON.stringify([kind, message, file, paths]);
  return [...Map.groupBy(problems, keyOf).values()].flatMap(([first]) => first ?? []);
}

function keptIn(database: string): StoreRepair['kept'] {
  const connection = Connection.toLook(database);
  try {
    const sql = `SELECT (SELECT count(*) FROM checkpoints) AS checkpoints,
      (SELECT count(*) FROM changes) AS changes`;
    return { checkpoints: 0, changes: 0, ...connection.get<StoreRepair['kept']>(sql) };
  } finally {
    connection.close();
  }
}

/** The folder into which a repair puts everything damaged: nothing is thrown away. */
export class SetAside {
  readonly folder: string;
  rows = 0;
  files = 0;

  constructor(layout: Layout) {
    let number = 1;
    while (existsSync(join(layout.damaged, String(number)))) number += 1;
    this.folder = join(layout.damaged, String(number));
  }

  /** Moves a file of the store, if it is there. */
  file(path: string): void {
    if (!existsSync(path)) return;
    this.#make();
    renameSync(path, join(this.folder, basename(path)));
    this.files += 1;
  }

  /** Keeps a file of the store durably under a second name: it stays where it is until it is replaced. */
  keep(path: string): void {
    if (!existsSync(path)) return;
    makePrivateFolder(this.folder);
    const kept = join(this.folder, basename(path));
    try {
      linkSync(path, kept);
    } catch {
      // Not every file system has links.
      copyFileSync(path, kept);
    }
    syncPath(kept);
    syncPath(this.folder);
    this.files += 1;
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.#make();
    writeFileSync(join(this.folder, name), bytes, { mode: 0o600 });
    this.files += 1;
  }

  #make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }
}
