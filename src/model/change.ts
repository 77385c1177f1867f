import type { CheckpointId, OperationId, Seq } from './ids.ts';
import type { ImportOwner, LivingOwner } from './owner.ts';
import type { TrackedPath } from './path.ts';
import { isDirectory, type State, sameWithSetId } from './state.ts';

/** Who made a change: a tool that named the file, a shell window, an operation of ours, or others. */
export type ChangeOrigin = (typeof CHANGE_ORIGINS)[number];

/** Stores hold the place of each in this list. */
export const CHANGE_ORIGINS = ['outside', 'tool', 'shell', 'operation'] as const;

/**
 * How sure the attribution is. `exact`: a tool named the file. `inferred`: only commands of one family of sessions
 * were running. `shared`: commands of several ran, an end was never seen, a scan came late, or calls of two
 * sessions wrote at once; a rewind takes these only when told to.
 */
export type Attribution = (typeof ATTRIBUTIONS)[number];

/** Stores hold the place of each in this list. */
export const ATTRIBUTIONS = ['exact', 'inferred', 'shared'] as const;

/** A message that may have made a change as well, or a part of it. */
export interface CoAuthor {
  readonly sessionId: string;
  readonly checkpointId: CheckpointId;
}

/**
 * One path going from a before to an after. The chain of a path is unbroken: each `before` joins the
 * previous `after`.
 */
export interface Change {
  readonly seq: Seq;
  readonly path: TrackedPath;
  readonly before: State;
  /** Null while the change is open: its writer has not been seen to finish. */
  readonly after: State | null;
  readonly origin: ChangeOrigin;
  readonly attribution: Attribution;
  /** Null for `outside` and `operation`, and once its session was deleted. */
  readonly sessionId: string | null;
  /** The checkpoint of the message in which it happened. */
  readonly checkpointId: CheckpointId | null;
  /**
   * The other messages whose calls ran at the same time: the change belongs to them as well. Null where there
   * was none.
   */
  readonly coAuthors: readonly CoAuthor[] | null;
  readonly operationId: OperationId | null;
  readonly toolCallId: string | null;
  /** The sub-agent that made it for the session; null for the agent itself. */
  readonly subagentId: string | null;
  /** Tells whether the tool call can still run, or which import brought the change; null when not known. */
  readonly owner: LivingOwner | ImportOwner | null;
  readonly createdAt: number;
}

/**
 * Where in the timeline a change was imported; null for one that happened here. For a checkpoint before
 * that place, the change did not happen since.
 */
export function importedAt({ owner }: Pick<Change, 'owner'>): Seq | null {
  return owner?.kind === 'import' ? owner.first : null;
}

/** Whether a change left its path as it was, such as one of a tool call that was refused or failed. */
export function leavesAsItWas({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  return after !== null && sameWithSetId(before, after);
}

/** Whether a change made or removed a folder, or changed its mode, and no file was there. */
export function isOfFolder({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  const states = [before, ...(after === null ? [] : [after])].filter(
    ({ kind }) => kind !== 'absent',
  );
  return states.length > 0 && states.every(isDirectory);
}

/** `by` (a change of an operation) takes `change` back. Only while `by` is live itself. */
export interface Cancellation {
  readonly by: Seq;
  readonly change: Seq;
  /** Only some hunks of it were taken back, so the change is live. */
  readonly inPart: boolean;
}

/**
 * Which changes are live: those that no live change cancels. An undo cancels the rewind's own change,
 * which makes what that one had cancelled live again. Works on whole chains of paths.
 */
export function liveChanges(
  changes: readonly Pick<Change, 'seq'>[],
  cancellations: readonly Cancellation[],
): Set<Seq> {
  const cancellers = new Map<Seq, Seq[]>();
  for (const { by, change, inPart } of cancellations) {
    if (inPart) continue;
    const known = cancellers.get(change);
    if (known) known.push(by);
    else cancellers.set(change, [by]);
  }
  const live = new Set<Seq>();
  // A canceller is always newer than what it cancels, so going from the newest down decides each once.
  for (const seq of changes.map((change) => change.seq).sort((a, b) => b - a)) {
    const by = cancellers.get(seq);
    if (!by?.some((canceller) => live.has(canceller))) live.add(seq);
  }
  return live;
}
