import type { Coverage } from './checkpoint.ts';
import type { CheckpointId, Seq } from './ids.ts';
import type { LivingOwner } from './owner.ts';

/**
 * `command`: from before a shell command to after it; the command can write anything.
 * `call`: the rest of a tool call whose change another session's call has ended; it writes to that path.
 * `interrupted`: a run whose end nobody has seen, after a scan has recorded its changes. It stays on record
 * so that an `undo` does not skip the run.
 */
export type WindowKind = (typeof WINDOW_KINDS)[number];
export const WINDOW_KINDS = ['command', 'call', 'interrupted'] as const;

/** A part of the timeline: the numbers after `from`, up to `to`. */
export interface Span {
  readonly from: Seq;
  readonly to: Seq;
}

/** A time in which a session could write to files. */
export interface Window {
  readonly id: string;
  readonly kind: WindowKind;
  /** For a `call`: the change of it that has ended. Null for the others. */
  readonly change: Seq | null;
  readonly sessionId: string;
  /** The checkpoint of the message in which the command was run. */
  readonly checkpointId: CheckpointId;
  readonly toolCallId: string | null;
  /** The sub-agent that runs the command for the session; null for the agent itself. */
  readonly subagentId: string | null;
  /** Tells whether the command can still run; null when not known. */
  readonly owner: LivingOwner | null;
  readonly description: string;
  /** Of the scan before the command: after a gap, what the next scan finds can be older than the command. */
  readonly coverage: Coverage;
  readonly opened: Seq;
  /** Null while it is open. */
  readonly closed: Seq | null;
  /**
   * Where other commands ran in it whose ends were told: what was found there is certain, even if nobody ever tells
   * the end of this one. Null for none.
   */
  readonly certain: readonly Span[] | null;
  readonly createdAt: number;
}

/** The windows in which a command can have made the changes that the next scan finds. */
export function commandsIn(windows: readonly Window[]): Window[] {
  return windows.filter(({ kind }) => kind === 'command');
}
