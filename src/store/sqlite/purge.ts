import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import {
  type Baseline,
  type BaselineState,
  Manifest,
  ManifestWriter,
} from '../../model/manifest.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf, blobsOnlyOf } from '../blob.ts';
import { refuseUnfinished } from '../find.ts';
import { bytesToHash, modeOf } from '../state-columns.ts';
import type { Blob } from '../store.ts';
import { intact, readBlob, storeBlobs } from './blobs.ts';
import { references, takeOver } from './compaction.ts';
import { type Connection, hexList, isBusy, LISTED_BYTES } from './connection.ts';
import { filesIn, type Layout, type Opened } from './layout.ts';
import { needsScrub, readBaseline, readJournal, writeBaseline, writeMeta } from './meta.ts';
import { Numbers } from './numbers.ts';
import {
  dropBlobs,
  dropParts,
  freeFromDeadBases,
  namedBlobs,
  REACHED,
  sweepBlobFiles,
  sweepPacks,
} from './prune.ts';
import { sealSql } from './seals.ts';

const LISTED = LISTED_BYTES.replace('?', '?2');
const PURGED_AFTER = 'CASE WHEN after_mode IS NULL THEN NULL ELSE ?1 END';

// An open change stays open: whoever opened it will close it with the state that it finds then.
const PURGE_CHANGES = `
  UPDATE changes SET before_mode = ?1, before_blob = NULL, after_blob = NULL,
    after_mode = ${PURGED_AFTER}, seal = ${sealSql('changes', {
      before_mode: '?1',
      before_blob: 'NULL',
      after_mode: PURGED_AFTER,
      after_blob: 'NULL',
    })}
  WHERE path IN (SELECT id FROM heads WHERE path IN ${LISTED})`;

const PURGE_HEADS = `
  UPDATE heads SET mode = ?1, blob = NULL,
    seal = ${sealSql('heads', { mode: '?1', blob: 'NULL' })}
  WHERE path IN ${LISTED}`;

// Blobs that nobody needs stay among git's objects until the scrub: others may be compressed against them.
const MOVE_TO_PACK = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'pack', data = NULL
  WHERE encoding = 'git' AND id IN (SELECT id FROM reached)`;

/**
 * See the port. First everything that is still needed is written to places without the purged bytes; then
 * one transaction takes the paths out of the record; then the bytes that nothing names are removed. A crash
 * before the transaction leaves a pack that nothing names, one after it a mark for the next command.
 */
export async function purge(opened: Opened, paths: readonly TrackedPath[]): Promise<void> {
  refuseUnfinished(readJournal(opened.connection));
  const made = await newBaseline(opened, paths);
  try {
    opened.connection.immediate(() => takeOut(opened, paths, made));
  } catch (error) {
    opened.packs.remove(made?.newPacks ?? []);
    throw error;
  }
  opened.packs.forget();
  await scrub(opened);
}

function takeOut(opened: Opened, paths: readonly TrackedPath[], made: NewBaseline | null): void {
  const { connection } = opened;
  purgeRows(connection, paths);
  // From this transaction on their bytes must go.
  writeMeta(connection, 'scrub', 1);
  if (made === null) return;
  storeBlobs(opened, [made.manifest], new Numbers(connection));
  writeBaseline(connection, made.baseline);
  connection.run(MOVE_TO_PACK, '[]');
}

/** Makes every state of these paths unknown, also "absent": that a file was not there is a record too. */
function purgeRows(connection: Connection, paths: readonly TrackedPath[]): void {
  const list = hexList(paths.map(pathToBytes));
  const purged = modeOf(unknown('purged'));
  connection.run(PURGE_CHANGES, purged, list);
  connection.run(PURGE_HEADS, purged, list);
}

/** A baseline without the purged paths. Its packs are durable, and no row names it yet. */
interface NewBaseline {
  readonly baseline: Baseline;
  readonly manifest: Blob;
  /** Packs that were written for it, to be removed when the purge fails. */
  readonly newPacks: readonly string[];
}

/**
 * Makes the baseline without these paths. Packs that hold their bytes are written anew without them. Bytes
 * among git's objects are copied: a pack of git holds a history that nobody has looked through, and cannot
 * be cut.
 */
async function newBaseline(
  opened: Opened,
  paths: readonly TrackedPath[],
): Promise<NewBaseline | null> {
  const old = readBaseline(opened.connection);
  if (old === null) return null;
  const list = new Manifest(readBlob(opened, old.manifest));
  const purged = new Set(paths);
  const needed = namedByOthers(opened.connection, paths);
  const stale = blobsOnlyOf(purged, list, needed);
  // A pack whose index is damaged could hold anything.
  const kept = old.packs.filter((name) => {
    const index = opened.packs.index(name);
    return index !== null && !stale.some((id) => index.has(id));
  });
  const indices = kept.map((name) => opened.packs.index(name));
  const isKept = (id: BlobId): boolean => indices.some((index) => index?.has(id));
  const { blobs, finish } = rewrite(opened, list, { purged, needed, isKept });
  const { packs: newPacks } = await opened.packs.put(blobs);
  const manifest = blobOf(finish());
  const packs = [...kept, ...newPacks];
  return { baseline: { seq: old.seq, manifest: manifest.id, packs }, manifest, newPacks };
}

const LISTED_HEADS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES.replace('?', '?1')})`;

const NAMED_BY_OTHERS = `
  SELECT hash FROM blobs WHERE id IN (
    SELECT blob FROM heads WHERE id NOT IN ${LISTED_HEADS}
    UNION SELECT before_blob FROM changes WHERE path NOT IN ${LISTED_HEADS}
    UNION SELECT after_blob FROM changes WHERE path NOT IN ${LISTED_HEADS}
  )`;

/** Blobs that changes and heads of other paths name. */
function namedByOthers(connection: Connection, paths: readonly TrackedPath[]): ReadonlySet<BlobId> {
  const list = hexList(paths.map(pathToBytes));
  const rows = connection.all<{ hash: Uint8Array }>(NAMED_BY_OTHERS, list);
  return new Set(rows.map(({ hash }) => bytesToHash(hash)));
}

interface RewriteOptions {
  readonly purged: ReadonlySet<TrackedPath>;
  /** Blobs that rows of other paths name. */
  readonly needed: ReadonlySet<BlobId>;
  /** Whether a pack that stays holds a blob. */
  readonly isKept: (id: BlobId) => boolean;
}

interface Rewrite {
  /** What a new pack must hold, one at a time: all contents of a worktree may pass through here. */
  readonly blobs: AsyncIterable<readonly Blob[]>;
  /** The new manifest, once all of `blobs` was read. */
  readonly finish: () => Uint8Array;
}

const REFERENCES = "SELECT hash, encoding, data FROM blobs WHERE encoding IN ('pack', 'git')";
const NO_KEY: Uint8Array = new Uint8Array(0);

interface ReferenceRow {
  readonly hash: Uint8Array;
  readonly encoding: 'pack' | 'git';
  readonly data: Uint8Array | null;
}

/** Reads a manifest once and makes another one, in which nothing is purged or taken from git. */
function rewrite(opened: Opened, list: Manifest, options: RewriteOptions): Rewrite {
  const writer = new ManifestWriter(list.count);

  async function* blobs(): AsyncGenerator<readonly Blob[]> {
    for (let at = 0; at < list.count; at += 1) {
      const isPurged = options.purged.has(list.path(at));
      const blob = take(at, isPurged ? unknown('purged') : list.state(at));
      if (blob !== null) yield [blob];
    }
    for (const { hash, encoding, data } of opened.connection.all<ReferenceRow>(REFERENCES)) {
      const id = bytesToHash(hash);
      if (!options.needed.has(id)) continue;
      const blob = encoding === 'pack' ? fromPack(id) : fromGit(data ?? NO_KEY);
      if (blob !== null) yield [blob];
    }
  }

  function take(at: number, state: BaselineState): Blob | null {
    if (state.kind !== 'git') {
      writer.set(at, state);
      return state.kind === 'unknown' || state.blob === null ? null : fromPack(state.blob);
    }
    const { mode, size, key } = state;
    const blob = fromGit(key);
    const captured = { kind: 'captured', type: 'file', mode, size } as const;
    writer.set(at, blob === null ? unknown('damaged') : { ...captured, blob: blob.id });
    return blob;
  }

  /** Null when a kept pack has the blob already, and when its bytes are lost. */
  function fromPack(id: BlobId): Blob | null {
    if (options.isKept(id)) return null;
    const bytes = intact(() => opened.packs.read(id));
    return bytes && { id, bytes };
  }

  function fromGit(key: Uint8Array): Blob | null {
    const bytes = intact(() => opened.gitObjects.read(key));
    return bytes && blobOf(bytes);
  }

  return { blobs: blobs(), finish: () => writer.finish((at) => list.path(at)) };
}

// Blobs that are damaged could not be stored anew. Without their base nobody can ever read them.
const GIVE_UP = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'missing', stored = 0, pending = 0, base = NULL, depth = 0, data = NULL
  WHERE base IS NOT NULL AND base NOT IN (SELECT id FROM reached)`;

// Such a row only keeps its number from being used again. Its hash goes: it would confirm a guessed secret.
const FORGET_HASHES = `
  WITH ${REACHED}
  UPDATE blobs SET hash = ?2, size = 0, seal = ${sealSql('blobs', { hash: '?2', size: '0' })}
  WHERE encoding = 'missing' AND id NOT IN (SELECT id FROM reached)`;

const ARRIVED = `
  SELECT data AS start, size FROM blobs WHERE encoding = 'arrived' ORDER BY data`;
const ZEROS: Uint8Array = new Uint8Array(64 * 1024);

/**
 * Removes every byte that no row names: rows, files, packs, free pages, the log. The caller holds the
 * project lock. The mark goes last: after an interruption, the next command begins again.
 */
export async function scrub(opened: Opened): Promise<void> {
  const { connection, layout } = opened;
  if (!needsScrub(connection)) return;
  await freeFromDeadBases(opened, { referencesGo: true });
  connection.run(GIVE_UP, namedBlobs(connection));
  dropBlobs(connection);
  connection.run(FORGET_HASHES, namedBlobs(connection), randomBytes(32));
  dropParts(connection);
  sweepBlobFiles(opened);
  blankArrivals(opened);
  await sweepPacks(opened);
  await leaveGit(opened);
  for (const leftover of leftovers(layout)) rmSync(leftover, { recursive: true, force: true });
  rewriteDatabase(connection);
  connection.run("DELETE FROM meta WHERE key = 'scrub'");
  // The log has only that deletion now; an empty one is easier to check.
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Overwrites bytes of arrivals that no row names. In a transaction, as everybody who writes there. */
function blankArrivals({ connection, layout }: Opened): void {
  if (!existsSync(layout.arrivals)) return;
  connection.immediate(() => {
    const descriptor = openSync(layout.arrivals, 'r+');
    try {
      let end = 0;
      for (const { start, size } of connection.all<{ start: number; size: number }>(ARRIVED)) {
        blank(descriptor, end, start);
        end = Math.max(end, start + size);
      }
      blank(descriptor, end, fstatSync(descriptor).size);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function blank(descriptor: number, from: number, to: number): void {
  for (let at = from; at < to; ) {
    at += writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
  }
}

/**
 * Removes git's packs, which may hold anything. A purge has copied what the baseline needs of them; they
 * stay where a baseline was made since. Without a baseline, rows that refer to them are stored anew first.
 */
async function leaveGit(opened: Opened): Promise<void> {
  const baseline = readBaseline(opened.connection);
  if (baseline !== null && namesGit(new Manifest(readBlob(opened, baseline.manifest)))) return;
  await takeOver(opened, references(opened, 'git'));
  rmSync(opened.layout.git, { recursive: true, force: true });
}

function namesGit(list: Manifest): boolean {
  for (let at = 0; at < list.count; at += 1) if (list.state(at).kind === 'git') return true;
  return false;
}

/**
 * Files that may hold anything and that nobody needs: what a repair set aside, the stat index with the
 * texts of rule files, databases and other files that a killed process left unfinished.
 */
function leftovers(layout: Layout): string[] {
  const files = filesIn(layout.directory).filter(
    (name) => isTemporary(name) || name.startsWith('scan.index') || name.startsWith('store.db.new'),
  );
  return [layout.damaged, ...files.map((name) => join(layout.directory, name))];
}

/** Writes every page anew and empties the log: nothing is left in free pages or between rows. */
function rewriteDatabase(connection: Connection): void {
  try {
    connection.exec('PRAGMA secure_delete = ON; VACUUM');
  } catch (error) {
    throw isBusy(error) ? inTheWay(error) : error;
  }
  const log = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  if (log?.busy !== 0) throw inTheWay();
}

function inTheWay(cause?: unknown): SavepointError {
  const message = 'the contents are out of the record, but another program has the store open';
  return new SavepointError('purge-unfinished', message, {
    hint: 'their bytes go with the next command that finds the store free',
    cause,
  });
}
