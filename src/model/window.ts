import type { CheckpointId, Seq } from './ids.ts';

/** A time in which a command of a session could write anything: from before a shell command to after it. */
export interface Window {
  readonly id: string;
  readonly sessionId: string;
  /** The checkpoint of the message in which the command was run. */
  readonly checkpointId: CheckpointId;
  readonly toolCallId: string | null;
  /** The process in which the command runs, as `capture` names processes; null when not known. */
  readonly owner: string | null;
  readonly description: string;
  readonly opened: Seq;
  /** Null while it is open. */
  readonly closed: Seq | null;
  readonly createdAt: number;
}
