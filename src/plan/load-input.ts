import { type CaptureSite, lookAtKnown } from '../capture/capture.ts';
import { kindAt, NOTHING, type Observation } from '../fs/observe.ts';
import { listNames } from '../fs/tree.ts';
import type { Change } from '../model/change.ts';
import { isSavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import { databaseOf, isLiving, isNeeded, partsOf } from '../model/living-file.ts';
import { ancestors, isBelow, isOutside, nameOf, type TrackedPath } from '../model/path.ts';
import type { SkipReason } from '../model/plan.ts';
import { protectionOf } from '../model/protection.ts';
import { ABSENT, isDirectory, joins, type State, sameState, unknown } from '../model/state.ts';
import type { ChangeSet, PathChain } from '../timeline/change-set.ts';
import { privatePaths } from '../timeline/private-paths.ts';
import {
  blobsToDivide,
  blobsToMerge,
  type ChainLink,
  oldestBefore,
  type PathInput,
  type PlanInput,
  type Surrounding,
} from './decide.ts';
import { blobsToNarrow } from './held-changes.ts';

/** At most this many bytes are kept in memory, so that they need not be read again. */
export const MOST_KEPT: number = 16 * 1024 * 1024;

/** Contents that were read and will be needed again, as many as fit. */
export class KeptContents {
  readonly #contents = new Map<BlobId, Uint8Array>();
  #bytes = 0;

  get(id: BlobId): Uint8Array | undefined {
    return this.#contents.get(id);
  }

  keep(id: BlobId, bytes: Uint8Array): void {
    if (this.#bytes + bytes.length > MOST_KEPT || this.#contents.has(id)) return;
    this.#contents.set(id, bytes);
    this.#bytes += bytes.length;
  }
}

export interface LoadedInput {
  readonly paths: readonly PathInput[];
  readonly seen: ReadonlyMap<TrackedPath, Observation>;
  readonly surroundings: PlanInput['surroundings'];
  readonly contents: PlanInput['contents'];
  readonly damaged: PlanInput['damaged'];
  /** Contents that the plan may write; they were read to check them. */
  readonly targets: KeptContents;
}

export interface LoadOptions {
  /** Paths that the caller named; protected and outside ones are restored only if among them. */
  readonly named: readonly TrackedPath[];
  /** Whether changes that nobody recorded are taken back as well. */
  readonly exact: boolean;
  /** Paths that go back in part, so that their contents are compared. */
  readonly divided: ReadonlySet<TrackedPath>;
}

/** Looks at every path of a set and loads the input of the pure planner. Writes nothing. */
export async function loadPlanInput(
  site: CaptureSite,
  set: ChangeSet,
  options: LoadOptions,
): Promise<LoadedInput> {
  const seen = new Map<TrackedPath, Observation>();
  const found: PathInput[] = [];
  for (const [done, chain] of set.chains.entries()) {
    await site.onProgress?.({ step: 'plan', done, total: set.chains.length });
    if (chain.set.size === 0 && chain.shared === 0) continue;
    const recorded = chain.changes.at(-1)?.after ?? null;
    const observation = lookAtKnown(site, chain.path, recorded, ['excluded']);
    if (chain.settled && isAsItWas(chain, observation.state)) continue;
    seen.set(chain.path, observation);
    found.push(pathInput(site, chain, observation, options));
  }
  const paths = await withLiving(site, found, options);
  const contents = new Map<BlobId, Uint8Array>();
  const damaged = new Map<BlobId, 'blob-corrupt' | 'blob-missing'>();
  const targets = new KeptContents();
  for (const { blob } of seen.values()) if (blob !== null) contents.set(blob.id, blob.bytes);
  for (const path of paths) {
    await site.onProgress?.({ step: 'plan', done: set.chains.length, total: set.chains.length });
    const isDivided = options.divided.has(path.path);
    await loadBlobs(site, path, isDivided, { contents, damaged, targets });
  }
  const surroundings = await lookAbove(site, paths);
  return { paths, seen, surroundings, contents, damaged, targets };
}

/** Marks the living files among the paths, and adds the other files of a database that is gone. */
async function withLiving(
  site: CaptureSite,
  found: readonly PathInput[],
  options: LoadOptions,
): Promise<PathInput[]> {
  const isPrivate = await privatePaths(site.store);
  const living = found.filter(
    ({ path, skip }) => skip === undefined && isLiving(nameOf(path)) && isPrivate(path),
  );
  const inputs = new Map(found.map((input) => [input.path, input]));
  for (const [database, planned] of Map.groupBy(living, ({ path }) => databaseOf(path))) {
    const isGone = partsOf(database).every((part) => kindAt(site.root, part) === 'absent');
    const parts = isGone ? await goneParts(site, database, planned, options) : planned;
    const own = new Set(planned.map(({ path }) => path));
    for (const part of parts) {
      const isBeside = !own.has(part.path);
      inputs.set(part.path, { ...part, living: { database, stands: !isGone, isBeside } });
    }
  }
  return [...inputs.values()];
}

/**
 * The files of a database of which nothing is there any more. All of them go back to how they were at one moment,
 * before the oldest change of the set, whoever changed or removed them since: people are asked to move such files
 * away, and there is nothing that could be overwritten.
 */
async function goneParts(
  site: CaptureSite,
  database: TrackedPath,
  planned: readonly PathInput[],
  options: LoadOptions,
): Promise<readonly PathInput[]> {
  const paths = partsOf(database);
  const changed = await site.store.timeline.changes({ paths });
  const oldest = new Set(planned.map(({ links }) => links[0]?.seq));
  const first = changed.find(({ seq }) => oldest.has(seq));
  if (first === undefined) return planned;
  // What one scan finds happened at one moment, in whatever order it is recorded.
  const since = changed.filter(
    ({ seq, createdAt }) => seq >= first.seq || createdAt === first.createdAt,
  );
  const parts: PathInput[] = [];
  for (const path of paths) {
    const changes = since.filter((change) => change.path === path);
    const set = new Set(changes.map(({ seq }) => seq));
    const chain = { path, changes, set, shared: 0, settled: false };
    const part = pathInput(site, chain, NOTHING, { ...options, exact: true });
    if (part.links.length > 0) parts.push(part);
    else if (isNeeded(path) && (await wasThere(site, path))) parts.push(unseenPart(path));
  }
  return parts;
}

async function wasThere({ known }: CaptureSite, path: TrackedPath): Promise<boolean> {
  const found = await known.find(path);
  return found !== null && found.head.state.kind !== 'absent';
}

/** A file that was on record once, and went without a record of that: nobody knows what it was like then. */
function unseenPart(path: TrackedPath): PathInput {
  const link = { seq: 0, before: unknown('not-seen'), after: ABSENT, inSet: true };
  return { path, links: [link], current: ABSENT, children: [], hardLinks: 1 };
}

function isAsItWas({ changes, set }: PathChain, current: State): boolean {
  const oldest = changes.find((change) => set.has(change.seq));
  return oldest !== undefined && sameState(oldest.before, current);
}

function pathInput(
  site: CaptureSite,
  chain: PathChain,
  seen: Observation,
  options: LoadOptions,
): PathInput {
  const links = linksTo(chain, seen.state, options.exact);
  const skip = skipReason(chain, options);
  return {
    path: chain.path,
    links,
    current: seen.state,
    children: isDirectory(seen.state) ? (listNames(site.root, chain.path) ?? []) : [],
    hardLinks: isDirectory(seen.state) ? 1 : Number(seen.stats?.nlink ?? 1),
    ...(skip === undefined ? {} : { skip }),
    ...(options.exact ? { takesUnrecorded: true as const } : {}),
  };
}

/** The chain, extended to the state that is on disk now. */
function linksTo(chain: PathChain, current: State, exact: boolean): ChainLink[] {
  const first = chain.changes.findIndex(({ seq }) => chain.set.has(seq));
  const changes = first === -1 ? [] : chain.changes.slice(first);
  // Nobody knows when the path went out of sight; it may have been before the point to return to.
  if (changes[0] !== undefined && wentOutOfSight(changes[0])) changes.shift();
  const links = changes.map((change) => linkOf(change, chain, current));
  const last = links.at(-1)?.after;
  if (last !== undefined && !joins(last, current)) {
    links.push({ seq: 0, before: last, after: current, inSet: exact });
  }
  return links;
}

/** Such a change is recorded when a path comes back into sight with another state. */
function wentOutOfSight({ after }: Change): boolean {
  return after?.kind === 'unknown' && after.reason === 'not-seen';
}

function linkOf(change: Change, chain: PathChain, current: State): ChainLink {
  const { seq, before } = change;
  // An open change counts as having made the state that is on disk now.
  return { seq, before, after: change.after ?? current, inSet: chain.set.has(seq) };
}

function skipReason(chain: PathChain, options: LoadOptions): SkipReason | undefined {
  const { path } = chain;
  if (protectionOf(path) === 'git') return 'protected';
  if (chain.set.size === 0) return 'shared-attribution';
  if (options.named.some((named) => isCalledFor(path, named))) return undefined;
  if (isOutside(path)) return 'outside-project';
  return protectionOf(path) === null ? undefined : 'agent-configuration';
}

/** Whether the caller named the path, or a folder above it that is itself protected or outside. */
function isCalledFor(path: TrackedPath, named: TrackedPath): boolean {
  if (path === named) return true;
  return isBelow(path, named) && (isOutside(named) || protectionOf(named) !== null);
}

interface Loaded {
  readonly contents: Map<BlobId, Uint8Array>;
  readonly damaged: Map<BlobId, 'blob-corrupt' | 'blob-missing'>;
  readonly targets: KeptContents;
}

/** Loads the contents for a merge, and checks that the content to restore can be read. */
async function loadBlobs(
  site: CaptureSite,
  path: PathInput,
  isDivided: boolean,
  { contents, damaged, targets }: Loaded,
): Promise<void> {
  if (path.skip !== undefined) return;
  const divided = isDivided ? [...blobsToDivide(path), ...blobsToNarrow(path)] : null;
  const toMerge = new Set(divided ?? blobsToMerge(path));
  const target = oldestBefore(path);
  const wanted = new Set(toMerge);
  if (target?.kind === 'captured' && target.blob !== null) wanted.add(target.blob);
  for (const id of wanted) {
    if (contents.has(id) || damaged.has(id)) continue;
    try {
      const bytes = await site.store.blobs.read(id);
      if (toMerge.has(id)) contents.set(id, bytes);
      else targets.keep(id, bytes);
    } catch (error) {
      if (isSavepointError(error, 'blob-corrupt')) damaged.set(id, 'blob-corrupt');
      else if (isSavepointError(error, 'blob-missing')) damaged.set(id, 'blob-missing');
      else throw error;
    }
  }
}

/** The folders above the paths, and the mode with which a missing one is made again. */
async function lookAbove(
  site: CaptureSite,
  paths: readonly PathInput[],
): Promise<Map<TrackedPath, Surrounding>> {
  const found = new Map<TrackedPath, Surrounding>();
  for (const { path, current } of paths) {
    // If the path exists, so do the folders above it.
    const stands = current.kind === 'captured';
    for (const folder of ancestors(path)) {
      if (found.has(folder)) continue;
      found.set(folder, stands ? A_FOLDER : await surrounding(site, folder));
    }
  }
  return found;
}

const A_FOLDER: Surrounding = { kind: 'directory', mode: 0o755 };

async function surrounding(site: CaptureSite, folder: TrackedPath): Promise<Surrounding> {
  const kind = kindAt(site.root, folder);
  if (kind === 'directory') return A_FOLDER;
  const changes = await site.store.timeline.changes({ paths: [folder] });
  const states = changes.flatMap(({ before, after }) => [before, after ?? before]);
  const last = states.findLast(isDirectory) ?? (await site.known.find(folder))?.head.state;
  const isKnown = last?.kind === 'captured' && last.type === 'directory';
  return { kind, mode: isKnown ? last.mode : 0o755 };
}
