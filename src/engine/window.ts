import { currentOwner } from '../capture/process-owner.ts';
import { checkId, clipText } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { commandsIn, type Window } from '../model/window.ts';
import { messageCheckpoint } from '../timeline/checkpoints.ts';
import { newWindowId } from '../timeline/new-id.ts';
import { sessionOf } from './capture.ts';
import type { WindowRequest } from './requests.ts';
import { type ScanReport, scanThen } from './scan.ts';
import type { Workbench } from './workbench.ts';

/** A window that was just opened, with what the scan before it came to. */
export interface OpenWindow extends Window {
  readonly report: ScanReport;
}

/** Before a command: what others did until now is put on record first, so that it is not the command's. */
export function openWindow(bench: Workbench, request: WindowRequest): Promise<OpenWindow> {
  const sessionId = checkId('sessionId', request.sessionId);
  const messageId = checkId('messageId', request.messageId);
  const { description } = request;
  return scanThen(bench, {}, async (draft, now, report) => {
    const { coverage } = report;
    await sessionOf(bench, draft, request, now);
    const message = { sessionId, messageId, description, coverage };
    const checkpoint = await messageCheckpoint(draft, bench.store, bench.root, message, now);
    const window: Window = {
      id: newWindowId(),
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

/** After it: what a scan finds now is its doing, unless others could write as well. */
export function closeWindow(bench: Workbench, id: string): Promise<ScanReport> {
  return scanThen(bench, {}, async (draft, _now, report) => {
    const window = commandsIn(await bench.store.windows()).find((one) => one.id === id);
    if (window === undefined) {
      throw new SavepointError(
        'argument-invalid',
        'no window has this id, or it was closed before',
      );
    }
    if (report.coverage === 'scanned') draft.removedWindows.push(id);
    // What it did is still to be found: the window stays on record until a scan was complete.
    else draft.windows.push({ ...window, closed: draft.nextSeq() });
    return report;
  });
}
