import {
  blobOf,
  type Change,
  type Checkpoint,
  type CheckpointId,
  openSavepoint,
  relativePath,
  type Session,
  type State,
  type Store,
  sqliteStore,
  storeDirectory,
} from 'savepoint';
import { atMost, type Benchmark } from './benchmark.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { sourceText } from './source-text.ts';

const CHECKPOINTS = 5_000;
const CHECKPOINTS_PER_SESSION = 50;
const CHANGES_PER_CHECKPOINT = 3;
const BLOB_BYTES = 500;
const PATHS = 400;
const LISTED = 50;

/** What every command begins with must not grow with the timeline. */
export const OPEN_STORE: readonly Benchmark[] = [
  {
    name: `opening a store with ${CHECKPOINTS.toLocaleString('en')} checkpoints and listing the newest ${LISTED}`,
    against: 'the same on an empty store',
    bar: atMost(2),
    run: contest,
  },
];

async function contest(scratch: Scratch): Promise<Samples> {
  const home = scratch.make('home');
  const [full, empty] = [scratch.make('full'), scratch.make('empty')];
  await listNewest(full, home);
  const store = await sqliteStore({ directory: storeDirectory(home, full) });
  try {
    await fill(store);
  } finally {
    await store.close();
  }
  return alternate(listing(full, home, LISTED), listing(empty, home, 0));
}

function listing(project: string, home: string, expected: number): Side {
  let found: number;
  return {
    time: () =>
      clock(async () => {
        found = await listNewest(project, home);
      }),
    verify: () => {
      if (found !== expected) throw new Error(`${found} checkpoints were listed, not ${expected}`);
    },
  };
}

async function listNewest(project: string, home: string): Promise<number> {
  const savepoint = await openSavepoint({ project, home });
  const listed = await savepoint.list({ limit: LISTED });
  await savepoint.close();
  return listed.length;
}

/** A timeline as agents leave it behind, one batch for each session. */
async function fill(store: Store): Promise<void> {
  const heads = new Map<string, State>();
  for (let first = 0; first < CHECKPOINTS; first += CHECKPOINTS_PER_SESSION) {
    await store.commit(sessionBatch(await store.seq(), first, heads));
  }
}

function sessionBatch(base: number, first: number, heads: Map<string, State>) {
  const session = sessionOf(first);
  const checkpoints: Checkpoint[] = [];
  const changes: Change[] = [];
  const blobs = [];
  let seq = base;
  for (let nth = first; nth < first + CHECKPOINTS_PER_SESSION; nth += 1) {
    const checkpoint = checkpointOf(++seq, session, nth);
    checkpoints.push(checkpoint);
    for (let change = 0; change < CHANGES_PER_CHECKPOINT; change += 1) {
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
  const rest = { createdAt: first, lastActiveAt: first, archivedAt: null };
  return { id, rootId: id, agent: 'bench', ...rest };
}

function checkpointOf(seq: number, session: Session, nth: number): Checkpoint {
  return {
    id: `checkpoint-${nth}` as CheckpointId,
    seq,
    sessionId: session.id,
    messageId: `message-${nth}`,
    kind: 'message',
    description: `message ${nth} of a person to an agent`,
    label: null,
    createdAt: nth,
    gitHead: null,
    coverage: 'named',
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
    operationId: null,
    toolCallId: `call-${seq}`,
    owner: null,
    createdAt,
  };
}
