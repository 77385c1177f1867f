import type { CaptureSite } from '../capture/capture.ts';
import { pathMatcher } from '../capture/ignore/folder-view.ts';
import { isSavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import type { BaselineState } from '../model/manifest/entry.ts';
import { isBelow, type TrackedPath } from '../model/path.ts';
import type { State } from '../model/state.ts';
import { hashBytes } from '../store/blob.ts';

/** What to purge: paths with all that is below them, and patterns as in .gitignore. */
export interface PurgeSelection {
  readonly paths: readonly TrackedPath[];
  readonly patterns: readonly string[];
}

export interface PurgePlan {
  /** On record, in the order of their texts. */
  readonly paths: readonly TrackedPath[];
  /** Other paths that had the same bytes: there they stay. */
  readonly alsoAt: readonly TrackedPath[];
}

/** Looks without writing. */
export async function makePurgePlan(
  site: CaptureSite,
  selection: PurgeSelection,
): Promise<PurgePlan> {
  const record = await recorded(site);
  const fits = pathMatcher(selection.patterns);
  const isNamed = (path: TrackedPath): boolean =>
    selection.paths.some((named) => path === named || isBelow(path, named));
  const paths = [...record.keys()].filter(
    (path) => isNamed(path) || fits(path, record.get(path)?.isDirectory ?? false),
  );
  const chosen = new Set(paths);
  return { paths: paths.sort(), alsoAt: [...(await sameElsewhere(site, chosen))].sort() };
}

type Recorded = Map<TrackedPath, { readonly isDirectory: boolean }>;

/** Every path on record. Heads outlive the changes of their paths. */
async function recorded({ store, known }: CaptureSite): Promise<Recorded> {
  const found: Recorded = new Map();
  for (const [path, state] of (await known.manifest()) ?? []) found.set(path, kindOf(state));
  for (const { path, state } of await store.heads()) found.set(path, kindOf(state));
  return found;
}

function kindOf(state: State | BaselineState): { isDirectory: boolean } {
  return { isDirectory: state.kind === 'captured' && state.type === 'directory' };
}

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

/** Every content that a path ever had. An empty one tells nothing. */
async function* contentsOf(
  { store, known }: CaptureSite,
  chosen: ReadonlySet<TrackedPath>,
): AsyncGenerator<readonly [TrackedPath, BlobId]> {
  const states: [TrackedPath, State | null][] = [
    ...(await store.heads()).map(({ path, state }): [TrackedPath, State] => [path, state]),
    ...(await store.changes({})).flatMap(
      ({ path, before, after }): [TrackedPath, State | null][] => [
        [path, before],
        [path, after],
      ],
    ),
  ];
  for (const [path, state] of states) {
    if (state?.kind === 'captured' && state.blob && state.size > 0) yield [path, state.blob];
  }
  const held = new Map<string, BlobId>();
  const list = (await known.manifest()) ?? [];
  for (const [path, state] of list) {
    if (state.kind === 'captured' && state.blob && state.size > 0) yield [path, state.blob];
    if (state.kind !== 'git' || state.size === 0 || !chosen.has(path)) continue;
    const id = await heldBy(store, state.key);
    if (id !== null) held.set(keyText(state.key), id);
  }
  // Of the others that git holds only those are read that git itself says are the same.
  for (const [path, state] of list) {
    const id = state.kind === 'git' ? held.get(keyText(state.key)) : undefined;
    if (id !== undefined) yield [path, id];
  }
}

async function heldBy(store: CaptureSite['store'], key: Uint8Array): Promise<BlobId | null> {
  try {
    return hashBytes(await store.readGitObject(key));
  } catch (error) {
    if (isSavepointError(error)) return null;
    throw error;
  }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
