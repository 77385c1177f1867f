import { gitHead } from '../capture/git/find-repository.ts';
import { clipText } from '../model/check.ts';
import type { Checkpoint, CheckpointKind, Coverage } from '../model/checkpoint.ts';
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
