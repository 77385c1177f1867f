import { type CaptureSite, look } from '../capture/capture.ts';
import { isSavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { type State, type UnknownReason, unknown } from '../model/state.ts';
import { chooseSessions } from './choose-sessions.ts';
import { type Collected, collect } from './collect.ts';
import { FRAME, ROWS_FRAME_BYTES } from './format.ts';
import { FrameWriter } from './frame-writer.ts';
import { blobsIn, type History } from './history.ts';
import { makeHistory } from './make-history.ts';
import { writePath } from './read-path.ts';
import {
  DEFAULT_LIMITS,
  type ExportReceipt,
  type ExportRequest,
  type TransferCounts,
} from './requests.ts';

/** The bytes of an export, a frame at a time. Reads only: the timeline is as it was. */
export async function* exportSessions(
  site: CaptureSite,
  request: ExportRequest,
): AsyncGenerator<Uint8Array, ExportReceipt> {
  const sessions = await chooseSessions(site.store, request);
  const collected = await collect(site, sessions);
  const writer = new FrameWriter();
  yield writer.start();
  const contents = new Contents(site, collected);
  let blobBytes = 0;
  let blobs = 0;
  const ids = [...contents.ids];
  for (const [done, id] of ids.entries()) {
    await site.onProgress?.({ step: 'export', done, total: ids.length });
    const bytes = await contents.read(id);
    if (bytes === null) continue;
    blobs += 1;
    blobBytes += bytes.length;
    yield writer.frame(FRAME.blob, bytes);
  }
  const history = await contents.history();
  for (const text of rowTexts(history)) yield writer.frame(FRAME.rows, Buffer.from(text));
  const counts = { ...countsOf(history), blobs, blobBytes };
  const end = { ...counts, sha256: writer.digest() };
  yield writer.frame(FRAME.end, Buffer.from(JSON.stringify(end)));
  const { leftOut } = collected;
  return { ...counts, exported: history.sessions, leftOut, unreadable: contents.lost.size };
}

/** The contents that the rows name: most are in the store; of open changes they are on disk. */
class Contents {
  readonly lost = new Map<BlobId, UnknownReason>();
  readonly #site: CaptureSite;
  readonly #collected: Collected;
  readonly #ends = new Map<TrackedPath, State>();
  readonly #seen = new Map<BlobId, Uint8Array>();

  constructor(site: CaptureSite, collected: Collected) {
    this.#site = site;
    this.#collected = collected;
    for (const { path, after } of collected.changes) if (after === null) this.#look(path);
  }

  get ids(): Iterable<BlobId> {
    const { changes } = this.#collected;
    const states = changes.flatMap(({ path, before, after }) => [before, after ?? this.#end(path)]);
    return blobsIn(states).keys();
  }

  /** Null for what cannot be taken along. */
  async read(id: BlobId): Promise<Uint8Array | null> {
    try {
      const bytes = this.#seen.get(id) ?? (await this.#site.store.readBlob(id));
      if (bytes.length <= DEFAULT_LIMITS.maxBlobBytes) return bytes;
      this.lost.set(id, 'too-large');
    } catch (error) {
      const isGone =
        isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt');
      if (!isGone) throw error;
      this.lost.set(id, 'damaged');
    }
    return null;
  }

  async history(): Promise<History> {
    const { changes } = this.#collected;
    const cancellations = await this.#site.store.cancellationsOf(changes.map(({ seq }) => seq));
    return makeHistory(this.#collected, {
      cancellations,
      endOf: (path) => this.#end(path),
      moved: (state) => this.#moved(state),
    });
  }

  #moved(state: State): State {
    const reason = state.kind === 'captured' && state.blob !== null && this.lost.get(state.blob);
    return reason ? unknown(reason) : state;
  }

  #end(path: TrackedPath): State {
    return this.#ends.get(path) ?? unknown('not-seen');
  }

  #look(path: TrackedPath): void {
    const { state, blob } = look(this.#site, path);
    this.#ends.set(path, state);
    if (blob !== null) this.#seen.set(blob.id, blob.bytes);
  }
}

/** Sessions first, then what happened, then what took what back. */
function* rowTexts(history: History): Generator<string> {
  let lines: string[] = [];
  let length = 0;
  for (const row of rowsOf(history)) {
    const line = JSON.stringify(row);
    if (length > 0 && length + line.length > ROWS_FRAME_BYTES) {
      yield lines.join('\n');
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length;
  }
  if (lines.length > 0) yield lines.join('\n');
}

function rowsOf(history: History): [kind: string, row: object][] {
  const { sessions, checkpoints, changes, operations, cancellations } = history;
  return [
    ...sessions.map((row): [string, object] => ['session', row]),
    ...checkpoints.map((row): [string, object] => ['checkpoint', row]),
    ...operations.map((row): [string, object] => ['operation', row]),
    ...changes.map((row): [string, object] => ['change', { ...row, path: writePath(row.path) }]),
    ...cancellations.map((row): [string, object] => ['cancellation', row]),
  ];
}

function countsOf(history: History): Omit<TransferCounts, 'blobs' | 'blobBytes'> {
  const { sessions, checkpoints, changes, operations, cancellations } = history;
  return {
    sessions: sessions.length,
    checkpoints: checkpoints.length,
    changes: changes.length,
    operations: operations.length,
    cancellations: cancellations.length,
  };
}
