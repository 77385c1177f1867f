import type { Change } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import type { BlobId, CheckpointId, Seq } from '../../model/ids.ts';
import { Manifest, ManifestWriter } from '../../model/manifest.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf, blobsNeededBy, blobsOnlyOf } from '../blob.ts';
import { refuseUnfinished } from '../find.ts';
import { hashToBytes } from '../state-columns.ts';
import type { Blob, PruneResult, StoreStats, Tasks } from '../store.ts';
import { putBlobs, readBlob } from './blobs.ts';
import { type Opened, type Scope, type Session, together, type Writing } from './database.ts';
import { alone } from './documents.ts';
import { readBaseline, readJournal, writeBaseline } from './meta.ts';
import { dropParts, OF_PROJECT } from './parts.ts';
import { type RecordTable, textToBytes } from './record-table.ts';
import { cancellations, changes, checkpoints, heads, operations, sessions } from './schema.ts';
import { PROJECT_TABLES, WORKTREE_TABLES } from './tenants.ts';

// Documents are written meanwhile, each within some milliseconds.
const ALONE_TIMEOUT_MS = 30_000;

export const TASKS: Tasks<Opened> = {
  prune: (opened, floor) => prune(opened, floor),
  prunable: (opened, floor) => prune(opened, floor, 'as a trial'),
  verify,
  purge,
  // What a purge has removed is gone with its transaction, as far as a client can say.
  scrub: async () => {},
  // Bytes are compressed before they go to the server.
  compact: async () => {},
  stats: readStats,
  diskBytes,
};

/** See the port. One transaction, so that nobody sees a part of it. */
async function prune(
  { database, schema, project, worktree }: Opened,
  floor: Seq,
  how: 'for good' | 'as a trial' = 'for good',
): Promise<PruneResult> {
  const first = alone(schema, project, ALONE_TIMEOUT_MS);
  return database.transactionAfter(first, async (session) => {
    if (how === 'as a trial') session.takeBack();
    const scope = { session, worktree };
    const dropped = await dropChanges(scope, floor);
    const packs = (await readBaseline(scope))?.packs ?? [];
    await session.run(DROP_PACKS, [project, worktree, packs]);
    const blobs = await dropBlobs(session, project);
    await dropParts(session, project);
    return { changes: dropped, ...blobs };
  });
}

const DROP_PACKS = `
  DELETE FROM packed WHERE project = $1 AND worktree = $2 AND NOT pack = ANY($3::text[])`;
const DROP_CHANGES = `
  DELETE FROM changes WHERE worktree = $1 AND seq < $2 AND after_mode IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM cancellations AS c WHERE c.worktree = $1 AND c.change_seq = changes.seq AND c.by_seq >= $2)`;

async function dropChanges({ session, worktree }: Scope<Writing>, floor: Seq): Promise<number> {
  const dropped = await session.run(DROP_CHANGES, [worktree, floor]);
  for (const end of ['change_seq', 'by_seq']) {
    const sql = `
      DELETE FROM cancellations WHERE worktree = $1 AND ${end} < $2
      AND ${end} NOT IN (SELECT seq FROM changes WHERE worktree = $1)`;
    await session.run(sql, [worktree, floor]);
  }
  return dropped;
}

// From all worktrees of the project: they share its contents. $2: hashes that are needed besides those that rows name.
const REACHED = `
  reached(hash) AS (
    SELECT before_blob FROM changes WHERE ${OF_PROJECT} AND before_blob IS NOT NULL
    UNION SELECT after_blob FROM changes WHERE ${OF_PROJECT} AND after_blob IS NOT NULL
    UNION SELECT blob FROM heads WHERE ${OF_PROJECT} AND blob IS NOT NULL
    UNION SELECT unnest($2::bytea[])
  )`;
const IS_UNREACHED = `
  blobs.project = $1 AND NOT EXISTS (SELECT 1 FROM reached WHERE reached.hash = blobs.hash)`;
const IS_PACKED = `
  EXISTS (SELECT 1 FROM packed WHERE packed.project = $1 AND packed.hash = blobs.hash)`;

// Its pieces go with it.
const DROP_BLOBS = `
  WITH ${REACHED} DELETE FROM blobs WHERE ${IS_UNREACHED} AND NOT ${IS_PACKED} RETURNING named, stored`;
const UNNAME_BLOBS = `
  WITH ${REACHED} UPDATE blobs SET named = false WHERE ${IS_UNREACHED} AND named`;

async function dropBlobs(session: Writing, project: number): Promise<Omit<PruneResult, 'changes'>> {
  const values = [project, await namedBlobs(session, project)];
  const rows = await session.query<{ named: boolean; stored: number | null }>(DROP_BLOBS, values);
  const unnamed = await session.run(UNNAME_BLOBS, values);
  const gone = rows.filter(({ named, stored }) => named && stored !== null);
  const bytes = rows.reduce((sum, { stored }) => sum + (stored ?? 0), 0);
  return { blobs: gone.length + unnamed, bytes };
}

/** The blobs that baselines and unfinished restores need, those of all worktrees. */
async function namedBlobs(session: Session, project: number): Promise<Uint8Array[]> {
  const sql = 'SELECT id FROM worktrees WHERE project = $1';
  const named: BlobId[] = [];
  for (const { id: worktree } of await session.query<{ id: number }>(sql, [project])) {
    const scope = { session, worktree };
    named.push(...blobsNeededBy(await readBaseline(scope), await readJournal(scope)));
  }
  return named.map(hashToBytes);
}

const OF_PATHS = 'AND path = ANY($2::bytea[])';
const BY_CHANGES_OF_PATHS = `AND change_seq IN (
  SELECT seq FROM changes WHERE worktree = $1 AND path = ANY($2::bytea[]))`;

/** Compares the seals of the rows that a restore relies on. The server has checksums for its pages. */
async function verify(
  { database, worktree }: Opened,
  paths: readonly TrackedPath[] | null,
  checkpoint: CheckpointId | null,
): Promise<void> {
  const list = paths?.map(pathToBytes);
  await database.transactionAfter('SET TRANSACTION READ ONLY', async (session) => {
    const scope = { session, worktree };
    const look = async <Entry extends object>(
      table: RecordTable<Entry>,
      rest = '',
      ...values: readonly unknown[]
    ): Promise<void> => {
      if ((await table.brokenSeals(scope, rest, ...values)) === 0) return;
      const message = `${table.name} of the store are not what was written`;
      throw new SavepointError('store-corrupt', message, { hint: 'nothing was touched' });
    };
    const ofPaths =
      list === undefined
        ? [look(changes), look(heads), look(cancellations), look(checkpoints)]
        : [
            look(changes, OF_PATHS, list),
            look(heads, OF_PATHS, list),
            look(cancellations, BY_CHANGES_OF_PATHS, list),
          ];
    const ofTarget =
      checkpoint === null ? [] : [look(checkpoints, 'AND id = $2', textToBytes(checkpoint))];
    await together(...ofPaths, look(sessions), look(operations), ...ofTarget);
  });
}

const PURGED = unknown('purged');

/**
 * See the port. One transaction. What the server keeps of removed rows (free space, its log, backups) is beyond a
 * client; docs/postgres.md says what an operator does about that.
 */
async function purge(
  { database, schema, project, worktree }: Opened,
  paths: readonly TrackedPath[],
): Promise<void> {
  const first = alone(schema, project, ALONE_TIMEOUT_MS);
  await database.transactionAfter(first, async (session) => {
    const scope = { session, worktree };
    refuseUnfinished(await readJournal(scope));
    const list = paths.map(pathToBytes);
    // An open change stays open: whoever opened it will close it with the state that it finds then.
    const purged = ({ after }: Change) => ({ before: PURGED, after: after && PURGED });
    await changes.rewrite(scope, OF_PATHS, list, purged);
    await heads.rewrite(scope, OF_PATHS, list, () => ({ state: PURGED }));
    await purgeBaseline(scope, project, new Set(paths));
    await dropBlobs(session, project);
  });
}

/** Takes paths out of the baseline, and out of its packs what no other path had at the baseline. */
async function purgeBaseline(
  scope: Scope<Writing>,
  project: number,
  purged: ReadonlySet<TrackedPath>,
): Promise<void> {
  const { session, worktree } = scope;
  const baseline = await readBaseline(scope);
  if (baseline === null) return;
  const list = new Manifest(await readBlob(session, project, baseline.manifest));
  const manifest = withoutPaths(list, purged);
  await putBlobs(session, project, { blobs: [manifest], isNamed: true });
  await writeBaseline(scope, { ...baseline, manifest: manifest.id });
  const stale = blobsOnlyOf(purged, list).map(hashToBytes);
  const sql = 'DELETE FROM packed WHERE project = $1 AND worktree = $2 AND hash = ANY($3::bytea[])';
  await session.run(sql, [project, worktree, stale]);
}

function withoutPaths(list: Manifest, purged: ReadonlySet<TrackedPath>): Blob {
  const writer = new ManifestWriter(list.count);
  for (let at = 0; at < list.count; at += 1) {
    writer.set(at, purged.has(list.path(at)) ? PURGED : list.state(at));
  }
  return blobOf(writer.finish((at) => list.path(at)));
}

const countOf = (table: string): string => `(SELECT count(*) FROM ${table} WHERE worktree = $2)`;
const STATS = `
  SELECT ${countOf('sessions')} AS "sessions", ${countOf('checkpoints')} AS "checkpoints",
    ${countOf('changes')} AS "changes", ${countOf('operations')} AS "operations",
    count(*) FILTER (WHERE named) AS "blobs",
    coalesce(sum(size) FILTER (WHERE named), 0)::bigint AS "blobBytes",
    coalesce(sum(stored) FILTER (WHERE named AND NOT ${IS_PACKED}), 0)::bigint AS "storedBytes",
    coalesce(sum(stored) FILTER (WHERE ${IS_PACKED}), 0)::bigint AS "packedBytes"
  FROM blobs WHERE project = $1`;

/** Rows are those of the worktree, bytes those of the whole project. */
async function readStats({ database, project, worktree }: Opened): Promise<StoreStats> {
  const values = [project, worktree];
  const [row] = await database.query<Omit<StoreStats, 'gitBytes'>>(STATS, values);
  return { ...(row as StoreStats), gitBytes: 0 };
}

/** What the rows of the worktree and of its project take up. The files of the server are those of all projects. */
async function diskBytes({ database, project, worktree }: Opened): Promise<number> {
  const sumOf = (which: string) => (table: string) =>
    `(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM ${table} AS t WHERE ${which})`;
  const sums = [
    ...PROJECT_TABLES.map(sumOf('project = $1')),
    ...WORKTREE_TABLES.map(sumOf('worktree = $2')),
  ];
  const sql = `SELECT (${sums.join(' + ')})::bigint AS bytes`;
  const [row] = await database.query<{ bytes: number }>(sql, [project, worktree]);
  return row?.bytes ?? 0;
}
