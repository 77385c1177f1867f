import { type Ended, isEnded } from '../capture/attribution.ts';
import { changesOfOverlappedCalls, endChanges, endOverlapped } from '../capture/capture.ts';
import type { Change } from '../model/change.ts';
import { checkId } from '../model/check.ts';
import type { Window } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { findMessage } from '../timeline/checkpoints.ts';
import { endRun, releaseSession } from '../timeline/sessions.ts';
import type { CallRequest, EndTurnRequest } from './requests.ts';
import { NOTHING_SCANNED, type ScanReport, scanWith } from './scan.ts';
import { closeWindows } from './window.ts';
import type { Workbench } from './workbench.ts';

/** After a tool call: ends its changes, and its window with a scan. Null if nothing of it is open. */
export async function closeCall(bench: Workbench, call: CallRequest): Promise<ScanReport | null> {
  const { sessionId, toolCallId } = call;
  const isOfCall = (one: Pick<Change | Window, 'sessionId' | 'toolCallId'>): boolean =>
    one.sessionId === sessionId && one.toolCallId === toolCallId;
  const hasEnded = (await openOf(bench, sessionId, isOfCall)).length > 0;
  if (hasEnded) {
    await bench.write((draft, now) =>
      endOpen(bench, draft, { sessionId, isMeant: isOfCall, told: true, now }),
    );
  }
  const report = await closeWindows(bench, isOfCall, { baseline: false });
  return report ?? (hasEnded ? NOTHING_SCANNED : null);
}

/** The turn is over: changes and windows that the agent opened for it and nobody closed end here. */
export async function endTurn(
  bench: Workbench,
  sessionId: string,
  { messageId, subagentId, interrupted = false, baseline }: EndTurnRequest,
): Promise<void> {
  checkId('sessionId', sessionId);
  const whole: Ended = { sessionId, subagentId: subagentId ?? null };
  const of = async (id: string): Promise<Pick<Ended, 'of'>> => ({
    of: (await findMessage(bench.store, sessionId, id))?.id ?? null,
  });
  const ended = messageId === undefined ? whole : { ...whole, ...(await of(messageId)) };
  await endWork(bench, ended, { told: interrupted, baseline });
}

/** The session is over, with all that its sub-agents do. */
export async function endSession(bench: Workbench, sessionId: string): Promise<void> {
  checkId('sessionId', sessionId);
  await endWork(bench, { sessionId }, { told: false, baseline: false });
  await bench.write((draft) => releaseSession(draft, bench.store, sessionId));
}

/** `told`: the work ends at this moment. Otherwise it ended earlier, and nobody knows when. */
async function endWork(
  bench: Workbench,
  ended: Ended,
  { told, baseline }: { readonly told: boolean; readonly baseline?: boolean | undefined },
): Promise<void> {
  const { sessionId, subagentId = null } = ended;
  await bench.write(async (draft, now) => {
    const isMeant = (change: Change): boolean => isEnded(change, ended);
    await endOpen(bench, draft, { sessionId, isMeant, told, now });
    if (subagentId === null) await endRun(draft, bench.store, sessionId);
  });
  if (!bench.settings.scan) return;
  if (told) await closeWindows(bench, (window) => isEnded(window, ended), { baseline });
  else await scanWith(bench, { ended, baseline }, async () => {});
}

interface Ending {
  readonly sessionId: string;
  readonly isMeant: (change: Change) => boolean;
  readonly told: boolean;
  readonly now: number;
}

/** Ends the changes of a session that are meant and open. */
async function endOpen(
  bench: Workbench,
  draft: Draft,
  { sessionId, isMeant, told, now }: Ending,
): Promise<void> {
  const changes = await openOf(bench, sessionId, isMeant);
  const overlapped = changes.filter(({ after }) => after !== null);
  await endOverlapped(draft, bench.site, overlapped, now);
  const open = changes.filter(({ after }) => after === null);
  await endChanges(draft, bench.site, open, { finds: bench.finds(now), told });
}

/** Those that are open, and those that another session's call has ended while their own call goes on. */
async function openOf(
  { store }: Workbench,
  sessionId: string,
  isMeant: Ending['isMeant'],
): Promise<Change[]> {
  const sessionIds = [sessionId];
  const open = await store.timeline.changes({ sessionIds, open: true });
  return [...open, ...(await changesOfOverlappedCalls(store, { sessionIds }))].filter(isMeant);
}
