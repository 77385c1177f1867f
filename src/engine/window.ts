import { currentOwner } from '../capture/process-owner.ts';
import { checkId, clipText } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { commandsIn, type Window } from '../model/window.ts';
import { messageCheckpoint } from '../timeline/checkpoints.ts';
import { newWindowId } from '../timeline/new-id.ts';
import { isRun } from '../timeline/runs.ts';
import { endRun } from '../timeline/sessions.ts';
import { recordSession } from './capture.ts';
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
  const { description } = request;
  const looksAtLeftOut = request.isRun === true;
  return scanWith(bench, { looksAtLeftOut }, async (draft, now, report) => {
    const { coverage } = report;
    await recordSession(bench, draft, request, now);
    const message = { sessionId, messageId, description, coverage };
    const checkpoint = await messageCheckpoint(draft, bench.store, bench.root, message, now);
    const window: Window = {
      id: newWindowId(),
      kind: 'command',
      change: null,
      sessionId,
      checkpointId: checkpoint.id,
      toolCallId: request.toolCallId ?? null,
      owner: request.inThisProcess ? currentOwner() : null,
      description: clipText(description ?? ''),
      opened: draft.nextSeq(),
      closed: null,
      createdAt: now,
    };
    draft.windows.push(window);
    return { ...window, report };
  });
}

/** After the command: a scan attributes the changes to it, unless others could write as well. */
export async function closeWindow(bench: Workbench, id: string): Promise<ScanReport> {
  const known = (await bench.store.timeline.windows()).find((one) => one.id === id);
  const looksAtLeftOut = known?.toolCallId === null && (await isRun(bench.store, known.sessionId));
  const options = { looksAtLeftOut };
  const { report, isOpen } = await scanWith(bench, options, async (draft, _now, report) => {
    const window = commandsIn(await bench.store.timeline.windows()).find((one) => one.id === id);
    // The scan itself ends windows that must be over.
    const isEnded =
      draft.removedWindows.includes(id) ||
      draft.windows.some((one) => one.id === id && one.kind === 'interrupted');
    const isOpen = window !== undefined && !isEnded;
    if (isOpen && report.coverage === 'scanned') draft.removedWindows.push(id);
    // The window stays on record until a complete scan has found its changes.
    else if (isOpen) draft.windows.push({ ...window, closed: draft.nextSeq() });
    // A command that belongs to no tool call is the run itself.
    if (isOpen && window.toolCallId === null) await endRun(draft, bench.store, window.sessionId);
    return { report, isOpen };
  });
  if (isOpen) return report;
  throw new SavepointError('argument-invalid', 'no window has this id, or it was closed before');
}
