import { createHash } from 'node:crypto';
import {
  blobOf,
  type Change,
  type Checkpoint,
  type CheckpointId,
  type Operation,
  type OperationId,
  relativePath,
  type Session,
  type State,
  type Store,
} from 'savepoint';
import type { Cancellation } from '../src/model/change.ts';
import { sourceText } from './source-text.ts';

export const CHECKPOINTS = 5_000;
const CHECKPOINTS_PER_SESSION = 50;
const CHANGES_PER_CHECKPOINT = 3;
const BLOB_BYTES = 500;
const PATHS = 400;

/** A timeline as agents leave it behind, one batch for each session. */
export async function fillTimeline(
  store: Store,
  changesEach: number = CHANGES_PER_CHECKPOINT,
  checkpoints: number = CHECKPOINTS,
): Promise<void> {
  const heads = new Map<string, State>();
  for (let first = 0; first < checkpoints; first += CHECKPOINTS_PER_SESSION) {
    await store.timeline.commit(sessionBatch((await store.state()).seq, first, heads, changesEach));
  }
}

/** What one rewind to the first checkpoint leaves behind. */
export async function takeAllBack(store: Store): Promise<void> {
  const { seq: base } = await store.state();
  const id = 'r'.repeat(16) as OperationId;
  const changes: Change[] = [];
  const cancellations: Cancellation[] = [];
  const chains = Map.groupBy(await store.timeline.changes({}), ({ path }) => path);
  for (const chain of chains.values()) {
    const [first, last] = [chain[0], chain.at(-1)];
    if (first === undefined || last === undefined) continue;
    const by = base + changes.length + 1;
    const author = { origin: 'operation', sessionId: null, checkpointId: null } as const;
    const states = { before: last.after ?? last.before, after: first.before };
    changes.push({ ...last, ...author, ...states, seq: by, operationId: id, toolCallId: null });
    for (const { seq } of chain) cancellations.push({ by, change: seq, inPart: false });
  }
  const operation: Operation = {
    id,
    seq: base + changes.length + 1,
    kind: 'rewind',
    description: 'rewind to the first message',
    checkpointId: checkpointIdOf(0),
    safetyCheckpointId: 's'.repeat(16) as CheckpointId,
    reverts: null,
    inEffect: true,
    createdAt: CHECKPOINTS,
  };
  await store.timeline.commit({ base, changes, cancellations, operations: [operation] });
}

function sessionBatch(base: number, first: number, heads: Map<string, State>, changesEach: number) {
  const session = sessionOf(first);
  const checkpoints: Checkpoint[] = [];
  const changes: Change[] = [];
  const blobs = [];
  let seq = base;
  for (let nth = first; nth < first + CHECKPOINTS_PER_SESSION; nth += 1) {
    const checkpoint = checkpointOf(++seq, session, nth);
    checkpoints.push(checkpoint);
    for (let change = 0; change < changesEach; change += 1) {
      const blob = blobOf(sourceText(BLOB_BYTES, nth * CHANGES_PER_CHECKPOINT + change));
      const path = `src/file-${(nth * 7 + change) % PATHS}.ts`;
      const after: State = {
        kind: 'captured',
        type: 'file',
        mode: 0o644,
        blob: blob.id,
        size: BLOB_BYTES,
      };
      const before = heads.get(path) ?? { kind: 'absent' };
      heads.set(path, after);
      blobs.push(blob);
      changes.push(changeOf(++seq, checkpoint, path, before, after));
    }
  }
  return { base, sessions: [session], checkpoints, changes, blobs };
}

function sessionOf(first: number): Session {
  const id = `session-${first}`;
  const rest = {
    createdAt: first,
    lastActiveAt: first,
    archivedAt: null,
    run: null,
    owner: null,
    told: null,
  };
  return { id, rootId: id, agent: 'bench', ...rest };
}

function checkpointOf(seq: number, session: Session, nth: number): Checkpoint {
  return {
    id: checkpointIdOf(nth),
    seq,
    sessionId: session.id,
    messageId: `message-${nth}`,
    kind: 'message',
    description: `message ${nth} of a person to an agent`,
    label: null,
    createdAt: nth,
    gitHead: null,
    coverage: 'named',
    conversation: null,
    importedAt: null,
  };
}

function changeOf(
  seq: number,
  { id, sessionId, createdAt }: Checkpoint,
  path: string,
  before: State,
  after: State,
): Change {
  return {
    seq,
    path: relativePath(path),
    before,
    after,
    origin: 'tool',
    attribution: 'exact',
    sessionId,
    checkpointId: id,
    coAuthors: null,
    operationId: null,
    toolCallId: `call-${seq}`,
    subagentId: null,
    owner: null,
    createdAt,
  };
}

/** As random as real ones, and the same in every run. */
function checkpointIdOf(nth: number): CheckpointId {
  const digest = createHash('sha256').update(`checkpoint ${nth}`).digest();
  return Array.from(digest.subarray(0, 16), (byte) => ID_SIGNS[byte % ID_SIGNS.length]).join(
    '',
  ) as CheckpointId;
}

const ID_SIGNS = 'abcdefghijklmnopqrstuvwxyz234567';
