import { type CaptureSite, look } from '../capture/capture.ts';
import { SavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import { selectedPath, type TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import { type State, type UnknownReason, unknown } from '../model/state.ts';
import { readIntact } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { resolveSession } from '../timeline/resolve.ts';
import { FRAME, FrameWriter } from './frames.ts';
import {
  blobsIn,
  type Collected,
  collect,
  countRows,
  type History,
  makeHistory,
} from './history.ts';
import { DEFAULT_LIMITS, type ExportReceipt, type ExportRequest } from './requests.ts';
import { writeRows } from './rows.ts';

/** Rows are put into frames of about this size, so that nobody has to hold all of their text. */
const ROWS_FRAME_BYTES = 256 * 1024;

/** The bytes of an export, a frame at a time. Reads only: the timeline is as it was. */
export async function* exportSessions(
  site: CaptureSite,
  request: ExportRequest,
): AsyncGenerator<Uint8Array, ExportReceipt> {
  const named = request.privatePaths?.map((path) => selectedPath(site.root, path)) ?? [];
  const collected = await collect(site.store, await chosenSessions(site.store, request), named);
  const contents = new Contents(site, collected);
  const writer = new FrameWriter();
  yield writer.start();
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
  const history = contents.history();
  for (const text of joinedRows(history)) yield writer.frame(FRAME.rows, Buffer.from(text));
  const counts = { ...countRows(history), blobs, blobBytes };
  const end = { ...counts, sha256: writer.digest() };
  yield writer.frame(FRAME.end, Buffer.from(JSON.stringify(end)));
  const { leftOut, privateOut } = collected;
  return {
    ...counts,
    exported: history.sessions,
    leftOut,
    privateOut,
    unreadable: contents.lost.size,
  };
}

/** The sessions to export, with their families; null for all, and what belongs to no session. */
async function chosenSessions(
  store: Store,
  { sessionId, all = false }: ExportRequest,
): Promise<readonly Session[] | null> {
  if (all) return null;
  const sessions = await store.timeline.sessions();
  const chosen =
    sessionId === undefined
      ? await lastActive(store, sessions)
      : await resolveSession(store, sessionId);
  if (chosen !== undefined) return sessions.filter(({ rootId }) => rootId === chosen.rootId);
  throw new SavepointError('session-not-found', 'there is no session on record', {
    hint: 'checkpoints that belong to no session are exported with all',
  });
}

/** An import counts as activity of its sessions, so those come last. */
async function lastActive(
  store: Store,
  sessions: readonly Session[],
): Promise<Session | undefined> {
  for (const session of sessions) {
    const query = { sessionIds: [session.id], importedAt: null, limit: 1 };
    if ((await store.timeline.checkpoints(query)).length > 0) return session;
  }
  return sessions[0];
}

/** The contents that the rows name: most are in the store; those of open changes are on disk. */
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
    const bytes = this.#seen.get(id) ?? (await readIntact(this.#site.store, id));
    if (bytes !== null && bytes.length <= DEFAULT_LIMITS.maxBlobBytes) return bytes;
    this.lost.set(id, bytes === null ? 'damaged' : 'too-large');
    return null;
  }

  history(): History {
    return makeHistory(this.#collected, {
      endOf: (path) => this.#end(path),
      moved: (state) => {
        const reason =
          state.kind === 'captured' && state.blob !== null && this.lost.get(state.blob);
        return reason ? unknown(reason) : state;
      },
    });
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

function* joinedRows(history: History): Generator<string> {
  let text = '';
  for (const line of writeRows(history)) {
    if (text !== '' && text.length + line.length > ROWS_FRAME_BYTES) {
      yield text;
      text = '';
    }
    text += text === '' ? line : `\n${line}`;
  }
  if (text !== '') yield text;
}
