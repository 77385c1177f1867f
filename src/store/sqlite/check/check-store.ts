import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isTemporary } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { isBlobId } from '../../../model/ids.ts';
import { bytesToHash, hashToBytes } from '../../state-columns.ts';
import { parseBlobFile } from '../blobs.ts';
import { Connection, isOutside, storeFailure } from '../connection.ts';
import { filesIn, layoutOf, type Opened } from '../layout.ts';
import { readBaseline } from '../meta.ts';
import { otherFormat } from '../open-database.ts';
import { packOf } from '../packs/pack-index.ts';
import { APPLICATION_ID, FORMAT, SCHEMA } from '../schema.ts';
import { openedWith } from '../sqlite-store.ts';
import {
  type Contents,
  checkBaseline,
  checkBlobs,
  checkParts,
  countContents,
} from './check-contents.ts';
import { checkChains, checkSeals, SEALED_TABLES } from './check-rows.ts';
import {
  type CheckOptions,
  isDamage,
  problem,
  type StoreCheck,
  type StoreProblem,
} from './problem.ts';

/**
 * Looks at everything in a store and changes nothing: SQLite checks its pages, every row is compared with
 * its seal, and every content with its hash. All rows are of one moment. Files are not: while somebody
 * writes, they may seem wrong, so a caller that finds problems looks again under the project lock.
 */
export async function checkStore(
  directory: string,
  options: CheckOptions = {},
): Promise<StoreCheck> {
  const layout = layoutOf(directory);
  if (!existsSync(layout.database)) {
    return unreadable([problem('database', 'the database is not there', { file: 'store.db' })]);
  }
  let opened: Opened;
  try {
    opened = openedWith(Connection.toLook(layout.database), layout);
  } catch (error) {
    return unreadable([unusable(error)]);
  }
  try {
    opened.connection.run('BEGIN');
    return await checkOpened(opened, options);
  } finally {
    opened.connection.close();
  }
}

export async function checkOpened(
  opened: Opened,
  { onProgress, signal }: CheckOptions = {},
): Promise<StoreCheck> {
  const { connection } = opened;
  const database = attempt(() => checkDatabase(connection));
  const rows = countRows(connection);
  if (rows === null) return unreadable([...database, problem('database', 'rows cannot be read')]);
  // Not pushed at once: every row of a large store may be damaged, and the stack has an end.
  const found = [
    ...database,
    ...SEALED_TABLES.flatMap((table) => attempt(() => checkSeals(connection, table))),
    ...attempt(() => checkChains(connection)),
    ...attempt(() => checkFiles(opened)),
  ];
  const total = estimateContents(opened);
  let done = 0;
  for (const contents of [checkBlobs(opened), checkBaseline(opened), checkParts(opened)]) {
    for (const each of guarded(contents)) {
      if (each !== null) found.push(each);
      done += 1;
      if (done % 16 !== 0) continue;
      onProgress?.({ done, total });
      await setImmediate();
      if (signal?.aborted) throw new SavepointError('aborted', 'the check was cancelled');
    }
  }
  const leftovers = found.filter((each) => !isDamage(each));
  return { problems: [...found.filter(isDamage), ...leftovers], readable: true, rows, blobs: done };
}

const DEFINITIONS = `
  SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`;

/** What SQLite says of its file, and whether the file is a store of this format. */
function checkDatabase(connection: Connection): StoreProblem[] {
  const pragma = (name: string): unknown =>
    connection.get<Record<string, unknown>>(`PRAGMA ${name}`)?.[name];
  if (pragma('application_id') !== APPLICATION_ID) {
    return [problem('database', 'the database is not a Savepoint store')];
  }
  const format = Number(pragma('user_version'));
  const isIntact = hasSchema(connection);
  if (format !== FORMAT && !isIntact) throw otherFormat(format);
  const wrong = [
    ...(isIntact ? [] : ['the definitions of the tables are damaged']),
    ...(format === FORMAT ? [] : [`the database has a wrong format number, ${format}`]),
    ...(connection.isFrozen || pragma('journal_mode') === 'wal'
      ? []
      : ['the database has lost its write-ahead log']),
    ...connection
      .all<{ integrity_check: string }>('PRAGMA integrity_check(20)')
      .flatMap(({ integrity_check: text }) => (text === 'ok' ? [] : [`SQLite says: ${text}`])),
  ];
  return [...wrong.map((text) => problem('database', text)), ...checkKeys(connection)];
}

/** Whether tables and indices are as this format has them: a flipped bit can make another column of one. */
function hasSchema(connection: Connection): boolean {
  const fresh = Connection.bare(':memory:');
  try {
    fresh.exec(SCHEMA);
    const expected = fresh.all<{ text: string }>(DEFINITIONS);
    const found = connection.all<{ text: string }>(DEFINITIONS);
    return (
      expected.length === found.length && expected.every(({ text }, at) => text === found[at]?.text)
    );
  } finally {
    fresh.close();
  }
}

function checkKeys(connection: Connection): StoreProblem[] {
  const rows = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  const kinds = new Set(
    rows.map(({ table, parent }) => `rows of ${table} name ${parent} that are not there`),
  );
  return [...kinds].map((text) => problem('chain', text));
}

/** Null where a row cannot be read. */
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

const BLOB_IN_FILE = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';
const BLOBS_IN_PACKS = "SELECT hash FROM blobs WHERE encoding = 'pack'";

/** Packs that cannot be read, and leftovers: files of a crash that `prune` removes, and files of others. */
function checkFiles({ connection, layout, packs }: Opened): StoreProblem[] {
  const named = readBaseline(connection)?.packs ?? [];
  const rows = connection.all<{ hash: Uint8Array }>(BLOBS_IN_PACKS);
  const isNamedBlob = (name: string): boolean => {
    const { id, encoding } = parseBlobFile(name);
    return isBlobId(id) && connection.get(BLOB_IN_FILE, hashToBytes(id), encoding) !== undefined;
  };
  // A pack that was imported is not named by the baseline, but blobs of rows lie in it.
  const isNamedPack = (name: string): boolean => {
    const pack = packOf(name);
    if (pack === null || named.includes(pack)) return pack !== null;
    const index = packs.index(pack);
    return rows.some(({ hash }) => index?.has(bytesToHash(hash)));
  };
  const unnamed = [
    ...filesIn(layout.blobs).flatMap((name) => (isNamedBlob(name) ? [] : [join('blobs', name)])),
    ...filesIn(layout.packs).flatMap((name) => (isNamedPack(name) ? [] : [join('packs', name)])),
    ...filesIn(layout.directory).filter((name) => isTemporary(name) || name.includes('.db.new')),
  ];
  const hasDamaged = filesIn(layout.damaged).length > 0;
  return [
    ...named
      .filter((name) => packs.index(name) === null)
      .map((name) => `packs/${name}.idx`)
      .map((file) => problem('pack', 'the index of a pack cannot be used', { file })),
    ...unnamed.map((file) => problem('leftover', 'a file that nothing names', { file })),
    ...(hasDamaged
      ? [problem('leftover', 'an earlier repair has set things aside', { file: 'damaged' })]
      : []),
  ];
}

/** For the progress. An estimate is enough; damage is found when the contents are read. */
function estimateContents(opened: Opened): number {
  try {
    return countContents(opened);
  } catch {
    return 0;
  }
}

/** An error of SQLite, or of a value with another type, is the damage that the check looks for. */
function attempt(look: () => StoreProblem[]): StoreProblem[] {
  try {
    return look();
  } catch (error) {
    return [unusable(error)];
  }
}

function* guarded(contents: Contents): Contents {
  try {
    yield* contents;
  } catch (error) {
    yield unusable(error);
  }
}

/** Throws what is not damage: a full disk, missing rights, another process. */
function unusable(error: unknown): StoreProblem {
  if (isOutside(error)) throw storeFailure(error);
  if (error instanceof SavepointError) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  return problem('database', `the database cannot be read: ${reason}`, { file: 'store.db' });
}

function unreadable(problems: readonly StoreProblem[]): StoreCheck {
  return { problems, readable: false, rows: 0, blobs: 0 };
}
