import type { Seq } from '../../../model/ids.ts';
import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import { withoutRemarks } from '../../state-columns.ts';
import type { Connection } from '../connection.ts';
import { SEALED_COLUMNS, type SealedTable } from '../schema.ts';
import { type BrokenSeal, brokenSeals } from '../seals.ts';
import { problem, type StoreProblem } from './problem.ts';

export const SEALED_TABLES: readonly SealedTable[] = Object.keys(SEALED_COLUMNS) as SealedTable[];

const CHANGED_PATH = `
  SELECT heads.path FROM changes JOIN heads ON heads.id = changes.path WHERE changes.seq = ?`;

const PATH_OF: Partial<Record<SealedTable, string>> = {
  changes: CHANGED_PATH,
  heads: 'SELECT path FROM heads WHERE id = ?',
  private_paths: 'SELECT path FROM private_paths WHERE num = ?',
  cancellations: CHANGED_PATH,
};

/** Rows of a table that are not what was written. */
export function checkSeals(connection: Connection, table: SealedTable): StoreProblem[] {
  return brokenSeals(connection, table).map(({ key }: BrokenSeal) => {
    const sql = PATH_OF[table];
    const row = sql === undefined ? undefined : connection.get<{ path: Uint8Array }>(sql, key);
    const paths = row?.path instanceof Uint8Array ? [bytesToPath(row.path) as TrackedPath] : [];
    return problem('row', `the row ${key} of ${table} is not what was written`, { paths });
  });
}

/** The newest number that any row has. */
export const NEWEST: string = `
  SELECT max(seq) AS seq FROM (
    SELECT max(seq) AS seq FROM checkpoints UNION ALL SELECT max(seq) FROM changes
    UNION ALL SELECT max(seq) FROM operations UNION ALL SELECT max(max(opened), max(closed)) FROM windows
    UNION ALL SELECT max(seq) FROM heads
  )`;

const CANCELLATIONS = `
  SELECT change_seq, by_seq FROM cancellations
  WHERE by_seq >= ?1 AND by_seq NOT IN (SELECT seq FROM changes)
    OR change_seq >= ?1 AND change_seq NOT IN (SELECT seq FROM changes)`;

/** Changes of another session than their checkpoint. The number of a session is not covered by its seal: it may be wrong. */
export const STRANGERS: string = `
  SELECT changes.seq FROM changes JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
  JOIN sessions ON sessions.num = changes.session
  WHERE checkpoints.session_id IS NOT NULL AND checkpoints.session_id <> sessions.id`;

/** Rows that contradict each other. */
export function checkChains(connection: Connection): StoreProblem[] {
  const floor = floorOf(connection);
  return [
    ...checkOrder(connection),
    ...checkLinks(connection, floor),
    ...checkCancellations(connection, floor),
    ...connection
      .all<{ seq: Seq }>(STRANGERS)
      .map(({ seq }) =>
        problem('chain', `change ${seq} is of another session than its checkpoint`),
      ),
  ];
}

function checkOrder(connection: Connection): StoreProblem[] {
  const newest = connection.get<{ seq: Seq | null }>(NEWEST)?.seq ?? 0;
  const seq =
    connection.get<{ value: Seq }>("SELECT value FROM meta WHERE key = 'seq'")?.value ?? -1;
  return newest <= seq ? [] : [problem('chain', `number ${newest} is beyond the last one, ${seq}`)];
}

/** Each change begins where the one before it ended, and the last known state is where the last one did. */
function checkLinks(connection: Connection, floor: Seq): StoreProblem[] {
  return readChains(connection).flatMap((chain) => {
    const paths = [bytesToPath(chain.head.path) as TrackedPath];
    return brokenLinks(chain, floor).map((message) => problem('chain', message, { paths }));
  });
}

function brokenLinks(chain: Chain, floor: Seq): string[] {
  const { links } = chain;
  const joints = links.flatMap((link, at) => {
    const before = links[at - 1];
    if (isJoined(before, link, floor)) return [];
    return [`change ${link.seq} does not begin where change ${before?.seq} ended`];
  });
  return isHeadRight(chain, floor)
    ? joints
    : [...joints, 'its last known state is not that of its last change'];
}

function checkCancellations(connection: Connection, floor: Seq): StoreProblem[] {
  const rows = connection.all<{ change_seq: Seq; by_seq: Seq }>(CANCELLATIONS, floor);
  return rows.map(({ change_seq, by_seq }) =>
    problem('chain', `change ${by_seq} takes back change ${change_seq}, and one of them is lost`),
  );
}

/** The columns of a change that the chain of its path depends on. */
export interface Link {
  readonly path: number;
  readonly seq: Seq;
  readonly before_mode: number;
  readonly before_blob: number | null;
  readonly after_mode: number | null;
  readonly after_blob: number | null;
}

export interface ChainHead {
  readonly id: number;
  readonly path: Uint8Array;
  readonly seq: Seq;
  readonly open: number;
  readonly mode: number;
  readonly blob: number | null;
}

export interface Chain {
  readonly head: ChainHead;
  /** Oldest first. */
  readonly links: readonly Link[];
}

const FLOOR = `
  SELECT min((SELECT coalesce(min(seq), 9e15) FROM checkpoints),
    (SELECT coalesce(min(seq), 9e15) FROM operations)) AS floor`;

const LINKS = `
  SELECT path, seq, before_mode, before_blob, after_mode, after_blob FROM changes ORDER BY path, seq`;

/** Retention removes changes below this number, also from the middle of a chain. */
export function floorOf(connection: Connection): Seq {
  return connection.get<{ floor: Seq }>(FLOOR)?.floor ?? 0;
}

export function readChains(connection: Connection): Chain[] {
  const links = Map.groupBy(connection.all<Link>(LINKS), ({ path }) => path);
  const heads = connection.all<ChainHead>('SELECT id, path, seq, open, mode, blob FROM heads');
  return heads.map((head) => ({ head, links: links.get(head.id) ?? [] }));
}

/** Whether a change begins where the one before it ended. An open change has not ended yet. */
export function isJoined(before: Link | undefined, link: Link, floor: Seq): boolean {
  if (before === undefined || before.seq < floor || before.after_mode === null) return true;
  const isSameMode = withoutRemarks(before.after_mode) === withoutRemarks(link.before_mode);
  return isSameMode && before.after_blob === link.before_blob;
}

/**
 * Whether the last known state of a path is where its last change ended. Without that change it would speak
 * for checkpoints before the change, too; retention removes only changes that no checkpoint comes before.
 */
export function isHeadRight({ head, links }: Chain, floor: Seq): boolean {
  const last = links.at(-1);
  if (last === undefined) return head.seq < floor || head.mode < 0;
  if (last.seq < head.seq && head.seq < floor) return true;
  const end = endOf(last);
  return (
    head.seq === end.seq &&
    head.open === end.open &&
    head.mode === end.mode &&
    head.blob === end.blob
  );
}

/** What a head says whose last change is this one. */
export function endOf(last: Link): Pick<ChainHead, 'seq' | 'open' | 'mode' | 'blob'> {
  const { seq, before_mode, before_blob, after_mode, after_blob } = last;
  return after_mode === null
    ? { seq, open: 1, mode: before_mode, blob: before_blob }
    : { seq, open: 0, mode: after_mode, blob: after_blob };
}
