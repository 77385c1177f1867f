import { gitHead } from '../capture/git/head.ts';
import { clipText } from '../model/check.ts';
import type { Checkpoint, CheckpointKind, Coverage } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
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
  const checkpoint: Checkpoint = {
    ...made,
    id: newCheckpointId(),
    seq: draft.nextSeq(),
    createdAt: now,
    gitHead: gitHead(projectRoot),
  };
  draft.checkpoints.push(checkpoint);
  return checkpoint;
}

/** The checkpoint of a user's message; made at the first sign of the message. */
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
  const [known] = await store.checkpoints({ sessionIds: [sessionId], messageId, limit: 1 });
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

const CANDIDATES = 10;

/** Finds a checkpoint by its id, the beginning of one, `latest`, or `~N` (N before the latest). */
export async function resolveCheckpoint(store: Store, ref: string): Promise<Checkpoint> {
  const back = ref === 'latest' ? 0 : /^~(\d{1,6})$/.exec(ref)?.[1];
  if (back !== undefined) return nthNewest(store, Number(back), ref);
  const exact = await store.checkpoint(ref as CheckpointId);
  if (exact !== null) return exact;
  const candidates = ref === '' ? [] : await store.checkpointsByPrefix(ref, CANDIDATES);
  const [only] = candidates;
  if (only === undefined) throw notFound(ref);
  if (candidates.length === 1) return only;
  throw new SavepointError('checkpoint-ambiguous', `"${shown(ref)}" fits several checkpoints`, {
    hint: 'type more characters of the id',
    details: candidates.map(({ id, description }) => ({ id, description })),
  });
}

async function nthNewest(store: Store, back: number, ref: string): Promise<Checkpoint> {
  // What was made before a rewind is not what a person counts back to; it has an id of its own.
  const kinds: CheckpointKind[] = ['message', 'step', 'manual'];
  const newest = await store.checkpoints({ kinds, limit: back + 1 });
  const found = newest[back];
  if (found === undefined) throw notFound(ref);
  return found;
}

function notFound(ref: string): SavepointError {
  return new SavepointError('checkpoint-not-found', `no checkpoint "${shown(ref)}"`, {
    hint: 'list the checkpoints with: savepoint list',
  });
}

/** A caller's text in a message: as much of it as a person reads. */
function shown(ref: string): string {
  return ref.slice(0, 100);
}
