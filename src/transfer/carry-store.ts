import { KnownStates } from '../capture/known-states.ts';
import type { Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { StepAttempt } from '../model/execution.ts';
import type { BlobId, PartId, Seq } from '../model/ids.ts';
import { type Manifest, ManifestWriter } from '../model/manifest.ts';
import type { OnProgress } from '../model/progress.ts';
import type { State } from '../model/state.ts';
import { blobOf } from '../store/blob.ts';
import { isLostBlob, readGitObject } from '../store/find.ts';
import type { Part } from '../store/parts/part.ts';
import type { Batch, Blob, ChangeQuery, Head, Store } from '../store/store.ts';
import { heldFirst } from './carry-documents.ts';

/** How many rows, and how many bytes of contents, are in memory at once. */
const GROUP_ROWS = 500;
const GROUP_BYTES = 8 * 1024 * 1024;
/** Numbers of the timeline that are asked for at once. */
const SPAN = 1_000;

/** Rows of a batch that carries, without what every such batch has. */
type CarriedRows = Omit<Batch, 'base' | 'carried'>;

/**
 * Copies the timeline of a store into an empty one: rows with their numbers, heads, contents, baseline. Which folder it
 * is of comes last, when all is compared: others see the worktree from then on. The caller holds the locks of both.
 * Objects of git become contents of the store, since
 * the repository that they lie in is on one machine alone. Throws `restore-unfinished` and `purge-unfinished` where
 * something has to be finished first, and `blob-missing` or `blob-corrupt` for a damaged store.
 */
export async function carryTimeline(
  from: Store,
  to: Store,
  onProgress?: OnProgress | undefined,
): Promise<void> {
  await requireFinished(from);
  const { timeline } = from;
  const { seq, baseline } = await from.state();
  let base: Seq = 0;
  const commit = async (rows: CarriedRows, heads: readonly Head[] = []): Promise<void> => {
    await to.timeline.commit({ base, ...rows, carried: { seq, heads } });
    base = seq;
  };
  const contentsOf = freshContents(from);
  const partsBelow = freshParts(from);
  await commit({ sessions: await timeline.sessions() });
  await commit({ privatePaths: await timeline.privatePaths() });
  await commit({ operations: await timeline.operations() });
  await commit({ windows: await timeline.windows() });
  for await (const checkpoints of checkpointsOf(from)) await commit({ checkpoints });
  const bytesOf = ({ before, after }: Change): number => sizeOf(before) + sizeOf(after);
  for (const [query, done] of spansOf(seq)) {
    await onProgress?.({ step: 'carry', done, total: seq });
    for await (const changes of groupsOf(await timeline.changes(query), bytesOf)) {
      const blobs = await contentsOf(changes.flatMap(({ before, after }) => [before, after]));
      const cancellations = await timeline.cancellations(changes.map((change) => change.seq));
      await commit({ blobs, changes, cancellations });
    }
  }
  for await (const heads of groupsOf(await timeline.heads(), ({ state }) => sizeOf(state))) {
    await commit({ blobs: await contentsOf(heads.map(({ state }) => state)) }, heads);
  }
  if (baseline !== null) await commit(await carriedBaseline(from, to, baseline.seq));
  // The oldest first: where two were updated in the same moment, the later one is the newer one.
  for (const execution of [...(await timeline.executions())].reverse()) {
    await commit({ executions: [execution], parts: await partsBelow([execution.root]) });
    const steps = stepsWithParts(await timeline.steps(execution.id), partsBelow);
    for await (const group of groupsOf(steps, bytesOfParts)) {
      const parts = group.flatMap((one) => one.parts);
      await commit({ steps: group.map(({ step }) => step), parts });
    }
  }
}

async function requireFinished(store: Store): Promise<void> {
  if ((await store.timeline.journal()) !== null) {
    throw new SavepointError('restore-unfinished', 'a restore of this project is not finished', {
      hint: 'finish it first: savepoint status says what is in the way',
    });
  }
  if ((await store.state()).needsScrub) {
    throw new SavepointError('purge-unfinished', 'a purge of this project is not finished', {
      hint: 'end other programs that use the store; the next command finishes it',
    });
  }
}

/** Reads the contents of states that were not read before. */
function freshContents(from: Store): (states: readonly (State | null)[]) => Promise<Blob[]> {
  const sent = new Set<BlobId>();
  return async (states) => {
    const blobs: Blob[] = [];
    for (const state of states) {
      if (state?.kind !== 'captured' || state.blob === null || sent.has(state.blob)) continue;
      sent.add(state.blob);
      blobs.push({ id: state.blob, bytes: await readBlob(from, state.blob) });
    }
    return blobs;
  };
}

/** Puts the contents of the baseline into the other store, and answers with the rows that name them there. */
async function carriedBaseline(from: Store, to: Store, seq: Seq): Promise<CarriedRows> {
  const known = new KnownStates(from);
  const manifest = await known.manifest();
  if (manifest === null) return {};
  const writer = new ManifestWriter(manifest.count);
  const contents = async function* (): AsyncGenerator<Blob> {
    const seen = new Set<BlobId>();
    for (let at = 0; at < manifest.count; at += 1) {
      const { state } = await known.resolve(manifest.state(at));
      // Nothing that was there is absent.
      if (state.kind === 'absent') continue;
      writer.set(at, state);
      if (state.kind !== 'captured' || state.blob === null || seen.has(state.blob)) continue;
      seen.add(state.blob);
      yield { id: state.blob, bytes: await readBlobOrObject(from, manifest, at) };
    }
  };
  const { packs } = await to.blobs.putMany(groupsOf(contents(), ({ bytes }) => bytes.length));
  const blob = blobOf(writer.finish((entry) => manifest.path(entry)));
  return { blobs: [blob], baseline: { seq, manifest: blob.id, packs } };
}

type PartsBelow = (roots: readonly (PartId | null)[]) => Promise<Part[]>;

/** Reads the parts below some that were not read before, those first that others hold. */
function freshParts(from: Store): PartsBelow {
  const sent = new Set<PartId>();
  return async (roots) => {
    const found: Part[] = [];
    for (const root of roots) {
      if (root === null || sent.has(root)) continue;
      for (const part of heldFirst(await from.documents.readParts(root), root)) {
        if (sent.has(part.id)) continue;
        sent.add(part.id);
        found.push(part);
      }
    }
    return found;
  };
}

interface StepWithParts {
  readonly step: StepAttempt;
  /** Those that were not sent before. */
  readonly parts: readonly Part[];
}

async function* stepsWithParts(
  steps: readonly StepAttempt[],
  partsBelow: PartsBelow,
): AsyncGenerator<StepWithParts> {
  for (const step of steps) yield { step, parts: await partsBelow([step.root, step.result]) };
}

function bytesOfParts({ parts }: StepWithParts): number {
  return parts.reduce((sum, { data }) => sum + data.length, 0);
}

/** From the newest on, in groups. */
export async function* checkpointsOf(store: Store): AsyncGenerator<readonly Checkpoint[]> {
  let before: Seq | undefined;
  for (;;) {
    const query = { limit: GROUP_ROWS, ...(before === undefined ? {} : { before }) };
    const group = await store.timeline.checkpoints(query);
    const last = group.at(-1);
    if (last === undefined) return;
    yield group;
    before = last.seq;
  }
}

/** Queries for all changes up to a number, some at a time, each with the number before its first. */
export function* spansOf(seq: Seq): Generator<readonly [ChangeQuery, Seq]> {
  for (let after = 0; after < seq; after += SPAN)
    yield [{ after, before: after + SPAN + 1 }, after];
}

/** Groups of rows whose contents fit into memory. */
export async function* groupsOf<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  bytesOf: (row: Row) => number,
  most: { readonly bytes: number; readonly rows: number } = {
    bytes: GROUP_BYTES,
    rows: GROUP_ROWS,
  },
): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    group.push(row);
    bytes += bytesOf(row);
    if (bytes < most.bytes && group.length < most.rows) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function sizeOf(state: State | null): number {
  return state?.kind === 'captured' ? state.size : 0;
}

/** What a state of the baseline stands for: in the store, or in an object of git. */
async function readBlobOrObject(store: Store, manifest: Manifest, at: number): Promise<Uint8Array> {
  const state = manifest.state(at);
  if (state.kind === 'git') return readGitObject(store, state.key);
  return readBlob(store, (state as { readonly blob: BlobId }).blob);
}

async function readBlob(store: Store, id: BlobId): Promise<Uint8Array> {
  try {
    return await store.blobs.read(id);
  } catch (error) {
    if (!isLostBlob(error)) throw error;
    throw new SavepointError(error.code, `the store is damaged: ${error.message}`, {
      hint: 'nothing was moved; see what is lost with: savepoint fsck',
      cause: error,
    });
  }
}
