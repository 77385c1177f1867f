import { currentOwner } from '../capture/process-owner.ts';
import { checkId, clipText } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { commandsIn, type Window } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
import { messageCheckpoint } from '../timeline/checkpoints.ts';
import { newWindowId } from '../timeline/new-id.ts';
import { isRun } from '../timeline/runs.ts';
import { endRun } from '../timeline/sessions.ts';
import { ownerOf, recordSession } from './capture.ts';
import type { WindowRequest } from './requests.ts';
import { type ScanReport, scanWith } from './scan.ts';
import type { Workbench } from './workbench.ts';

/** A window that was just opened, with the report of the scan before it. */
export interface OpenWindow extends Window {
  readonly report: ScanReport;
}

/** Before a command: a scan first records what others changed until now, so that it is not the command's. */
export function openWindow(bench: Workbench, request: WindowRequest): Promise<OpenWindow> {
  const sessionId = checkId('sessionId', request.sessionId);
  const messageId = checkId('messageId', request.messageId);
  const { description, conversation, baseline } = request;
  const looksAtLeftOut = request.isRun === true;
  const { toolCallId, toolCallIdRepeats } = request;
  const ended = toolCallIdRepeats && toolCallId !== undefined ? { sessionId, toolCallId } : null;
  return scanWith(bench, { ended, looksAtLeftOut, baseline }, async (draft, now, report) => {
    const { coverage } = report;
    await recordSession(bench, draft, request, now);
    const message = { sessionId, messageId, description, coverage, conversation };
    const checkpoint = await messageCheckpoint(draft, bench.store, bench.root, message, now);
    const window: Window = {
      id: newWindowId(),
      kind: 'command',
      change: null,
      sessionId,
      checkpointId: checkpoint.id,
      toolCallId: request.toolCallId ?? null,
      subagentId: request.subagentId ?? null,
      owner: ownerOf(request.owner, now) ?? (request.inThisProcess ? currentOwner() : null),
      description: clipText(description ?? ''),
      coverage,
      opened: draft.nextSeq(),
      closed: null,
      certain: null,
      createdAt: now,
    };
    draft.windows.push(window);
    return { ...window, report };
  });
}

/** After the command: a scan attributes the changes to it, unless others could write as well. */
export async function closeWindow(bench: Workbench, id: string): Promise<ScanReport> {
  const report = await closeWindows(bench, (window) => window.id === id);
  if (report !== null) return report;
  throw new SavepointError('argument-invalid', 'no window has this id, or it was closed before');
}

/** As `closeWindow`, for all that are meant. Null, and no scan, if none of them is open. */
export async function closeWindows(
  bench: Workbench,
  isMeant: (window: Window) => boolean,
  { baseline }: { readonly baseline?: boolean | undefined } = {},
): Promise<ScanReport | null> {
  const { store } = bench;
  const isOpen = (window: Window): boolean => window.closed === null && isMeant(window);
  const open = async (): Promise<Window[]> =>
    commandsIn(await store.timeline.windows()).filter(isOpen);
  const known = await open();
  if (known.length === 0) return null;
  const areRuns = await Promise.all(known.map((window) => isRunItself(store, window)));
  const options = { isTold: isOpen, looksAtLeftOut: areRuns.includes(true), baseline };
  return scanWith(bench, options, async (draft, _now, report) => {
    const ended = await open();
    if (report.coverage === 'scanned') await keepCertain(draft, store, ended);
    for (const window of ended) {
      if (report.coverage === 'scanned') draft.removedWindows.push(window.id);
      // The window stays on record until a complete scan has found its changes.
      else draft.windows.push({ ...window, closed: draft.nextSeq() });
      if (window.toolCallId === null) await endRun(draft, store, window.sessionId);
    }
    return ended.length === 0 ? null : report;
  });
}

/** Remembers with the commands that go on what was found while these ran, whose ends are told. */
async function keepCertain(draft: Draft, store: Store, ended: readonly Window[]): Promise<void> {
  const spans = ended.map(({ opened }) => ({ from: opened, to: draft.seq }));
  const isOver = new Set([
    ...ended.map(({ id }) => id),
    ...draft.removedWindows,
    ...draft.windows.map(({ id }) => id),
  ]);
  for (const window of commandsIn(await store.timeline.windows())) {
    if (window.closed !== null || isOver.has(window.id)) continue;
    draft.windows.push({ ...window, certain: [...(window.certain ?? []), ...spans] });
  }
}

/** A command that belongs to no tool call is the run itself. */
async function isRunItself(store: Store, { toolCallId, sessionId }: Window): Promise<boolean> {
  return toolCallId === null && (await isRun(store, sessionId));
}
