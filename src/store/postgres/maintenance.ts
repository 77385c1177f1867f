import { SavepointError } from '../../model/errors.ts';
import type { BlobId, CheckpointId, Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import { Manifest, ManifestWriter } from '../../model/manifest.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { type State, unknown } from '../../model/state.ts';
import { blobOf } from '../blob.ts';
import { hashToBytes } from '../state-columns.ts';
import type { Blob, Maintenance, PruneResult, StoreStats } from '../store.ts';
import { putBlobs, readBlob } from './blobs.ts';
import type { Session, Writing } from './database.ts';
import { alone } from './documents.ts';
import { readBaseline, readJournal, writeBaseline } from './meta.ts';
import type { Opened } from './opened.ts';
import { dropParts } from './parts.ts';
import { type RecordTable, textToBytes } from './record-table.ts';
import { cancellations, changes, checkpoints, heads, operations, sessions } from './schema.ts';

// Documents are written meanwhile, each within some milliseconds.
const ALONE_TIMEOUT_MS = 30_000;

type Tasks = {
  readonly [Task in keyof Maintenance]: (
    opened: Opened,
    ...input: Parameters<Maintenance[Task]>
  ) => Promise<ReturnType<Maintenance[Task]>>;
};

export const TASKS: Tasks = {
  prune: (opened, floor) => prune(opened, floor),
  prunable: (opened, floor) => prune(opened, floor, { isTrial: true }),
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
  { database, schema, project }: Opened,
  floor: Seq,
  { isTrial }: { readonly isTrial?: true } = {},
): Promise<PruneResult> {
  const first = alone(schema, project, ALONE_TIMEOUT_MS);
  return database.transaction(
    async (session) => {
      const dropped = await dropChanges(session, project, floor);
      const packs = (await readBaseline(session, project))?.packs ?? [];
      const sql = 'DELETE FROM packed WHERE project = $1 AND NOT pack = ANY($2::text[])';
      await session.run(sql, [project, packs]);
      const blobs = await dropBlobs(session, project);
      await dropParts(session, project);
      return { changes: dropped, ...blobs };
    },
    { first, ...(isTrial && { isTrial }) },
  );
}

const DROP_CHANGES = `
  DELETE FROM changes WHERE project = $1 AND seq < $2 AND after_mode IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM cancellations AS c WHERE c.project = $1 AND c.change_seq = changes.seq AND c.by_seq >= $2)`;

async function dropChanges(session: Writing, project: number, floor: Seq): Promise<number> {
  const dropped = await session.run(DROP_CHANGES, [project, floor]);
  for (const end of ['change_seq', 'by_seq']) {
    const sql = `
      DELETE FROM cancellations WHERE project = $1 AND ${end} < $2
      AND ${end} NOT IN (SELECT seq FROM changes WHERE project = $1)`;
    await session.run(sql, [project, floor]);
  }
  return dropped;
}

// $2: hashes that are needed besides those that rows name.
const REACHED = `
  reached(hash) AS (
    SELECT before_blob FROM changes WHERE project = $1 AND before_blob IS NOT NULL
    UNION SELECT after_blob FROM changes WHERE project = $1 AND after_blob IS NOT NULL
    UNION SELECT blob FROM heads WHERE project = $1 AND blob IS NOT NULL
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

/** The blobs that the baseline and an unfinished restore need. */
async function namedBlobs(session: Session, project: number): Promise<Uint8Array[]> {
  const journal = await readJournal(session, project);
  const baseline = await readBaseline(session, project);
  const blobs = journal === null ? [] : statesOf(journal).flatMap(blobsOf);
  return [...blobs, ...(baseline === null ? [] : [baseline.manifest])].map(hashToBytes);
}

function statesOf({ steps, changes }: Journal): (State | null)[] {
  return [
    ...steps.flatMap(({ from, to }) => [from, to]),
    ...changes.flatMap(({ before, after }) => [before, after]),
  ];
}

function blobsOf(state: State | null): BlobId[] {
  return state?.kind === 'captured' && state.blob !== null ? [state.blob] : [];
}

const OF_PATHS = 'AND path = ANY($2::bytea[])';
const BY_CHANGES_OF_PATHS = `AND change_seq IN (
  SELECT seq FROM changes WHERE project = $1 AND path = ANY($2::bytea[]))`;

/** Compares the seals of the rows that a restore relies on. The server has checksums for its pages. */
async function verify(
  { database, project }: Opened,
  paths: readonly TrackedPath[] | null,
  checkpoint: CheckpointId | null,
): Promise<void> {
  const look = async <Entry extends object>(
    table: RecordTable<Entry>,
    rest = '',
    ...values: readonly unknown[]
  ): Promise<void> => {
    if ((await table.brokenSeals(database, project, rest, ...values)) === 0) return;
    const message = `${table.name} of the store are not what was written`;
    throw new SavepointError('store-corrupt', message, { hint: 'nothing was touched' });
  };
  if (paths === null) {
    await look(changes);
    await look(heads);
    await look(cancellations);
    await look(checkpoints);
  } else {
    const list = paths.map(pathToBytes);
    await look(changes, OF_PATHS, list);
    await look(heads, OF_PATHS, list);
    await look(cancellations, BY_CHANGES_OF_PATHS, list);
  }
  await look(sessions);
  await look(operations);
  if (checkpoint !== null) await look(checkpoints, 'AND id = $2', textToBytes(checkpoint));
}

const PURGED = unknown('purged');

/**
 * See the port. One transaction. What the server keeps of removed rows (free space, its log, backups) is beyond a
 * client; docs/postgres.md says what an operator does about that.
 */
async function purge(
  { database, schema, project }: Opened,
  paths: readonly TrackedPath[],
): Promise<void> {
  const first = alone(schema, project, ALONE_TIMEOUT_MS);
  await database.transaction(
    async (session) => {
      if ((await readJournal(session, project)) !== null) {
        throw new SavepointError('restore-unfinished', 'a restore is not finished', {
          hint: 'what it left has to be put away first; the next command does that',
        });
      }
      const list = paths.map(pathToBytes);
      const changed = await changes.list(session, project, OF_PATHS, list);
      // An open change stays open: whoever opened it will close it with the state that it finds then.
      await changes.put(
        session,
        project,
        changed.map((one) => ({ ...one, before: PURGED, after: one.after && PURGED })),
      );
      const known = await heads.list(session, project, OF_PATHS, list);
      await heads.put(
        session,
        project,
        known.map((head) => ({ ...head, state: PURGED })),
      );
      await purgeBaseline(session, project, new Set(paths));
      await dropBlobs(session, project);
    },
    { first },
  );
}

/** Takes paths out of the baseline, and out of its packs what no other path had at the baseline. */
async function purgeBaseline(
  session: Writing,
  project: number,
  purged: ReadonlySet<TrackedPath>,
): Promise<void> {
  const baseline = await readBaseline(session, project);
  if (baseline === null) return;
  const list = new Manifest(await readBlob(session, project, baseline.manifest));
  const [gone, others] = [new Set<BlobId>(), new Set<BlobId>()];
  for (const [path, state] of list) {
    if (state.kind !== 'captured' || state.blob === null) continue;
    (purged.has(path) ? gone : others).add(state.blob);
  }
  const manifest = withoutPaths(list, purged);
  await putBlobs(session, project, [manifest], true);
  await writeBaseline(session, project, { ...baseline, manifest: manifest.id });
  const stale = [...gone].filter((id) => !others.has(id)).map(hashToBytes);
  const sql = 'DELETE FROM packed WHERE project = $1 AND hash = ANY($2::bytea[])';
  await session.run(sql, [project, stale]);
}

function withoutPaths(list: Manifest, purged: ReadonlySet<TrackedPath>): Blob {
  const writer = new ManifestWriter(list.count);
  for (let at = 0; at < list.count; at += 1) {
    writer.set(at, purged.has(list.path(at)) ? PURGED : list.state(at));
  }
  return blobOf(writer.finish((at) => list.path(at)));
}

const countOf = (table: string): string => `(SELECT count(*) FROM ${table} WHERE project = $1)`;
const STATS = `
  SELECT ${countOf('sessions')} AS "sessions", ${countOf('checkpoints')} AS "checkpoints",
    ${countOf('changes')} AS "changes", ${countOf('operations')} AS "operations",
    count(*) FILTER (WHERE named) AS "blobs",
    coalesce(sum(size) FILTER (WHERE named), 0)::bigint AS "blobBytes",
    coalesce(sum(stored) FILTER (WHERE named AND NOT ${IS_PACKED}), 0)::bigint AS "storedBytes",
    coalesce(sum(stored) FILTER (WHERE ${IS_PACKED}), 0)::bigint AS "packedBytes"
  FROM blobs WHERE project = $1`;

async function readStats({ database, project }: Opened): Promise<StoreStats> {
  const [row] = await database.query<Omit<StoreStats, 'gitBytes'>>(STATS, [project]);
  return { ...(row as StoreStats), gitBytes: 0 };
}

const TABLES = [
  ...['sessions', 'checkpoints', 'windows', 'heads', 'changes', 'private_paths', 'cancellations'],
  ...[
    'operations',
    'meta',
    'blobs',
    'pieces',
    'packed',
    'parts',
    'documents',
    'executions',
    'steps',
  ],
];

/** What the rows of the project take up. The files of the server are those of all projects. */
async function diskBytes({ database, project }: Opened): Promise<number> {
  const sums = TABLES.map(
    (table) =>
      `(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM ${table} AS t WHERE project = $1)`,
  );
  const sql = `SELECT (${sums.join(' + ')})::bigint AS bytes`;
  const [row] = await database.query<{ bytes: number }>(sql, [project]);
  return row?.bytes ?? 0;
}
