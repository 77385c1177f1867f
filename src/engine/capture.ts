import {
  changesOfOverlappedCalls,
  closeChanges,
  endOverlapped,
  openChanges,
} from '../capture/capture.ts';
import { type Author, authorOf, outsider } from '../capture/chain.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { currentOwner } from '../capture/process-owner.ts';
import type { Change } from '../model/change.ts';
import { checkId, clipText } from '../model/check.ts';
import type { Checkpoint, Coverage } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Draft } from '../store/draft.ts';
import { addCheckpoint, messageCheckpoint } from '../timeline/checkpoints.ts';
import { checkLabel } from '../timeline/labels.ts';
import { privatePaths } from '../timeline/private-paths.ts';
import { endRun, touchSession } from '../timeline/sessions.ts';
import type { Capture, CaptureRequest, CheckpointRequest } from './requests.ts';
import { scanWith } from './scan.ts';
import type { Workbench } from './workbench.ts';

/** Marks a point to return to: a user's message (`sessionId` and `messageId`), or else one made by hand. */
export async function checkpoint(
  bench: Workbench,
  request: CheckpointRequest,
): Promise<Checkpoint> {
  const { messageId, description } = request;
  const labelOf = async (): Promise<string | null> =>
    request.label === undefined ? null : await checkLabel(bench.store, request.label);
  // Checked before the scan too, so that a label that is taken is refused at once.
  await labelOf();
  const work = async (draft: Draft, now: number, coverage: Coverage): Promise<Checkpoint> => {
    const sessionId = await recordSession(bench, draft, request, now);
    if (sessionId !== null && messageId !== undefined) {
      checkId('messageId', messageId);
      const message = { sessionId, messageId, description, coverage };
      return messageCheckpoint(draft, bench.store, bench.root, message, now);
    }
    // Checked again under the lock: another process may have used the label meanwhile.
    const label = await labelOf();
    const made = {
      kind: 'manual',
      sessionId,
      messageId: null,
      description: clipText(description ?? label ?? 'made by hand'),
      label,
      coverage,
    } as const;
    return addCheckpoint(draft, bench.root, made, now);
  };
  const scan = request.scan ?? bench.settings.scan;
  if (!scan) return bench.write((draft, now) => work(draft, now, 'named'));
  const movedOn = messageId === undefined ? null : request.sessionId;
  return scanWith(bench, { movedOn }, (draft, now, { coverage }) => work(draft, now, coverage));
}

/** Before a tool writes: records what is there, durably, and opens a change for each entry. */
export function captureBefore(bench: Workbench, request: CaptureRequest): Promise<Capture> {
  const sessionId = checkId('sessionId', request.sessionId);
  const messageId = checkId('messageId', request.messageId);
  const { maxFileSize = bench.site.maxFileSize } = request;
  return bench.write(async (draft, now) => {
    const isPrivate = request.asText ? await privatePaths(bench.store) : null;
    const asText = isPrivate === null ? undefined : (path: TrackedPath) => !isPrivate(path);
    const site = { ...bench.site, maxFileSize, asText };
    const paths = request.paths.flatMap((path) => resolveNamed(bench.root, path));
    if (paths.length === 0) throw new SavepointError('argument-invalid', 'no path was named');
    await recordSession(bench, draft, request, now);
    const { description } = request;
    const message = { sessionId, messageId, description, coverage: 'named' as const };
    const { id } = await messageCheckpoint(draft, bench.store, bench.root, message, now);
    const author = toolAuthor(request, id, now);
    const changes = await openChanges(draft, site, paths, { author, finds: bench.finds(now) });
    return captureOf(id, paths, changes);
  });
}

/** After the tool: ends the capture's changes with what is there now. */
export function captureAfter(bench: Workbench, capture: Capture): Promise<void> {
  return bench.write(async (draft, now) => {
    const paths = capture.changes.map((change) => change.path);
    const seqs = new Set(capture.changes.map((change) => change.seq));
    const open = await bench.store.timeline.changes({ paths, open: true });
    // The author comes from the timeline, because a capture is a value that the caller hands back.
    const isCaptured = ({ seq }: Change) => seqs.has(seq);
    const overlapped = (await changesOfOverlappedCalls(bench.store, { paths })).filter(isCaptured);
    await endOverlapped(draft, bench.site, overlapped, now);
    const first = open.find(isCaptured);
    if (first === undefined) return;
    const author = authorOf(first, now);
    await closeChanges(draft, bench.site, capture.changes, { author, finds: bench.finds(now) });
  });
}

/** The agent's turn is over: changes and windows that it opened and nobody closed end here. */
export async function endTurn(bench: Workbench, sessionId: string): Promise<void> {
  const sessionIds = [checkId('sessionId', sessionId)];
  await bench.write(async (draft, now) => {
    const open = await bench.store.timeline.changes({ sessionIds, open: true });
    await endOverlapped(
      draft,
      bench.site,
      await changesOfOverlappedCalls(bench.store, { sessionIds }),
      now,
    );
    const finds = bench.finds(now);
    // Changes of one author end together, so that each new entry of a folder is recorded once.
    for (const changes of Map.groupBy(open, (change) => authorKey(change)).values()) {
      const [first] = changes;
      if (first === undefined) continue;
      await closeChanges(draft, bench.site, changes, { author: authorOf(first, now), finds });
    }
    await endRun(draft, bench.store, sessionId);
  });
  if (bench.settings.scan) await scanWith(bench, { movedOn: sessionId }, async () => {});
}

/** Puts the session on record, or its new activity. Null where the request names none. */
export async function recordSession(
  bench: Workbench,
  draft: Draft,
  request: Pick<CheckpointRequest, 'sessionId' | 'agent' | 'parentSessionId' | 'isRun'>,
  now: number,
): Promise<string | null> {
  if (request.sessionId === undefined) return null;
  const id = checkId('sessionId', request.sessionId);
  const parentId = request.parentSessionId;
  const ref = { id, agent: request.agent, parentId, isRun: request.isRun };
  if (parentId !== undefined) checkId('parentSessionId', parentId);
  return (await touchSession(draft, bench.store, ref, now)).id;
}

function captureOf(
  checkpointId: CheckpointId,
  named: readonly TrackedPath[],
  changes: readonly Change[],
): Capture {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const skipped = named.filter((path) => byPath.get(path)?.before.kind === 'unknown');
  const first = changes.filter((change) => change.path === named[0]);
  const others = changes.filter((change) => change.path !== named[0]);
  return { checkpointId, changes: [...first, ...others], skipped };
}

function toolAuthor(request: CaptureRequest, checkpointId: CheckpointId, now: number): Author {
  const toolCallId = request.toolCallId ?? null;
  return {
    ...outsider(now),
    origin: 'tool',
    sessionId: request.sessionId,
    checkpointId,
    toolCallId,
    owner: toolCallId === null ? null : currentOwner(),
  };
}

/** Changes with the same key have the same author. */
function authorKey({ checkpointId, toolCallId, owner }: Change): string {
  return JSON.stringify([checkpointId, toolCallId, owner]);
}
