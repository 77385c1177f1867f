import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isSavepointError, SavepointError } from '../../../model/errors.ts';
import { Arrivals } from '../arrivals.ts';
import { brokenSeals } from '../broken-seals.ts';
import { Connection } from '../connection.ts';
import { isOutside, storeFailure } from '../failures.ts';
import { GitObjects } from '../git-objects/git-objects.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { Packs } from '../packs/packs.ts';
import { checkBaseline, readManifest } from './check-baseline.ts';
import { checkBlobs, countBlobs } from './check-blobs.ts';
import { checkChains } from './check-chains.ts';
import { checkDatabase, requireFormat } from './check-database.ts';
import { checkFiles } from './check-files.ts';
import { checkParts, countParts } from './check-parts.ts';
import { SEALED_TABLES, sealProblem } from './check-seals.ts';
import { checkHeader } from './header.ts';
import { type CheckOptions, problem, type StoreCheck, type StoreProblem } from './problem.ts';

/**
 * Looks at everything in a store, and changes nothing. Every row is compared with what was written, every
 * content with its hash. All rows are of one moment; but while somebody writes, files may seem wrong that are
 * not: whoever finds something looks again under the project lock.
 */
export async function checkStore(
  directory: string,
  options: CheckOptions = {},
): Promise<StoreCheck> {
  const layout = layoutOf(directory);
  if (!existsSync(layout.database)) {
    return unreadable([problem('database', 'the database is not there', { file: 'store.db' })]);
  }
  const before = checkHeader(layout.database);
  let opened: Opened;
  try {
    opened = openToLook(layout);
  } catch (error) {
    return unreadable([...before, unusable(error)]);
  }
  try {
    opened.connection.run('BEGIN');
    return await checkOpened(opened, before, options);
  } finally {
    opened.connection.close();
  }
}

/** A database that cannot even be asked for its format is a damaged one. */
function refuseOtherFormat(connection: Connection): void {
  try {
    requireFormat(connection);
  } catch (error) {
    if (isSavepointError(error, 'store-too-new')) throw error;
    if (isOutside(error)) throw storeFailure(error);
  }
}

async function checkOpened(
  opened: Opened,
  before: readonly StoreProblem[],
  options: CheckOptions,
): Promise<StoreCheck> {
  const { connection } = opened;
  refuseOtherFormat(connection);
  const found = [...before, ...attempt(() => checkDatabase(connection))];
  const rows = countRows(connection);
  if (rows === null) return unreadable([...found, problem('database', 'rows cannot be read')]);
  found.push(
    ...SEALED_TABLES.flatMap((table) =>
      attempt(() => brokenSeals(connection, table).map((seal) => sealProblem(connection, seal))),
    ),
    ...attempt(() => checkChains(connection)),
    ...attempt(() => checkFiles(opened, readBaseline(connection)?.packs ?? [])),
  );
  const total = toRead(opened);
  let done = 0;
  for (const source of [checkBlobs(opened), checkBaseline(opened), checkParts(opened)]) {
    for await (const each of guarded(source)) {
      if (each !== null) found.push(each);
      done += 1;
      if (done % 16 === 0) await pause(options, done, total);
    }
  }
  return { problems: damageFirst(found), readable: true, rows, blobs: done };
}

/** For the progress; an estimate is enough, and what cannot be counted is found when it is read. */
function toRead(opened: Opened): number {
  try {
    const { connection } = opened;
    return countBlobs(connection) + (readManifest(opened)?.count ?? 0) + countParts(connection);
  } catch {
    return 0;
  }
}

async function pause({ onProgress, signal }: CheckOptions, done: number, total: number) {
  onProgress?.({ done, total });
  await setImmediate();
  if (signal?.aborted) throw new SavepointError('aborted', 'the check was cancelled');
}

function openToLook(layout: Layout): Opened {
  const connection = Connection.toLook(layout.database);
  return {
    connection,
    layout,
    arrivals: new Arrivals(layout.arrivals),
    packs: new Packs(layout),
    gitObjects: new GitObjects(layout.git),
    largeBlobBytes: 0,
    now: Date.now,
  };
}

/** Null where one cannot be read. */
function countRows(connection: Connection): number | null {
  const tables = SEALED_TABLES.filter((table) => table !== 'blobs' && table !== 'parts');
  try {
    return tables
      .map((table) => connection.all(`SELECT * FROM ${table} NOT INDEXED`).length)
      .reduce((sum, count) => sum + count, 0);
  } catch (error) {
    if (isOutside(error)) throw storeFailure(error);
    return null;
  }
}

/** What SQLite, or a value that is none, throws while we look is what we were looking for. */
function attempt(look: () => StoreProblem[]): StoreProblem[] {
  try {
    return look();
  } catch (error) {
    return [unusable(error)];
  }
}

async function* guarded(
  source: AsyncGenerator<StoreProblem | null>,
): AsyncGenerator<StoreProblem | null> {
  try {
    yield* source;
  } catch (error) {
    yield unusable(error);
  }
}

/** Throws what says nothing of the store: a disk that is full, or somebody else, is no damage. */
function unusable(error: unknown): StoreProblem {
  if (isOutside(error)) throw storeFailure(error);
  const reason = error instanceof Error ? error.message : String(error);
  return problem('database', `the database cannot be read: ${reason}`, { file: 'store.db' });
}

function unreadable(problems: readonly StoreProblem[]): StoreCheck {
  return { problems, readable: false, rows: 0, blobs: 0 };
}

function damageFirst(problems: readonly StoreProblem[]): StoreProblem[] {
  const isDamage = ({ kind }: StoreProblem): boolean => kind !== 'leftover';
  return [...problems.filter(isDamage), ...problems.filter((one) => !isDamage(one))];
}
