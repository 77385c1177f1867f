import { isSavepointError } from '../../../model/errors.ts';
import type { CheckpointId, PartId } from '../../../model/ids.ts';
import { type BaselineState, Manifest } from '../../../model/manifest.ts';
import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import { bytesToHash, hashToBytes } from '../../state-columns.ts';
import { type BlobRow, intact, readBlob } from '../blobs.ts';
import type { Connection } from '../connection.ts';
import { ownPart } from '../documents.ts';
import type { Opened } from '../layout.ts';
import { readBaseline } from '../meta.ts';
import { type PartRow, toPart } from '../parts.ts';
import { NO_PART } from '../prune.ts';
import { problem, type StoreProblem } from './problem.ts';

/** What was found wrong with each content; null for one that is right. One at a time, so that others get a turn. */
export type Contents = Generator<StoreProblem | null>;

const NAMED = `
  SELECT before_blob AS id FROM changes UNION SELECT after_blob FROM changes UNION SELECT blob FROM heads`;

const DANGLING = `SELECT id FROM (${NAMED}) WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM blobs)`;

// A missing blob that no row names only keeps its number from being used again.
const BLOBS = `
  SELECT id, hash, size, encoding FROM blobs
  WHERE encoding <> 'missing' OR id IN (${NAMED}) ORDER BY id`;

type CheckedRow = Pick<BlobRow, 'id' | 'hash' | 'size' | 'encoding'>;

/** Reads every blob and compares it with its hash. */
export function* checkBlobs(opened: Opened): Contents {
  const { connection } = opened;
  for (const { id } of connection.all<{ id: number }>(DANGLING)) {
    yield problem('chain', 'a content is named that is not there', affectedBy(connection, id));
  }
  for (const row of connection.all<CheckedRow>(BLOBS)) {
    const damage = damageOf(opened, row);
    const message = `the content ${bytesToHash(row.hash)} ${damage}`;
    yield damage === null ? null : problem('blob', message, affectedBy(connection, row.id));
  }
}

function damageOf(opened: Opened, { hash, size, encoding }: CheckedRow): string | null {
  try {
    const bytes = readBlob(opened, bytesToHash(hash));
    return bytes.length === size ? null : 'is not as long as its row says';
  } catch (error) {
    if (isSavepointError(error, 'blob-missing')) return 'is missing';
    if (!isSavepointError(error, 'blob-corrupt')) throw error;
    return encoding === 'pack' || encoding === 'git'
      ? `is damaged where ${encoding} has it`
      : 'is damaged';
  }
}

// A checkpoint needs the state that a path had at it: the one from which the path's next change began.
const AFFECTED = `
  SELECT DISTINCT heads.path, checkpoints.id AS checkpoint FROM (
    SELECT path, seq AS until, coalesce((SELECT max(earlier.seq) FROM changes AS earlier
      WHERE earlier.path = changes.path AND earlier.seq < changes.seq), 0) AS since
    FROM changes WHERE before_blob = ?1
    UNION ALL SELECT path, seq, seq FROM changes WHERE after_blob = ?1
    UNION ALL SELECT id, 9e15, seq FROM heads WHERE blob = ?1
  ) AS spans
  JOIN heads ON heads.id = spans.path
  LEFT JOIN checkpoints ON checkpoints.seq > spans.since AND checkpoints.seq < spans.until`;

/** The paths that had a blob, and the checkpoints at which they had it. */
function affectedBy(connection: Connection, blob: number): Partial<StoreProblem> {
  const rows = connection.all<{ path: Uint8Array; checkpoint: CheckpointId | null }>(
    AFFECTED,
    blob,
  );
  const paths = new Set(rows.map(({ path }) => bytesToPath(path) as TrackedPath));
  const checkpoints = new Set(rows.flatMap(({ checkpoint }) => checkpoint ?? []));
  return { paths: [...paths].sort(), checkpoints: [...checkpoints] };
}

/** The list of the first scan; null where there is none, or where it cannot be read. */
export function readManifest(opened: Opened): Manifest | null {
  try {
    const baseline = readBaseline(opened.connection);
    return baseline === null ? null : new Manifest(readBlob(opened, baseline.manifest));
  } catch {
    return null;
  }
}

const SINCE = 'SELECT id FROM checkpoints WHERE seq > ? ORDER BY seq DESC';

/** The baseline names every file that never changed: each of its contents must be there. */
export function* checkBaseline(opened: Opened): Contents {
  const baseline = readBaseline(opened.connection);
  if (baseline === null) return;
  const rows = opened.connection.all<{ id: CheckpointId }>(SINCE, baseline.seq);
  const checkpoints = rows.map(({ id }) => id);
  const list = readManifest(opened);
  if (list === null) {
    const message =
      'the list of the first scan is lost: paths that never changed cannot be restored';
    yield problem('baseline', message, { checkpoints });
    return;
  }
  for (const [path, state] of list) {
    const [kind, place] = state.kind === 'git' ? ['git', 'git object'] : ['pack', 'pack'];
    const message = `what the first scan found at ${path} is lost in its ${place}`;
    yield isReadableEntry(opened, state, baseline.packs)
      ? null
      : problem(kind as 'git' | 'pack', message, { paths: [path], checkpoints });
  }
}

const HAS_ROW = "SELECT 1 FROM blobs WHERE hash = ? AND encoding <> 'missing'";

/**
 * Whether the bytes that an entry of the list names are there, if it names any: in one of these packs, or in
 * a row. Another pack does not count, because `prune` removes it.
 */
export function isReadableEntry(
  opened: Opened,
  state: BaselineState,
  packs: readonly string[],
): boolean {
  if (state.kind === 'unknown') return true;
  if (state.kind === 'git') {
    const bytes = intact(() => opened.gitObjects.read(state.key));
    return bytes !== null && bytes.length === state.size;
  }
  const { blob } = state;
  if (blob === null || intact(() => opened.packs.read(blob, packs)) !== null) return true;
  const hasRow = opened.connection.get(HAS_ROW, hashToBytes(blob)) !== undefined;
  return hasRow && intact(() => readBlob(opened, blob)) !== null;
}

const PARTS = `SELECT id FROM parts WHERE kind <> ${NO_PART} ORDER BY id`;
const PART = 'SELECT id, hash, kind, children, data FROM parts WHERE id = ?';
const OWN = 'SELECT * FROM documents WHERE part IS NULL';

/** SQL for whether a column names a part that is not there. */
export function isLost(column: string): string {
  const there = `(SELECT id FROM parts WHERE kind <> ${NO_PART})`;
  return `(${column} IS NOT NULL AND ${column} NOT IN ${there})`;
}

const OF_STEP =
  "' of step ' || step || ' of ' || (SELECT id FROM executions WHERE num = execution)";

const WITHOUT_PART = `
  SELECT 'document ' || category || ' ' || key AS what FROM documents WHERE ${isLost('part')}
  UNION ALL SELECT 'state' || ${OF_STEP} FROM steps WHERE ${isLost('root')}
  UNION ALL SELECT 'result' || ${OF_STEP} FROM steps WHERE ${isLost('result')}
  UNION ALL SELECT 'first state of ' || id FROM executions WHERE ${isLost('root')}`;

/** Compares every part with its name, which is a hash of the part and of everything below it. */
export function* checkParts({ connection }: Opened): Contents {
  const names = new Map<number, PartId>();
  for (const { id, isIntact } of partsOf(connection, names)) {
    yield isIntact ? null : problem('blob', `the part ${id} of documents is damaged`);
  }
  for (const row of connection.all<OwnRow>(OWN)) {
    const message = `the document ${row.category} ${row.key} is damaged`;
    yield isOwnIntact(row, names) ? null : problem('blob', message);
  }
  for (const { what } of connection.all<{ what: string }>(WITHOUT_PART)) {
    yield problem('blob', `the ${what} is lost`);
  }
}

/** By ascending number, since a part is stored after those that it holds. Adds the intact ones to `names`. */
export function* partsOf(
  connection: Connection,
  names: Map<number, PartId>,
): Generator<{ id: number; isIntact: boolean }> {
  for (const { id } of connection.all<{ id: number }>(PARTS)) {
    const row = connection.get<PartRow>(PART, id);
    const isIntact = row !== undefined && isReadable(() => toPart(row, names));
    if (isIntact) names.set(id, bytesToHash<PartId>(row.hash));
    yield { id, isIntact };
  }
}

interface OwnRow extends Omit<PartRow, 'id'> {
  readonly num: number;
  readonly category: string;
  readonly key: string;
}

/** Documents whose first part is in their own row, and is damaged or holds a part that is not in `names`. */
export function damagedDocuments(
  connection: Connection,
  names: ReadonlyMap<number, PartId>,
): OwnRow[] {
  return connection.all<OwnRow>(OWN).filter((row) => !isOwnIntact(row, names));
}

function isOwnIntact(row: OwnRow, names: ReadonlyMap<number, PartId>): boolean {
  return isReadable(() => toPart(ownPart(row), names));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    // Values of another type than was written, or a list of parts that is not JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return false;
    if (isSavepointError(error, 'part-missing') || isSavepointError(error, 'part-corrupt')) {
      return false;
    }
    throw error;
  }
}

/** How many contents there are to read: blobs, entries of the baseline and parts. */
export function countContents(opened: Opened): number {
  const sql = `SELECT (SELECT count(*) FROM (${BLOBS})) + (SELECT count(*) FROM (${PARTS})) AS count`;
  const rows = opened.connection.get<{ count: number }>(sql)?.count ?? 0;
  return rows + (readManifest(opened)?.count ?? 0);
}
