import { type CaptureSite, look } from '../capture/capture.ts';
import { statOf } from '../fs/entries.ts';
import type { BaselineState, Manifest } from '../model/manifest.ts';
import type { TrackedPath } from '../model/path.ts';
import { type State, sameState } from '../model/state.ts';
import type { Head, ProjectIdentity } from '../store/store.ts';
import { identityOf, isSameProject, mayBeCopiedUp, mismatch, type Project } from './project.ts';

/**
 * Refuses a folder that is not the one that the store was made for, unless it is to be adopted. Writes only
 * for a new store and for an adoption: commands that only look open a project too.
 */
export async function bindProject(
  site: CaptureSite,
  { identity: found }: Project,
  adopt: boolean,
): Promise<void> {
  const known = (await site.store.state()).project;
  if (known === null || adopt) await site.store.setProject(found);
  else if (!isSameProject(known, found) && !(await isCopiedUp(site, known, found))) {
    throw mismatch(known, found);
  }
}

/**
 * Binds the store to its folder anew if that was copied up since; to be called under the project lock. From
 * then on no comparison is needed, and people may edit what they like. `last` is what the last call returned:
 * the folder that the store is bound to.
 */
export async function keepBound(
  site: CaptureSite,
  last: ProjectIdentity | null,
): Promise<ProjectIdentity | null> {
  const found = identityOrNull(site.root);
  if (found === null || (last !== null && isSameProject(last, found))) return last;
  const known = (await site.store.state()).project;
  if (known === null || isSameProject(known, found)) return known;
  // What was written stands in any case. Where the folder is another one, the next start refuses it.
  const isSame = await isCopiedUp(site, known, found).catch(() => false);
  if (!isSame) return known;
  await site.store.setProject(found);
  return found;
}

/** Null where the folder is gone. The path of a project that is open is a real one, so no link is resolved. */
function identityOrNull(root: string): ProjectIdentity | null {
  try {
    const stats = statOf(root);
    return stats.isDirectory() ? identityOf(root, stats) : null;
  } catch {
    return null;
  }
}

async function isCopiedUp(
  site: CaptureSite,
  known: ProjectIdentity,
  found: ProjectIdentity,
): Promise<boolean> {
  return mayBeCopiedUp(known, found) && (await isAsRecorded(site));
}

/**
 * Whether the folder holds the recorded files: every path that changed is in its last known state, and most
 * other files are as the first scan found them. People may have edited some of those since. At least one file
 * must prove it, unless nothing is on record at all.
 */
async function isAsRecorded(site: CaptureSite): Promise<boolean> {
  const heads = await site.store.timeline.heads();
  const manifest = await site.known.manifest();
  if (heads.length === 0 && (manifest?.count ?? 0) === 0) return true;
  const tally = { same: 0, other: 0 };
  const compare = (path: TrackedPath, state: State): boolean => {
    const seen = look(site, path).state;
    if (state.kind === 'unknown' || seen.kind === 'unknown') return true;
    const isSame = sameState(state, seen);
    if (isTelling(state)) tally[isSame ? 'same' : 'other'] += 1;
    return isSame;
  };
  const isSettled = (head: Head): boolean => head.open || compare(head.path, head.state);
  if (!heads.every(isSettled)) return false;
  const changed = new Set(heads.map(({ path }) => path));
  for (const [path, state] of await sampleOf(site, manifest, changed)) compare(path, state);
  return tally.same > 0 && tally.same >= tally.other;
}

const LARGEST_SAMPLE = 100;
const LARGEST_TELLING = 1024 * 1024;

/** Empty files and folders are the same in every project, and large files take too long to read. */
function isTelling(state: State | BaselineState): boolean {
  const isFile = state.kind === 'git' || (state.kind === 'captured' && state.type === 'file');
  return isFile && state.size > 0 && state.size <= LARGEST_TELLING;
}

/** Files of the baseline that never changed since, from all over it: there may be too many to read them all. */
async function sampleOf(
  { known }: CaptureSite,
  manifest: Manifest | null,
  changed: ReadonlySet<TrackedPath>,
): Promise<[TrackedPath, State][]> {
  const files = [...(manifest ?? [])].filter(
    ([path, state]) => isTelling(state) && !changed.has(path),
  );
  const step = Math.ceil(files.length / LARGEST_SAMPLE);
  const sample: [TrackedPath, State][] = [];
  for (let at = 0; at < files.length; at += step) {
    const [path, found] = files[at] as [TrackedPath, BaselineState];
    sample.push([path, (await known.resolve(found)).state]);
  }
  return sample;
}
