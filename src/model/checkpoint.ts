import type { CheckpointId, Seq } from './ids.ts';

/** Why a checkpoint was made: a user's message, an execution's step, by hand, or before a rewind. */
export type CheckpointKind = (typeof CHECKPOINT_KINDS)[number];

export const CHECKPOINT_KINDS = ['message', 'step', 'manual', 'safety'] as const;

/**
 * What is on record up to a checkpoint. `named`: only what tools named. `scanned`: a scan of the worktree
 * was complete at it. The others say why a scan gave up, so that there is a gap before it.
 */
export type Coverage = (typeof COVERAGES)[number];

export const COVERAGES = [
  'named',
  'scanned',
  'deadline',
  'too-many-entries',
  'too-large',
  'failed',
  'no-baseline',
  'server-away',
] as const;

/** Whether a scan gave up, so that the next one finds changes from before and after it. */
export function isGap(coverage: Coverage): boolean {
  return coverage !== 'scanned' && coverage !== 'named';
}

/** Where an agent keeps the conversation in which a checkpoint was made, in the agent's own names. */
export interface Conversation {
  readonly id: string | null;
  readonly promptId: string | null;
  readonly turnId: string | null;
  readonly transcriptPath: string | null;
}

/** A point on the timeline to return to. */
export interface Checkpoint {
  readonly id: CheckpointId;
  readonly seq: Seq;
  /** Null for a checkpoint that belongs to no session: made by hand, or before a rewind. */
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly kind: CheckpointKind;
  readonly description: string;
  readonly label: string | null;
  readonly createdAt: number;
  /** Commit that git's HEAD named then, for the receipt; null without git. */
  readonly gitHead: string | null;
  readonly coverage: Coverage;
  /** Null where nobody has told it. */
  readonly conversation: Conversation | null;
  /** The first number of the import that brought it; null for a checkpoint of this machine's own timeline. */
  readonly importedAt: Seq | null;
}

type Required = 'id' | 'seq' | 'kind' | 'description' | 'createdAt';

/** The one place where checkpoints are made. Fields that are left out have the value that says nothing. */
export function makeCheckpoint(
  fields: Pick<Checkpoint, Required> & Partial<Checkpoint>,
): Checkpoint {
  return {
    sessionId: null,
    messageId: null,
    label: null,
    gitHead: null,
    coverage: 'named',
    conversation: null,
    importedAt: null,
    ...fields,
  };
}
