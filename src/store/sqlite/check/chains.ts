import type { Seq } from '../../../model/ids.ts';
import type { Connection } from '../connection.ts';
import { isKnownMode } from '../state-columns.ts';

/** A change, as far as the chain of its path is concerned. */
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

/** Below it retention takes changes out of the middle of chains. */
export function floorOf(connection: Connection): Seq {
  return connection.get<{ floor: Seq }>(FLOOR)?.floor ?? 0;
}

export function readChains(connection: Connection): Chain[] {
  const links = Map.groupBy(connection.all<Link>(LINKS), ({ path }) => path);
  const heads = connection.all<ChainHead>('SELECT id, path, seq, open, mode, blob FROM heads');
  return heads.map((head) => ({ head, links: links.get(head.id) ?? [] }));
}

/** Whether a change begins where the one before it ended; one that is open ended nowhere yet. */
export function isJoined(before: Link | undefined, link: Link, floor: Seq): boolean {
  if (before === undefined || before.seq < floor || before.after_mode === null) return true;
  return before.after_mode === link.before_mode && before.after_blob === link.before_blob;
}

/** Whether the last known state of a path is where its last change ended. */
export function isHeadRight({ head, links }: Chain, floor: Seq): boolean {
  const last = links.at(-1);
  if (last === undefined || (last.seq < head.seq && head.seq < floor)) return true;
  const isOpen = last.after_mode === null;
  return (
    head.seq === last.seq &&
    head.open === (isOpen ? 1 : 0) &&
    head.mode === (last.after_mode ?? last.before_mode) &&
    head.blob === (isOpen ? last.before_blob : last.after_blob)
  );
}

export function isBeforeKnown({ before_mode, before_blob }: Link): boolean {
  return isKnownMode(before_mode, before_blob !== null);
}

export function isAfterKnown({ after_mode, after_blob }: Link): boolean {
  return after_mode === null ? after_blob === null : isKnownMode(after_mode, after_blob !== null);
}
