import { isOutside, type TrackedPath } from '../../model/path.ts';
import type { CaptureSite } from '../capture.ts';
import { noDifferences, type ScanDifferences } from './differences.ts';
import type { ScanIndex } from './scan-index.ts';

/**
 * For when the stat index is lost: everything on record and everything on disk is looked at. What is on
 * disk and not on record may have been there all along, so it counts as having entered.
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
  differences.gone.push(...recorded);
  return differences;
}

/** Every path of the project that is on record: heads stay when retention drops their changes. */
export async function recordedPaths({ known, store }: CaptureSite): Promise<Set<TrackedPath>> {
  const paths = new Set<TrackedPath>();
  for (const [path] of (await known.manifest()) ?? []) paths.add(path);
  for (const { path } of await store.heads()) {
    if (!isOutside(path)) paths.add(path);
  }
  return paths;
}
