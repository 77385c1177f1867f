import assert from 'node:assert/strict';
import type { Change } from '../../model/change.ts';
import { type Checkpoint, makeCheckpoint } from '../../model/checkpoint.ts';
import { type ErrorCode, isSavepointError } from '../../model/errors.ts';
import type { Execution } from '../../model/execution.ts';
import type { CheckpointId, OperationId, Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Baseline } from '../../model/manifest.ts';
import type { Operation } from '../../model/operation.ts';
import type { ProcessOwner } from '../../model/owner.ts';
import { relativePath, type TrackedPath } from '../../model/path.ts';
import type { Session } from '../../model/session.ts';
import { ABSENT, type Captured } from '../../model/state.ts';
import type { Window } from '../../model/window.ts';
import { blobOf } from '../../store/blob.ts';
import { currentSeq } from '../../store/find.ts';
import type { Batch, Blob, Store } from '../../store/store.ts';

export function sessionOf(id: string, more: Partial<Session> = {}): Session {
  return {
    id,
    rootId: id,
    agent: 'test-agent',
    createdAt: 1_000,
    lastActiveAt: 1_000,
    archivedAt: null,
    run: null,
    owner: null,
    told: null,
    ...more,
  };
}

export function checkpointOf(seq: Seq, more: Partial<Checkpoint> = {}): Checkpoint {
  return makeCheckpoint({
    id: checkpointId(`checkpoint-${seq}`),
    seq,
    kind: 'message',
    description: `checkpoint ${seq}`,
    createdAt: 1_000 + seq,
    ...more,
  });
}

/** By nobody known, and closed, unless said otherwise. */
export function changeOf(seq: Seq, path: string, more: Partial<Change> = {}): Change {
  return {
    seq,
    path: pathOf(path),
    before: ABSENT,
    after: ABSENT,
    origin: 'outside',
    attribution: 'exact',
    sessionId: null,
    checkpointId: null,
    coAuthors: null,
    operationId: null,
    toolCallId: null,
    subagentId: null,
    owner: null,
    createdAt: 1_000 + seq,
    ...more,
  };
}

export function operationOf(seq: Seq, more: Partial<Operation> = {}): Operation {
  return {
    id: operationId(`operation-${seq}`),
    seq,
    kind: 'rewind',
    checkpointId: null,
    reverts: null,
    inEffect: true,
    safetyCheckpointId: checkpointId('safety'),
    description: `operation ${seq}`,
    createdAt: 1_000 + seq,
    ...more,
  };
}

export const PROCESS: ProcessOwner = { kind: 'process', host: 'host', processId: 1, started: '2' };

/** Of the session `s`, and still open, unless said otherwise. */
export function windowOf(opened: Seq, more: Partial<Window> = {}): Window {
  return {
    id: `window-${opened}`,
    kind: 'command',
    change: null,
    sessionId: 's',
    checkpointId: checkpointId('checkpoint'),
    toolCallId: 'call',
    subagentId: null,
    owner: PROCESS,
    description: `window ${opened}`,
    coverage: 'scanned',
    opened,
    closed: null,
    certain: null,
    createdAt: 1_000 + opened,
    ...more,
  };
}

export function executionOf(id: string, more: Partial<Execution> = {}): Execution {
  return {
    id,
    sessionId: 's',
    status: 'open',
    parentId: null,
    parentStep: null,
    token: 1,
    owner: null,
    leaseUntil: null,
    root: null,
    accepted: null,
    createdAt: 1_000,
    updatedAt: 1_000,
    ...more,
  };
}

export function baselineOf(seq: Seq, manifest: Blob, packs: readonly string[] = []): Baseline {
  return { seq, manifest: manifest.id, packs };
}

export function journalOf(more: Partial<Journal> = {}): Journal {
  return {
    operationId: operationId('operation'),
    safetyCheckpointId: checkpointId('safety'),
    base: 0,
    phase: 'intent',
    steps: [],
    operations: [],
    changes: [],
    cancellations: [],
    ...more,
  };
}

/** As `putBlobs` wants them, one after the other. */
export async function* groupsOf(
  ...groups: readonly (readonly Blob[])[]
): AsyncGenerator<readonly Blob[]> {
  for (const group of groups) yield group;
}

export function textBlob(text: string): Blob {
  return blobOf(new TextEncoder().encode(text));
}

/** Bytes that do not compress, the same for the same `size` and `seed`. */
export function noiseBlob(size: number, seed = 1): Blob {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return blobOf(bytes);
}

export function fileOf({ id, bytes }: Blob, mode = 0o644): Captured {
  return { kind: 'captured', type: 'file', mode, blob: id, size: bytes.length };
}

export const FOLDER: Captured = {
  kind: 'captured',
  type: 'directory',
  mode: 0o755,
  blob: null,
  size: 0,
};

export function checkpointId(text: string): CheckpointId {
  return text as CheckpointId;
}

export function operationId(text: string): OperationId {
  return text as OperationId;
}

export function pathOf(text: string | Uint8Array): TrackedPath {
  return relativePath(text);
}

export async function rejectsWith(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isSavepointError(error), `expected a SavepointError, got ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** Commits on top of what is there. */
export async function commit(store: Store, batch: Omit<Batch, 'base'>): Promise<void> {
  await store.timeline.commit({ ...batch, base: await currentSeq(store) });
}

export async function assertReadable(store: Store, ...blobs: readonly Blob[]): Promise<void> {
  for (const { id, bytes } of blobs) {
    assert.deepEqual(await store.blobs.read(id), Uint8Array.from(bytes));
  }
}

export async function assertMissing(store: Store, ...blobs: readonly Blob[]): Promise<void> {
  for (const { id } of blobs) await rejectsWith(store.blobs.read(id), 'blob-missing');
}

/** `make(0)` to `make(count - 1)`. */
export function times<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** A text of some lines, of which another one differs in each version. */
export function textVersion(at: number): string {
  const lines = times(400, (line) => `line ${line} ${line * line * 7919}`);
  lines[at * 3] = `changed in version ${at}`;
  return lines.join('\n');
}

/** One path that goes through these contents, one change for each, from number 1 on. */
export async function commitVersions(store: Store, versions: readonly Blob[]): Promise<void> {
  const changes = versions.map((blob, at) => {
    const previous = versions[at - 1];
    const before = previous === undefined ? ABSENT : fileOf(previous);
    return changeOf(at + 1, 'a', { before, after: fileOf(blob) });
  });
  await commit(store, { blobs: versions, changes });
}

export function seqsOf(rows: readonly { readonly seq: Seq }[]): Seq[] {
  return rows.map(({ seq }) => seq);
}
