import type { Ended } from '../capture/attribution.ts';
import {
  changesOfOverlappedCalls,
  closeChanges,
  endLostCalls,
  endOverlapped,
  openChanges,
} from '../capture/capture.ts';
import { type Author, authorOf, outsider } from '../capture/chain.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { currentOwner, processOwner } from '../capture/process-owner.ts';
import type { Change } from '../model/change.ts';
import { checkId, clipText } from '../model/check.ts';
import type { Checkpoint, Coverage } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { LivingOwner } from '../model/owner.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import { addCheckpoint, findMessage, messageCheckpoint } from '../timeline/checkpoints.ts';
import { checkLabel } from '../timeline/labels.ts';
import { privatePaths } from '../timeline/private-paths.ts';
import { touchSession } from '../timeline/sessions.ts';
import type { Capture, CaptureRequest, CheckpointRequest, OwnerRequest } from './requests.ts';
import { scanWith } from './scan.ts';
import type { Workbench } from './workbench.ts';

/** Marks a point to return to: a user's message (`sessionId` and `messageId`), or else one made by hand. */
export async function checkpoint(
  bench: Workbench,
  request: CheckpointRequest,
): Promise<Checkpoint> {
  const { messageId, description, conversation } = request;
  const labelOf = async (): Promise<string | null> =>
    request.label === undefined ? null : await checkLabel(bench.store, request.label);
  // Checked before the scan too, so that a label that is taken is refused at once.
  await labelOf();
  const work = async (draft: Draft, now: number, coverage: Coverage): Promise<Checkpoint> => {
    const sessionId = await recordSession(bench, draft, request, now);
    if (sessionId !== null && messageId !== undefined) {
      checkId('messageId', messageId);
      const message = { sessionId, messageId, description, coverage, conversation };
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
  const ended = await endedBy(bench, request);
  if (!scan) {
    return bench.write(async (draft, now) => {
      if (ended !== null) await endLostCalls(draft, bench.site, ended, bench.finds(now));
      return work(draft, now, 'named');
    });
  }
  const { baseline } = request;
  return scanWith(bench, { ended, baseline }, (draft, now, { coverage }) =>
    work(draft, now, coverage),
  );
}

/** What a new prompt shows to be over: all that the agent itself began before. Null for any other checkpoint. */
async function endedBy(
  { store }: Workbench,
  { sessionId, messageId }: CheckpointRequest,
): Promise<Ended | null> {
  if (sessionId === undefined || messageId === undefined) return null;
  // A message may be told twice.
  const known = await findMessage(store, sessionId, messageId);
  return { sessionId, subagentId: null, notOf: known?.id };
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
    const { toolCallIdRepeats: isNewCall = false } = request;
    const told = isNewCall ? null : await openedBefore(bench, request, paths);
    if (told !== null) return told;
    await recordSession(bench, draft, request, now);
    const { description } = request;
    const message = { sessionId, messageId, description, coverage: 'named' as const };
    const { id } = await messageCheckpoint(draft, bench.store, bench.root, message, now);
    const author = toolAuthor(request, id, now);
    const capturing = { author, isNewCall, finds: bench.finds(now) };
    const changes = await openChanges(draft, site, paths, capturing);
    return captureOf(id, paths, changes);
  });
}

/** The capture of a tool call that is told again while it runs: some agents run a hook more than once. */
async function openedBefore(
  { store }: Workbench,
  { sessionId, toolCallId }: CaptureRequest,
  paths: readonly TrackedPath[],
): Promise<Capture | null> {
  if (toolCallId === undefined) return null;
  // Nearly every call is new, and its paths alone tell that at once: an open change is the newest of its path.
  const heads = await store.timeline.heads(paths);
  if (!heads.some(({ open }) => open)) return null;
  const isOfCall = (change: Change): boolean => change.toolCallId === toolCallId;
  const sessionIds = [sessionId];
  // A session can have many open calls, so those of other paths are read last.
  const named = (await store.timeline.changes({ sessionIds, paths, open: true })).filter(isOfCall);
  const captured = new Set(named.map(({ path }) => path));
  const checkpointId = named[0]?.checkpointId ?? null;
  if (checkpointId === null || !paths.every((path) => captured.has(path))) return null;
  const open = await store.timeline.changes({ sessionIds, open: true });
  return captureOf(checkpointId, paths, open.filter(isOfCall));
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

/** Puts the session on record, or its new activity. Null where the request names none. */
export async function recordSession(
  bench: Workbench,
  draft: Draft,
  request: Pick<CheckpointRequest, 'sessionId' | 'agent' | 'parentSessionId' | 'isRun' | 'owner'>,
  now: number,
): Promise<string | null> {
  if (request.sessionId === undefined) return null;
  const id = checkId('sessionId', request.sessionId);
  const parentId = request.parentSessionId;
  const owner = ownerOf(request.owner, now);
  const ref = { id, agent: request.agent, parentId, isRun: request.isRun, owner };
  if (parentId !== undefined) checkId('parentSessionId', parentId);
  return (await touchSession(draft, bench.store, ref, now)).id;
}

/** Notes the agent that goes on with a session. */
export async function resumeSession(
  bench: Workbench,
  sessionId: string,
  owner: OwnerRequest,
): Promise<void> {
  // Most sessions that start are new ones, and need no lock.
  if ((await findSession(bench.store, sessionId)) === null) return;
  await bench.write((draft, now) => recordSession(bench, draft, { sessionId, owner }, now));
}

/** The owner that a request names; null where it names none. */
export function ownerOf(owner: OwnerRequest | undefined, now: number): LivingOwner | null {
  if (owner === undefined) return null;
  if ('processId' in owner) return processOwner(owner.processId);
  return { kind: 'lease', until: now + owner.leaseMs };
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
    subagentId: request.subagentId ?? null,
    owner: toolCallId === null ? null : (ownerOf(request.owner, now) ?? currentOwner()),
  };
}
