import type { CaptureSite } from '../capture/capture.ts';
import { pathMatcher } from '../capture/ignore/folder-view.ts';
import { kindAt } from '../fs/observe.ts';
import { check, type Kind, listOf, object, optional, TEXT } from '../model/check.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import type { BaselineState } from '../model/manifest.ts';
import { isBelow, selectedPath, type TrackedPath } from '../model/path.ts';
import type { State } from '../model/state.ts';
import { hashBytes } from '../store/blob.ts';
import { readGitObject } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { NAMED_PATHS, type NamedPath } from './requests.ts';
import type { Workbench } from './workbench.ts';

export interface PurgeRequest {
  /** Files, and folders with all that is below them. */
  readonly paths?: readonly NamedPath[] | undefined;
  /** As in a .gitignore at the project's root. */
  readonly patterns?: readonly string[] | undefined;
}

const PURGE_REQUEST: Kind<PurgeRequest> = object({
  paths: optional(NAMED_PATHS),
  patterns: optional(listOf(TEXT)),
});

export interface PurgeReport {
  /** The paths on record to purge, sorted. */
  readonly paths: readonly TrackedPath[];
  /** Other paths that had the same bytes. Their contents stay. */
  readonly alsoAt: readonly TrackedPath[];
  /** Purged paths at which a file exists now. It is recorded again when somebody writes to it. */
  readonly stillThere: readonly TrackedPath[];
}

/** What a purge would remove. Writes nothing. */
export function planPurge(bench: Workbench, request: PurgeRequest): Promise<PurgeReport> {
  return bench.reading(async () => {
    check(PURGE_REQUEST, 'request', request);
    const named = (request.paths ?? []).map((path) => selectedPath(bench.root, path));
    const fits = pathMatcher(request.patterns ?? []);
    const paths = [...(await recorded(bench.site))]
      .filter(([path, isDirectory]) => {
        return named.some((one) => path === one || isBelow(path, one)) || fits(path, isDirectory);
      })
      .map(([path]) => path)
      .sort();
    const alsoAt = [...(await sameElsewhere(bench.site, new Set(paths)))].sort();
    return { paths, alsoAt, stillThere: paths.filter((path) => isFileNow(bench, path)) };
  });
}

/**
 * Removes the contents of paths from every checkpoint, and their bytes from the store. Cannot be undone.
 * Resolves when they are gone; throws `purge-unfinished` when bytes are left for the next start.
 */
export function purge(bench: Workbench, request: PurgeRequest): Promise<PurgeReport> {
  return bench.locked(async () => {
    const report = await planPurge(bench, request);
    if (report.paths.length > 0) await bench.store.maintain('purge', report.paths);
    else await bench.store.maintain('scrub');
    if ((await bench.store.state()).needsScrub) {
      throw new SavepointError('purge-unfinished', 'bytes of a purge are still to be removed');
    }
    return report;
  });
}

function isFileNow({ root }: Workbench, path: TrackedPath): boolean {
  const kind = kindAt(root, path);
  return kind !== 'absent' && kind !== 'directory';
}

/** Every path on record, and whether it is a folder. Heads stay when the changes of their paths go. */
async function recorded({ store, known }: CaptureSite): Promise<Map<TrackedPath, boolean>> {
  const found = new Map<TrackedPath, boolean>();
  for (const [path, state] of (await known.manifest()) ?? []) found.set(path, isFolder(state));
  for (const { path, state } of await store.timeline.heads()) found.set(path, isFolder(state));
  return found;
}

function isFolder(state: State | BaselineState): boolean {
  return state.kind === 'captured' && state.type === 'directory';
}

/** Paths that were not chosen and have had the same content as a chosen one. */
async function sameElsewhere(
  site: CaptureSite,
  chosen: ReadonlySet<TrackedPath>,
): Promise<Set<TrackedPath>> {
  const contents = new Map<BlobId, Set<TrackedPath>>();
  for await (const [path, id] of contentsOf(site, chosen)) {
    const holders = contents.get(id) ?? new Set();
    contents.set(id, holders.add(path));
  }
  const found = new Set<TrackedPath>();
  for (const holders of contents.values()) {
    if (![...holders].some((path) => chosen.has(path))) continue;
    for (const path of holders) if (!chosen.has(path)) found.add(path);
  }
  return found;
}

/** Every content that a path ever had, without empty ones, which many paths share. */
async function* contentsOf(
  { store, known }: CaptureSite,
  chosen: ReadonlySet<TrackedPath>,
): AsyncGenerator<readonly [TrackedPath, BlobId]> {
  const states: [TrackedPath, State | BaselineState | null][] = [
    ...((await known.manifest()) ?? []),
  ];
  for (const { path, state } of await store.timeline.heads()) states.push([path, state]);
  for (const { path, before, after } of await store.timeline.changes({})) {
    states.push([path, before], [path, after]);
  }
  const held = new Map<string, BlobId>();
  for (const [path, state] of states) {
    if (state === null || state.kind === 'absent' || state.kind === 'unknown') continue;
    if (state.size === 0) continue;
    if (state.kind === 'captured') {
      if (state.blob !== null) yield [path, state.blob];
    } else if (chosen.has(path)) {
      const id = await heldBy(store, state.key);
      if (id !== null) held.set(keyText(state.key), id);
    }
  }
  // Of the other files that git holds, only those with the same object need to be looked at.
  for (const [path, state] of states) {
    const id = state?.kind === 'git' ? held.get(keyText(state.key)) : undefined;
    if (id !== undefined) yield [path, id];
  }
}

async function heldBy(store: Store, key: Uint8Array): Promise<BlobId | null> {
  try {
    return hashBytes(await readGitObject(store, key));
  } catch (error) {
    if (isSavepointError(error)) return null;
    throw error;
  }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
