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
import type { Batch, Blob, ChangeQuery, Store } from '../store/store.ts';
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
  await new Carrier(from, to, onProgress).carry();
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

class Carrier {
  readonly #from: Store;
  readonly #to: Store;
  readonly #onProgress: OnProgress | undefined;
  readonly #blobs = new Set<BlobId>();
  readonly #parts = new Set<PartId>();
  #seq: Seq = 0;
  #base: Seq = 0;

  constructor(from: Store, to: Store, onProgress: OnProgress | undefined) {
    this.#from = from;
    this.#to = to;
    this.#onProgress = onProgress;
  }

  async carry(): Promise<void> {
    const { seq } = await this.#from.state();
    this.#seq = seq;
    const { timeline } = this.#from;
    await this.#commit({ sessions: await timeline.sessions() });
    await this.#commit({ privatePaths: await timeline.privatePaths() });
    await this.#commit({ operations: await timeline.operations() });
    await this.#commit({ windows: await timeline.windows() });
    for await (const checkpoints of checkpointsOf(this.#from)) await this.#commit({ checkpoints });
    await this.#changes();
    await this.#heads();
    await this.#baseline();
    await this.#executions();
  }

  async #changes(): Promise<void> {
    const bytesOf = ({ before, after }: Change): number => sizeOf(before) + sizeOf(after);
    for (const [query, done] of spansOf(this.#seq)) {
      await this.#onProgress?.({ step: 'carry', done, total: this.#seq });
      for await (const changes of groupsOf(await this.#from.timeline.changes(query), bytesOf)) {
        const states = changes.flatMap(({ before, after }) => [before, after]);
        const seqs = changes.map(({ seq }) => seq);
        const cancellations = await this.#from.timeline.cancellations(seqs);
        await this.#commit({ blobs: await this.#contents(states), changes, cancellations });
      }
    }
  }

  async #heads(): Promise<void> {
    const heads = await this.#from.timeline.heads();
    for await (const group of groupsOf(heads, ({ state }) => sizeOf(state))) {
      const blobs = await this.#contents(group.map(({ state }) => state));
      await this.#commit({ blobs }, group);
    }
  }

  /** Bytes that were not sent before. */
  async #contents(states: readonly (State | null)[]): Promise<Blob[]> {
    const blobs: Blob[] = [];
    for (const state of states) {
      if (state?.kind !== 'captured' || state.blob === null || this.#blobs.has(state.blob))
        continue;
      this.#blobs.add(state.blob);
      blobs.push({ id: state.blob, bytes: await readBlob(this.#from, state.blob) });
    }
    return blobs;
  }

  async #baseline(): Promise<void> {
    const { baseline } = await this.#from.state();
    if (baseline === null) return;
    const known = new KnownStates(this.#from);
    const manifest = await known.manifest();
    if (manifest === null) return;
    const writer = new ManifestWriter(manifest.count);
    const contents = this.#baselineContents(manifest, known, writer);
    const groups = groupsOf(contents, ({ bytes }) => bytes.length);
    const { packs } = await this.#to.blobs.putMany(groups);
    const blob = blobOf(writer.finish((entry) => manifest.path(entry)));
    await this.#commit({
      blobs: [blob],
      baseline: { seq: baseline.seq, manifest: blob.id, packs },
    });
  }

  async *#baselineContents(
    manifest: Manifest,
    known: KnownStates,
    writer: ManifestWriter,
  ): AsyncGenerator<Blob> {
    const seen = new Set<BlobId>();
    for (let at = 0; at < manifest.count; at += 1) {
      const { state } = await known.resolve(manifest.state(at));
      // Nothing that was there is absent.
      if (state.kind === 'absent') continue;
      writer.set(at, state);
      if (state.kind !== 'captured' || state.blob === null || seen.has(state.blob)) continue;
      seen.add(state.blob);
      yield { id: state.blob, bytes: await readBlobOrObject(this.#from, manifest, at) };
    }
  }

  /** The oldest first: where two were updated in the same moment, the later one is the newer one. */
  async #executions(): Promise<void> {
    for (const execution of [...(await this.#from.timeline.executions())].reverse()) {
      const parts = await this.#partsBelow([execution.root]);
      await this.#commit({ executions: [execution], parts });
      const bytesOf = (step: StepWithParts): number =>
        step.parts.reduce((sum, { data }) => sum + data.length, 0);
      for await (const group of groupsOf(this.#steps(execution.id), bytesOf)) {
        const steps = group.map(({ step }) => step);
        await this.#commit({ steps, parts: group.flatMap((one) => one.parts) });
      }
    }
  }

  async *#steps(executionId: string): AsyncGenerator<StepWithParts> {
    for (const step of await this.#from.timeline.steps(executionId)) {
      yield { step, parts: await this.#partsBelow([step.root, step.result]) };
    }
  }

  async #partsBelow(roots: readonly (PartId | null)[]): Promise<Part[]> {
    const found: Part[] = [];
    for (const root of roots) {
      if (root === null || this.#parts.has(root)) continue;
      for (const part of heldFirst(await this.#from.documents.readParts(root), root)) {
        if (this.#parts.has(part.id)) continue;
        this.#parts.add(part.id);
        found.push(part);
      }
    }
    return found;
  }

  async #commit(
    rows: CarriedRows,
    heads: NonNullable<Batch['carried']>['heads'] = [],
  ): Promise<void> {
    await this.#to.timeline.commit({
      base: this.#base,
      ...rows,
      carried: { seq: this.#seq, heads },
    });
    this.#base = this.#seq;
  }
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

interface StepWithParts {
  readonly step: StepAttempt;
  /** Those that were not sent before. */
  readonly parts: readonly Part[];
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
): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    group.push(row);
    bytes += bytesOf(row);
    if (bytes < GROUP_BYTES && group.length < GROUP_ROWS) continue;
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
