import type { DatabaseSync } from 'node:sqlite';
import type { Seq } from '../../../model/ids.ts';
import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import { problem, type StoreProblem } from '../check/problem.ts';
import type { Connection } from '../connection.ts';
import { brokenSeals } from '../seals.ts';
import { eachRow } from './copy-rows.ts';

/** A change, as the index of paths has it. */
interface Entry {
  readonly path: number;
  readonly seq: Seq;
}

/**
 * The changes that a damaged database had and the new one lacks. The chain of a path does not show that its
 * first change is lost, nor that two are lost of which the second took back the first: what is left seems
 * joined, and would speak for a time in which the path had another state.
 */
export interface LostChanges {
  /** By the number of their path. */
  readonly known: ReadonlyMap<number, readonly Entry[]>;
  /** Between these numbers changes of any path may be lost as well. Null where `known` has all of them. */
  readonly between: { readonly after: Seq; readonly before: Seq } | null;
}

export const NO_LOST_CHANGES: LostChanges = { known: new Map(), between: null };

/**
 * Compares the new database, into which all rows that can be read were copied, with the old one. The index of
 * paths names the changes that the table has lost. Where the index cannot be read to its end either, the
 * table is trusted from both ends as far as each row is there and is what was written.
 */
export function findLostChanges(target: Connection, source: DatabaseSync): LostChanges {
  const rows = target.all<Entry>('SELECT path, seq FROM changes');
  const paths = new Map(rows.map(({ path, seq }) => [seq, path]));
  const broken = new Set(brokenSeals(target, 'changes').map(({ key }) => Number(key)));
  const isRight = (seq: Seq): boolean => paths.has(seq) && !broken.has(seq);
  const { entries, isWhole } = readIndex(source);
  const first = rightRows(source, 'ASC', isRight);
  // More entries than rows: the table hides some without an error.
  if (first.isWhole && entries.length <= first.count) return NO_LOST_CHANGES;
  // Where only the seal of a row is broken, its states become unknown, and its chain shows that.
  const lost = entries.filter(({ path, seq }) => !isRight(seq) && paths.get(seq) !== path);
  const known = Map.groupBy(lost, ({ path }) => path);
  if (isWhole || first.isWhole) return { known, between: null };
  const { end } = rightRows(source, 'DESC', isRight);
  return { known, between: { after: first.end, before: end } };
}

/** Whether a change of the path may be lost that came after one number and before the other. */
export function mayMiss(
  { known, between }: LostChanges,
  path: number,
  [low, high]: readonly [Seq, Seq],
): boolean {
  if (known.get(path)?.some(({ seq }) => low < seq && seq < high)) return true;
  return between !== null && Math.min(high, between.before) - Math.max(low, between.after) > 1;
}

/** What to tell people, for each path that has lost changes. */
export function describeLost(connection: Connection, { known }: LostChanges): StoreProblem[] {
  return [...known].flatMap(([id, { length }]) => {
    const head = connection.get<{ path: Uint8Array }>('SELECT path FROM heads WHERE id = ?', id);
    if (head === undefined) return [];
    const message =
      length === 1 ? 'one of its changes is lost' : `${length} of its changes are lost`;
    return [problem('chain', message, { paths: [bytesToPath(head.path) as TrackedPath] })];
  });
}

/** The entries of the index up to the first that cannot be read or is out of order. */
function readIndex(source: DatabaseSync): { entries: Entry[]; isWhole: boolean } {
  const entries: Entry[] = [];
  const sql = 'SELECT path, rowid AS seq FROM changes INDEXED BY changes_path';
  const isWhole = eachRow<Entry>(source, sql, ({ path, seq }) => {
    const last = entries.at(-1) ?? { path: 0, seq: 0 };
    const isInOrder = path > last.path || (path === last.path && seq > last.seq);
    if (isInOrder) entries.push({ path, seq });
    return isInOrder;
  });
  return { entries, isWhole };
}

/** How many rows of the table are right, from one of its ends on, and the number of the last of them. */
function rightRows(
  source: DatabaseSync,
  order: 'ASC' | 'DESC',
  isRight: (seq: Seq) => boolean,
): { count: number; end: Seq; isWhole: boolean } {
  let count = 0;
  let end = order === 'ASC' ? 0 : Number.MAX_SAFE_INTEGER;
  const sql = `SELECT rowid AS seq FROM changes NOT INDEXED ORDER BY rowid ${order}`;
  const isWhole = eachRow<{ seq: Seq }>(source, sql, ({ seq }) => {
    // A page that was cut off reads as zeros, without an error.
    const isInOrder = order === 'ASC' ? seq > end : seq < end;
    if (!isInOrder || !isRight(seq)) return false;
    count += 1;
    end = seq;
    return true;
  });
  return { count, end, isWhole };
}
