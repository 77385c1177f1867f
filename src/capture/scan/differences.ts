import type { Seq } from '../../model/ids.ts';
import { databaseOf, isLiving, partsOf } from '../../model/living-file.ts';
import { isOutside, type TrackedPath } from '../../model/path.ts';
import { oldestCheckpointSeq } from '../../store/find.ts';
import type { Store } from '../../store/store.ts';
import type { CaptureSite } from '../capture.ts';
import { diskFileSystem } from './file-system.ts';
import { isSameStat } from './index-columns.ts';
import type { ScanIndex } from './scan-index.ts';

/** How the entries in scope differ from the previous index. Each path is in one list at most. */
export interface ScanDifferences {
  /**
   * In both indices, and its content may have changed: its stat moved, or proves nothing. A folder is
   * here only if its mode changed or it was a file before; its names are in the other lists.
   */
  readonly touched: TrackedPath[];
  /** In scope now, and known not to have been there before: really new. */
  readonly appeared: TrackedPath[];
  /** In scope now, but the previous scan could not have seen it: not a creation. */
  readonly entered: TrackedPath[];
  /** Was in the index and is not on disk. */
  readonly gone: TrackedPath[];
  /** Was in the index, is on disk, but is ignored now: not a deletion. */
  readonly left: TrackedPath[];
  /**
   * Folders that could not be read completely, and names in the root for which `lstat` failed. Their
   * known entries stay in the index as they were. Such a path may also be in another list.
   */
  readonly unreadable: TrackedPath[];
  /** Was left out only because it is large, or git's own, and is not on disk: nothing is on record of it. */
  readonly lost: TrackedPath[];
}

export function noDifferences(): ScanDifferences {
  return { touched: [], appeared: [], entered: [], gone: [], left: [], unreadable: [], lost: [] };
}

/** Whether a path was written to since an index was made, by its stat alone. */
export type Moved = (path: TrackedPath) => boolean;

/** Works also for a path that the new index leaves out because a rule hides it now. */
export function movedSince(root: string, previous: ScanIndex, index: ScanIndex): Moved {
  return (path) => {
    const entry = previous.find(path);
    if (entry === -1) return true;
    const { stat: was } = previous.stampOf(entry);
    const found = index.find(path);
    const now = found === -1 ? diskFileSystem.lstat(`${root}/${path}`) : index.stampOf(found).stat;
    return now === null || !isSameStat(was, now);
  };
}

/**
 * Files that the previous scan left out for their size, and that are gone, where another file of the same database is
 * on record. A plan has to know of them: without them, that one would come back as half a database.
 */
export async function goneUnseen(
  { root, known }: CaptureSite,
  previous: ScanIndex,
  index: ScanIndex,
): Promise<TrackedPath[]> {
  const gone: TrackedPath[] = [];
  for (const path of previous.outgrown(isLiving)) {
    if (index.find(path) !== -1 || diskFileSystem.lstat(`${root}/${path}`) !== null) continue;
    const parts = await Promise.all(partsOf(databaseOf(path)).map((part) => known.find(part)));
    if (parts.some((part) => part !== null)) gone.push(path);
  }
  return gone;
}

/**
 * The differences when the stat index is lost: every path on record and on disk is looked at. A path that
 * is on disk and not on record may have been there all along, so it counts as having entered.
 */
export async function compareWithRecord(
  site: CaptureSite,
  index: ScanIndex,
): Promise<ScanDifferences> {
  const recorded = await recordedPaths(site);
  const differences = noDifferences();
  for (let entry = 0; entry < index.count; entry += 1) {
    const path = index.path(entry);
    const list = recorded.delete(path) ? differences.touched : differences.entered;
    list.push(path);
  }
  for (const path of recorded) differences.gone.push(path);
  return differences;
}

/** Every path of the project that is on record: heads stay when retention drops their changes. */
export async function recordedPaths({ known, store }: CaptureSite): Promise<Set<TrackedPath>> {
  const paths = new Set<TrackedPath>();
  for (const [path] of (await known.manifest()) ?? []) paths.add(path);
  for (const { path } of await store.timeline.heads()) {
    if (!isOutside(path)) paths.add(path);
  }
  return paths;
}

/** The timeline since the previous walk. */
export interface SinceWalk {
  /** The sequence number at which its index was true. */
  readonly since: Seq;
  /** Paths at which a tool was at work then. */
  readonly unsettled: ReadonlySet<TrackedPath>;
  /** Paths at which a tool is at work now. */
  readonly open: readonly TrackedPath[];
}

/**
 * Adds the paths that tools captured since the previous walk: they may have come and gone between two
 * walks, so that neither saw them. A capture that was open at the previous walk has an older number but
 * ended after it.
 */
export async function withRecordedSince(
  store: Store,
  found: ScanDifferences,
  { since, unsettled, open }: SinceWalk,
): Promise<ScanDifferences> {
  const { touched, appeared, entered, gone, left } = found;
  const listed = new Set([...touched, ...appeared, ...entered, ...gone, ...left]);
  const stillOpen = new Set(open);
  const closed = [...unsettled].filter((path) => !stillOpen.has(path));
  const added = new Set([...(await recordedSince(store, since)), ...closed]);
  const missing = [...added].filter((path) => !listed.has(path) && !isOutside(path));
  return { ...found, touched: [...touched, ...missing] };
}

/** Retention drops changes below the oldest checkpoint, but never the heads of their paths. */
async function recordedSince(store: Store, since: Seq): Promise<TrackedPath[]> {
  const oldest = await oldestCheckpointSeq(store);
  const isWhole = oldest !== null && oldest <= since;
  const rows = isWhole
    ? await store.timeline.changes({ after: since })
    : (await store.timeline.heads()).filter(({ seq }) => seq > since);
  return rows.map(({ path }) => path);
}

/**
 * Adds the paths on record that rules leave out: tools have named them. A walk does not look at them, so this
 * takes a look at each, whenever somebody wants to know what a command did to them. A private file that comes
 * back was looked at in the same way while it was left out, so that its record tells what the command did.
 */
export async function withLeftOut(
  store: Store,
  found: ScanDifferences,
  { index, previous }: { readonly index: ScanIndex; readonly previous: ScanIndex | null },
): Promise<ScanDifferences> {
  const { touched, left, entered } = found;
  const listed = new Set([...touched, ...left]);
  const heads = (await store.timeline.heads()).filter(({ state }) => state.kind !== 'unknown');
  const onRecord = new Set(heads.map(({ path }) => path));
  const missing = [...onRecord].filter((path) => !listed.has(path) && index.leavesOut(path));
  const back = new Set(
    entered.filter(
      (path) =>
        onRecord.has(path) && previous?.leavesOut(path) && index.isPrivate(index.find(path)),
    ),
  );
  return {
    ...found,
    touched: [...touched, ...missing, ...back],
    entered: entered.filter((path) => !back.has(path)),
  };
}
