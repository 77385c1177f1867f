import { type Author, outsider } from '../capture/chain.ts';
import { ownerMayRun } from '../capture/process-owner.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Window } from '../model/window.ts';

/** What is known about the moment at which a scan found something. */
export interface Circumstances {
  /** Every window in which it can have happened. */
  readonly windows: readonly Window[];
  /** Windows whose end nobody has told of, though it must be over. */
  readonly lost: ReadonlySet<string>;
  /** An earlier scan gave up, so it can have happened before the newest checkpoint as well. */
  readonly late: boolean;
  readonly now: number;
}

/**
 * Whose doing it is what a scan found. One window that was open: its command's, inferred. Several, or one
 * whose end was never seen, or a scan that comes late: shared. None: somebody outside.
 */
export function authorOfFinds({ windows, lost, late, now }: Circumstances): Author {
  const newest = windows.at(-1);
  if (newest === undefined) return outsider(now);
  const sure = !late && windows.every((window) => isSure(window, newest.checkpointId, lost));
  return {
    ...outsider(now),
    origin: 'shell',
    attribution: sure ? 'inferred' : 'shared',
    sessionId: newest.sessionId,
    checkpointId: newest.checkpointId,
    toolCallId: windows.length === 1 ? newest.toolCallId : null,
  };
}

/** Commands of one message may overlap: whoever takes that message back means all of them. */
function isSure(window: Window, checkpointId: CheckpointId, lost: ReadonlySet<string>): boolean {
  return window.closed === null && !lost.has(window.id) && window.checkpointId === checkpointId;
}

/** Windows that must be over: their process is gone, or their session has gone on without a word. */
export function lostWindows(windows: readonly Window[], movedOn: string | null): Set<string> {
  const lost = windows.filter(
    ({ sessionId, owner }) => sessionId === movedOn || (owner !== null && !ownerMayRun(owner)),
  );
  return new Set(lost.map(({ id }) => id));
}
