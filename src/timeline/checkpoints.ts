import { gitHead } from '../capture/git/find-repository.ts';
import { clipText } from '../model/check.ts';
import {
  type Checkpoint,
  type CheckpointKind,
  type Coverage,
  makeCheckpoint,
} from '../model/checkpoint.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { Draft } from '../store/draft.ts';
import { findCheckpoint, findSession } from '../store/find.ts';
import type { CheckpointQuery, Store } from '../store/store.ts';
import { loadChangeSet } from './change-set.ts';
import { newCheckpointId } from './new-id.ts';

export interface NewCheckpoint {
  readonly kind: CheckpointKind;
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly description: string;
  readonly label: string | null;
  readonly coverage: Coverage;
}

export function addCheckpoint(
  draft: Draft,
  projectRoot: string,
  made: NewCheckpoint,
  now: number,
): Checkpoint {
  const checkpoint = makeCheckpoint({
    ...made,
    id: newCheckpointId(),
    seq: draft.nextSeq(),
    createdAt: now,
    gitHead: gitHead(projectRoot),
  });
  draft.checkpoints.push(checkpoint);
  return checkpoint;
}

/** The checkpoint of a user's message, made when the message is first mentioned. */
export async function messageCheckpoint(
  draft: Draft,
  store: Store,
  projectRoot: string,
  message: {
    readonly sessionId: string;
    readonly messageId: string;
    readonly description?: string | undefined;
    readonly coverage: Coverage;
  },
  now: number,
): Promise<Checkpoint> {
  const { sessionId, messageId, coverage } = message;
  const [known] = await store.timeline.checkpoints({
    sessionIds: [sessionId],
    messageId,
    limit: 1,
  });
  if (known !== undefined) return known;
  const description = clipText(message.description ?? `message ${messageId}`);
  const made = {
    kind: 'message',
    sessionId,
    messageId,
    description,
    label: null,
    coverage,
  } as const;
  return addCheckpoint(draft, projectRoot, made, now);
}

/** A checkpoint as a list shows it. */
export interface ListedCheckpoint extends Checkpoint {
  readonly agent: string | null;
  /** How many paths changed under it. */
  readonly files: number;
}

/** Newest first. */
export async function listCheckpoints(
  store: Store,
  query: CheckpointQuery,
): Promise<ListedCheckpoint[]> {
  const checkpoints = await store.timeline.checkpoints(query);
  const counts = await store.timeline.changedPaths(checkpoints.map(({ id }) => id));
  const sessions = await sessionsOf(store, checkpoints);
  return checkpoints.map((checkpoint) => ({
    ...checkpoint,
    agent: sessions.get(checkpoint.sessionId ?? '')?.agent ?? null,
    files: counts.get(checkpoint.id) ?? 0,
  }));
}

// Up to this number it is quicker to ask for each session than to read all of them.
const FEW = 100;

async function sessionsOf(
  store: Store,
  checkpoints: readonly Checkpoint[],
): Promise<Map<string, Session>> {
  const ids = new Set(checkpoints.flatMap(({ sessionId }) => sessionId ?? []));
  const found =
    ids.size > FEW
      ? await store.timeline.sessions()
      : await Promise.all([...ids].map((id) => findSession(store, id)));
  return new Map(found.flatMap((session) => (session === null ? [] : [[session.id, session]])));
}

/**
 * The checkpoint at which the files stand: the newest one of this machine, or the one that was rewound to since. A rewind
 * that took back only a part (one message, some paths, not the conflicts) does not count.
 */
export async function currentPlace(store: Store): Promise<CheckpointId | null> {
  const kinds: CheckpointKind[] = ['message', 'step', 'manual'];
  const [newest] = await store.timeline.checkpoints({ kinds, importedAt: null, limit: 1 });
  if (newest === undefined) return null;
  const rewind = (await store.timeline.operations()).find(({ kind, inEffect }) => {
    return kind === 'rewind' && inEffect;
  });
  if (rewind === undefined || rewind.seq < newest.seq) return newest.id;
  const target = rewind.checkpointId && (await findCheckpoint(store, rewind.checkpointId));
  if (!target) return newest.id;
  const everything = { paths: null, includeShared: true };
  const left = await loadChangeSet(store, { take: 'since', checkpoint: target }, everything);
  return left.chains.every(({ set }) => set.size === 0) ? target.id : newest.id;
}
