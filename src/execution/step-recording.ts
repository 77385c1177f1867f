import { closeChanges } from '../capture/capture.ts';
import { authorOf } from '../capture/chain.ts';
import { currentOwner } from '../capture/process-owner.ts';
import { type PinnedFolder, pinParentOrNull } from '../fs/pinned-folder.ts';
import { type SyncTarget, syncTogether } from '../fs/sync-together.ts';
import { clipText } from '../model/check.ts';
import type { Coverage } from '../model/checkpoint.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { PartId } from '../model/ids.ts';
import { nameOf, type TrackedPath } from '../model/path.ts';
import type { Tree } from '../model/value/index.ts';
import { commandsIn } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { DocumentPacker, storePacked } from '../store/parts/document-packer.ts';
import { addCheckpoint } from '../timeline/checkpoints.ts';
import { newWindowId } from '../timeline/new-id.ts';
import { touchSession } from '../timeline/sessions.ts';
import type { ExecutionSite } from './execution-site.ts';
import { EXECUTION_AGENT } from './lease.ts';
import { stepName } from './step-log.ts';

export interface NewStep {
  readonly index: number;
  readonly name: string;
  readonly key: string | null;
  readonly attempt: number;
  readonly writes: readonly string[] | null;
}

/** Drafts the beginning of an attempt: a checkpoint to return to, and a window for files that no tool names. */
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
  const description = clipText(`step ${made.index} (${stepName(made)}) of ${execution.id}`);
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
    subagentId: null,
    owner: currentOwner(),
    description,
    coverage,
    opened: draft.nextSeq(),
    closed: null,
    certain: null,
    createdAt: now,
  });
  return begun;
}

/**
 * Drafts the end of an attempt, however it ended: closes the changes that its tools opened, with what is
 * there now, and its window. The draft already has what the scan found. Returns the paths that changed.
 */
export async function draftEnd(
  site: ExecutionSite,
  draft: Draft,
  { sessionId }: Execution,
  { now, coverage }: { readonly now: number; readonly coverage: Coverage },
): Promise<TrackedPath[]> {
  const open = await site.store.timeline.changes({ sessionIds: [sessionId], open: true });
  for (const changes of Map.groupBy(open, (change) => change.checkpointId).values()) {
    const [first] = changes;
    if (first === undefined) continue;
    const capturing = { author: authorOf(first, now), finds: site.finds(now) };
    await closeChanges(draft, site.files, changes, capturing);
  }
  for (const window of commandsIn(await site.store.timeline.windows())) {
    if (window.sessionId !== sessionId) continue;
    // Without a complete scan the window stays on record: a later scan finds what the command did.
    if (coverage === 'scanned') draft.removedWindows.push(window.id);
    else if (window.closed === null) draft.windows.push({ ...window, closed: draft.nextSeq() });
  }
  return [...draft.changes, ...open].map(({ path }) => path);
}

/** A step goes on record as done once its files are on disk: first their contents, then their names. */
export async function syncFiles(
  { files }: ExecutionSite,
  paths: Iterable<TrackedPath>,
): Promise<void> {
  const all = [...new Set(paths)];
  const targets = (open: Opening): SyncTarget[] =>
    all.map((path) => ({ path, open: () => openIn(files.root, path, open) }));
  await syncTogether(targets((folder, name) => folder.openToSync(name)));
  await syncTogether(targets((folder) => folder.openSelf()));
}

type Opening = (folder: PinnedFolder, name: string) => number | null;

/** Null for an entry that is gone. */
function openIn(root: string, path: TrackedPath, open: Opening): number | null {
  const folder = pinParentOrNull(root, path);
  if (folder === null) return null;
  try {
    return open(folder, nameOf(path));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (isSavepointError(error) || ['ENOENT', 'ELOOP', 'ENXIO'].includes(code)) return null;
    throw error;
  } finally {
    folder.close();
  }
}

/** Packs states and results, step after step: parts that did not change are not packed again. */
export class StepPacker {
  readonly #states = new DocumentPacker();
  readonly #results = new DocumentPacker();

  /** Packs a state into the draft; to be called within `storing`. Returns the name of the document. */
  packState(draft: Draft, state: Tree): PartId {
    return packInto(draft, this.#states, state, 'step');
  }

  /** The same for what a step returned. */
  packResult(draft: Draft, result: Tree): PartId {
    return packInto(draft, this.#results, result, 'result');
  }

  storing<T>(write: () => Promise<T>): Promise<T> {
    return storePacked([this.#states, this.#results], write);
  }
}

function packInto(draft: Draft, packer: DocumentPacker, tree: Tree, name: string): PartId {
  const { root, parts } = packer.packTaken(tree, name);
  draft.parts.push(...parts, root);
  return root.id;
}
