import { type Ended, isEnded } from '../capture/attribution.ts';
import { changesOfOverlappedCalls, closeByAuthor, endOverlapped } from '../capture/capture.ts';
import type { Change } from '../model/change.ts';
import { checkId } from '../model/check.ts';
import type { Seq } from '../model/ids.ts';
import { commandsIn, type Window } from '../model/window.ts';
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
  const isPassed = told ? await passedBy(bench, ended) : () => true;
  await bench.write(async (draft, now) => {
    for (const passed of [false, true]) {
      const isMeant = (change: Change): boolean =>
        isEnded(change, ended) && isPassed(change, change.seq) === passed;
      await endOpen(bench, draft, { sessionId, isMeant, told: !passed, now });
    }
    if (subagentId === null) await endRun(draft, bench.store, sessionId);
  });
  if (!bench.settings.scan) return;
  const isTold = (window: Window): boolean =>
    isEnded(window, ended) && !isPassed(window, window.opened);
  const report = told ? await closeWindows(bench, isTold, { baseline }) : null;
  const isLeft = (await openWindows(bench)).some((window) => isEnded(window, ended));
  if (report === null || isLeft) await scanWith(bench, { ended, baseline }, async () => {});
}

/**
 * Whether a later call of the same agent has ended while a call was open. Then the call may have ended long ago, and an
 * interrupt says nothing about it: a failed patch, or a server that goes on in the background.
 */
async function passedBy(
  bench: Workbench,
  { sessionId, subagentId = null }: Ended,
): Promise<(call: Pick<Change | Window, 'toolCallId'>, began: Seq) => boolean> {
  const windows = (await openWindows(bench)).filter((window) => window.sessionId === sessionId);
  const commands = windows.flatMap(({ certain }) => certain ?? []);
  const isOwn = (change: Change): boolean =>
    change.origin === 'tool' && change.after !== null && change.subagentId === subagentId;
  const open = await openOf(bench, sessionId, () => true);
  const first = Math.min(...open.map(({ seq }) => seq), ...windows.map(({ opened }) => opened));
  const query = { sessionIds: [sessionId], after: first };
  const isAnyOpen = Number.isFinite(first);
  const tools = isAnyOpen ? (await bench.store.timeline.changes(query)).filter(isOwn) : [];
  return ({ toolCallId }, began) =>
    commands.some(({ from }) => from > began) ||
    tools.some((tool) => tool.seq > began && tool.toolCallId !== toolCallId);
}

async function openWindows({ store }: Workbench): Promise<Window[]> {
  return commandsIn(await store.timeline.windows()).filter(({ closed }) => closed === null);
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
  await closeByAuthor(draft, bench.site, open, { finds: bench.finds(now), told });
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
