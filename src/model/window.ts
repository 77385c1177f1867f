import type { CheckpointId, Seq } from './ids.ts';

/**
 * A time in which a command of a session could write anything: from before a shell command to after it.
 * Or the rest of a tool call whose change another session's call has ended; that one writes to its path.
 * Or a run that was interrupted, after a scan has recorded what it found: it keeps an `undo` from passing over it.
 */
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

const CALL = 'call-';

/** The id under which a tool call goes on whose change, with this number, has ended before it. */
export function idOfCall(change: Seq): string {
  return `${CALL}${change}`;
}

/** The number of that change; null for the window of a command. */
export function changeOfCall({ id }: Window): Seq | null {
  return id.startsWith(CALL) ? Number(id.slice(CALL.length)) : null;
}

const INTERRUPTED = 'interrupted-';

/** The id under which a run stays on record after a scan has ended its window: nobody told of its end. */
export function idOfInterrupted(window: Window): string {
  return `${INTERRUPTED}${window.id}`;
}

export function isInterrupted({ id }: Window): boolean {
  return id.startsWith(INTERRUPTED);
}

/** The windows in which a command can have written what the next scan finds. */
export function commandsIn(windows: readonly Window[]): Window[] {
  return windows.filter((window) => changeOfCall(window) === null && !isInterrupted(window));
}
