import type { Change } from '../model/change.ts';
import { changeOfCall, idOfCall } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import type { ChangeQuery, Store } from '../store/store.ts';
import { ownerMayRun } from './process-owner.ts';

/**
 * A path has one open change at most, so a tool call that comes to a path ends the change of another one
 * that is still at work there. This keeps in mind that it is.
 */
export function keepCall(draft: Draft, change: Change, now: number): void {
  const { sessionId, checkpointId, toolCallId, owner } = change;
  if (sessionId === null || checkpointId === null) return;
  draft.windows.push({
    id: idOfCall(change.seq),
    sessionId,
    checkpointId,
    toolCallId,
    owner,
    description: '',
    opened: draft.nextSeq(),
    closed: null,
    createdAt: now,
  });
}

/** The ended changes, of those asked for, whose tool calls are kept in mind. */
export async function overlappedCalls(
  store: Store,
  query: Pick<ChangeQuery, 'paths' | 'sessionIds'>,
): Promise<Change[]> {
  const seqs = (await store.windows()).flatMap((window) => changeOfCall(window) ?? []);
  if (seqs.length === 0) return [];
  const kept = new Set(seqs);
  const changes = await store.changes({ ...query, after: Math.min(...seqs) - 1 });
  return changes.filter(({ seq }) => kept.has(seq));
}

/** Whether the tool call that opened a change may still be writing, as long as nobody told its end. */
export function mayRun({ toolCallId, owner }: Change): boolean {
  return toolCallId !== null && (owner === null || ownerMayRun(owner));
}
