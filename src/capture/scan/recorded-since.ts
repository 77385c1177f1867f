import type { Seq } from '../../model/ids.ts';
import { isOutside, type TrackedPath } from '../../model/path.ts';
import type { Store } from '../../store/store.ts';
import type { ScanDifferences } from './differences.ts';

/** What the timeline says about the time since the walk before. */
export interface SinceWalk {
  /** The sequence number that its index was true at. */
  readonly since: Seq;
  /** Paths at which a tool was at work then. */
  readonly unsettled: ReadonlySet<TrackedPath>;
  /** Paths at which a tool is at work. */
  readonly open: readonly TrackedPath[];
}

/**
 * Tools' captures may name paths that came and went between two walks, so that neither saw them. A capture
 * that was open at the walk before has an older number, but ended after it.
 */
export async function withRecordedSince(
  store: Store,
  found: ScanDifferences,
  { since, unsettled, open }: SinceWalk,
): Promise<ScanDifferences> {
  const listed = new Set<TrackedPath>([
    ...found.touched,
    ...found.appeared,
    ...found.entered,
    ...found.gone,
    ...found.left,
  ]);
  const stillOpen = new Set(open);
  const closed = [...unsettled].filter((path) => !stillOpen.has(path));
  const touched = [...found.touched];
  for (const path of [...(await recordedSince(store, since)), ...closed]) {
    if (listed.has(path) || isOutside(path)) continue;
    listed.add(path);
    touched.push(path);
  }
  return { ...found, touched };
}

/** Retention drops changes below the oldest checkpoint, but never the heads of their paths. */
async function recordedSince(store: Store, since: Seq): Promise<TrackedPath[]> {
  const oldest = await store.oldestCheckpointSeq();
  const isWhole = oldest !== null && oldest <= since;
  const rows = isWhole
    ? await store.changes({ after: since })
    : (await store.heads()).filter(({ seq }) => seq > since);
  return rows.map(({ path }) => path);
}
