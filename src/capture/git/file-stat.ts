import type { BigIntStats } from 'node:fs';

/** What `lstat` said of one file of the worktree. All times as seconds and nanoseconds. */
export interface FileStat {
  readonly size: number;
  readonly mtimeSec: number;
  readonly mtimeNsec: number;
  readonly ctimeSec: number;
  readonly ctimeNsec: number;
  readonly inode: number;
  /** The whole of `st_mode`. */
  readonly mode: number;
}

export interface Moment {
  readonly sec: number;
  readonly nsec: number;
}

const SECOND = 1_000_000_000n;

export function fileStatOf(stats: BigIntStats): FileStat {
  const mtime = momentOf(stats.mtimeNs);
  const ctime = momentOf(stats.ctimeNs);
  return {
    size: Number(stats.size),
    mtimeSec: mtime.sec,
    mtimeNsec: mtime.nsec,
    ctimeSec: ctime.sec,
    ctimeNsec: ctime.nsec,
    inode: Number(stats.ino),
    mode: Number(stats.mode),
  };
}

/** Before 1970 too, nanoseconds count forward. */
export function momentOf(ns: bigint): Moment {
  const nsec = ((ns % SECOND) + SECOND) % SECOND;
  return { sec: Number((ns - nsec) / SECOND), nsec: Number(nsec) };
}

/**
 * Whether the file was last touched before a moment. Its ctime counts as well, unlike in git: `utimes`
 * can make a file that was written just now look old, but not its ctime.
 */
export function isOlder(stat: FileStat, than: Moment): boolean {
  return (
    isBefore(stat.mtimeSec, stat.mtimeNsec, than) && isBefore(stat.ctimeSec, stat.ctimeNsec, than)
  );
}

function isBefore(sec: number, nsec: number, than: Moment): boolean {
  return sec < than.sec || (sec === than.sec && nsec < than.nsec);
}
