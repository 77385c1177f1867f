import { endChanges } from '../capture/capture.ts';
import { authorOf } from '../capture/chain.ts';
import { currentOwner } from '../capture/process-owner.ts';
import type { Change } from '../model/change.ts';
import { clipText } from '../model/check.ts';
import type { Coverage } from '../model/checkpoint.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { TrackedPath } from '../model/path.ts';
import { commandsIn } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { addCheckpoint } from '../timeline/checkpoints.ts';
import { newWindowId } from '../timeline/new-id.ts';
import { touchSession } from '../timeline/sessions.ts';
import type { ExecutionSite } from './execution-site.ts';
import { EXECUTION_AGENT } from './lease.ts';
import { described } from './step-log.ts';

export interface NewStep {
  readonly index: number;
  readonly name: string;
  readonly attempt: number;
  readonly writes: readonly string[] | null;
}

/** The beginning of an attempt: a checkpoint to return to, and a window for what no tool names. */
export async function draftBegin(
  site: ExecutionSite,
  draft: Draft,
  execution: Execution,
  made: NewStep,
  moment: { readonly now: number; readonly coverage: Coverage },
): Promise<StepAttempt> {
  const { now, coverage } = moment;
  const { sessionId } = execution;
  const step: StepAttempt = {
    ...made,
    executionId: execution.id,
    status: 'running',
    checkpointId: null,
    root: null,
    result: null,
    error: null,
    effects: [],
    restored: false,
    rolledBackBy: null,
    startedAt: now,
    endedAt: null,
  };
  const description = clipText(described(execution, step));
  await touchSession(draft, site.store, { id: sessionId, agent: EXECUTION_AGENT }, now);
  const messageId = `${execution.id}#${made.index}.${made.attempt}`;
  const named = { kind: 'step', sessionId, messageId, description, label: null, coverage } as const;
  const { id: checkpointId } = addCheckpoint(draft, site.files.root, named, now);
  const begun = { ...step, checkpointId };
  draft.steps.push(begun);
  if (!site.scans) return begun;
  draft.windows.push({
    id: newWindowId(),
    kind: 'command',
    change: null,
    sessionId,
    checkpointId,
    toolCallId: null,
    owner: currentOwner(),
    description,
    opened: draft.nextSeq(),
    closed: null,
    createdAt: now,
  });
  return begun;
}

/**
 * The end of an attempt, however it ended: what its tools opened ends with what is there now, and so does
 * its window, of which the draft has what was found. Answers with the paths that are on record as changed.
 */
export async function draftEnd(
  site: ExecutionSite,
  draft: Draft,
  { sessionId }: Execution,
  { now, coverage }: { readonly now: number; readonly coverage: Coverage },
): Promise<TrackedPath[]> {
  const open = await site.store.changes({ sessionIds: [sessionId], open: true });
  for (const changes of Map.groupBy(open, (change) => change.checkpointId).values()) {
    const [first] = changes;
    if (first === undefined) continue;
    const capturing = { author: authorOf(first, now), finds: site.finds(now) };
    await endChanges(draft, site.files, changes, capturing);
  }
  for (const window of commandsIn(await site.store.windows())) {
    if (window.sessionId !== sessionId) continue;
    // Where no scan was complete it stays on record: what it did is still to be found.
    if (coverage === 'scanned') draft.removedWindows.push(window.id);
    else if (window.closed === null) draft.windows.push({ ...window, closed: draft.nextSeq() });
  }
  return pathsIn(draft, open);
}

function pathsIn(draft: Draft, open: readonly Change[]): TrackedPath[] {
  return [...draft.changes, ...open].map((change) => change.path);
}
