import { sharedBytes } from '../capture/git/keep-objects.ts';
import { ownerMayRun } from '../capture/process-owner.ts';
import type { ScanDifferences } from '../capture/scan/differences.ts';
import type { ScanIndex } from '../capture/scan/scan-index.ts';
import type { HiddenBy, Worktree } from '../capture/scan/worktree.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { TrackedPath } from '../model/path.ts';
import type { UnknownReason } from '../model/state.ts';
import { commandsIn, type Window } from '../model/window.ts';
import type { StoreStats } from '../store/store.ts';
import type { Workbench } from './workbench.ts';

/** What is on record of a project, what is not, and why. */
export interface ProjectStatus {
  readonly root: string;
  readonly stats: StoreStats;
  readonly newest: Checkpoint | null;
  /** Null before the first scan: only files that tools named are on record. */
  readonly worktree: WorktreeStatus | null;
  /** Commands that nobody has seen end. */
  readonly running: readonly Window[];
  /**
   * Commands that were interrupted: their process has ended, or no scan was possible when they ended. A run
   * stays listed until the next checkpoint.
   */
  readonly interrupted: readonly Window[];
}

/** A path in scope that is not on record, or not all of it. */
export interface Uncovered {
  readonly path: TrackedPath;
  /** `folder-unreadable`: entries of the folder may be there that no scan could see. */
  readonly reason: UnknownReason | 'folder-unreadable';
}

export interface WorktreeStatus {
  /** How many entries the first scan found, and how many of them were taken from git. */
  readonly entries: number;
  readonly fromGit: number;
  /** Bytes of git's packs that are shared with the repository, where a program could overwrite them. */
  readonly sharedBytes: number;
  /** Paths in scope whose content is not on record. */
  readonly unrecorded: readonly Uncovered[];
  /** Paths that have changed since the last scan; null where the worktree could not be scanned. */
  readonly pending: number | null;
  /** What hides every name in the project, so that nothing new is recorded; null for nothing. */
  readonly hiddenBy: HiddenBy | null;
  /** How many entries are kept although git ignores them. */
  readonly keptIgnored: number;
  /** Names that the ignore rules leave out, in folders that are in scope. */
  readonly ignored: readonly TrackedPath[];
}

/** Reads only: nothing goes on record. */
export async function status(bench: Workbench): Promise<ProjectStatus> {
  const { store, root } = bench;
  const [newest] = await store.timeline.checkpoints({ importedAt: null, limit: 1 });
  const { baseline } = await store.state();
  const now = bench.settings.now();
  const windows = (await store.timeline.windows()).filter(({ kind }) => kind !== 'call');
  return {
    root,
    stats: await store.maintain('stats'),
    newest: newest ?? null,
    worktree: baseline === null ? null : await worktreeStatus(bench),
    running: commandsIn(windows).filter((window) => !isOver(window, now)),
    interrupted: windows.filter(
      (window) =>
        isOver(window, now) &&
        (window.kind !== 'interrupted' || window.checkpointId === newest?.id),
    ),
  };
}

/** A command that runs, or a tool call that is about to write. */
export interface RunningWork
  extends Pick<Window, 'sessionId' | 'checkpointId' | 'toolCallId' | 'subagentId' | 'createdAt'> {
  /** The same as long as it runs. */
  readonly id: string;
  /** The command, or the path that the tool has named. */
  readonly description: string;
}

/** What is at work now, as far as anybody told: oldest first. Looks at no file. */
export async function runningWork({ store, settings }: Workbench): Promise<RunningWork[]> {
  const now = settings.now();
  const windows = commandsIn(await store.timeline.windows()).filter((one) => !isOver(one, now));
  const open = await store.timeline.changes({ open: true });
  const calls = open.flatMap((change): RunningWork[] => {
    const { sessionId, checkpointId, owner, createdAt: since, path, seq } = change;
    if (sessionId === null || checkpointId === null) return [];
    const isGone = owner !== null && owner.kind !== 'import' && !ownerMayRun(owner, { since, now });
    return isGone ? [] : [{ ...change, sessionId, checkpointId, id: `${seq}`, description: path }];
  });
  return [...windows, ...calls].map(
    ({ id, sessionId, checkpointId, toolCallId, subagentId, description, createdAt }) => ({
      id,
      sessionId,
      checkpointId,
      toolCallId,
      subagentId,
      description,
      createdAt,
    }),
  );
}

function isOver({ closed, owner, createdAt: since }: Window, now: number): boolean {
  return closed !== null || (owner !== null && !ownerMayRun(owner, { since, now }));
}

async function worktreeStatus(bench: Workbench): Promise<WorktreeStatus> {
  const { store, site, worktree } = bench;
  const walk = await worktree.walk(null);
  const manifest = await site.known.manifest();
  return {
    entries: manifest?.count ?? 0,
    fromGit: manifest?.heldByGit ?? 0,
    sharedBytes: store.git === null ? 0 : sharedBytes(store.git.folder),
    unrecorded: await uncovered(bench, walk.kind === 'gave-up' ? null : walk.index),
    pending: walk.kind === 'next' && walk.differences !== null ? countOf(walk.differences) : null,
    hiddenBy: walk.kind === 'gave-up' ? null : worktree.hiddenBy(walk),
    keptIgnored: walk.kind === 'gave-up' ? 0 : walk.index.countPrivate(),
    ignored: walk.kind === 'gave-up' ? [] : worktree.ignoredBy(walk),
  };
}

/**
 * The files and folders in scope that git does not ignore; a folder's path ends in a slash. As the last scan found
 * them, or as a walk finds them now (`again`, and where no scan was made). Nothing goes on record.
 */
export async function worktreePaths(bench: Workbench, again: boolean): Promise<string[]> {
  const { worktree } = bench;
  const known = again ? null : await worktree.lastIndex();
  const index = known ?? (await walkedIndex(worktree));
  if (index === null) return [];
  const { paths } = index;
  const found: string[] = [];
  for (let entry = 0; entry < index.count; entry += 1) {
    if (index.isPrivate(entry)) continue;
    const path = paths.path(entry);
    found.push(index.isDirectory(entry) ? `${path}/` : path);
  }
  return found;
}

async function walkedIndex(worktree: Worktree): Promise<ScanIndex | null> {
  const walk = await worktree.walk(null);
  return walk.kind === 'gave-up' ? null : walk.index;
}

/** What the last scan left out. */
export interface LeftOut {
  readonly unrecorded: readonly Uncovered[];
  readonly hiddenBy: HiddenBy | null;
  /** Whether rules leave names out: build output, or what is told. */
  readonly hasIgnored: boolean;
}

export async function leftOut(bench: Workbench): Promise<LeftOut> {
  const index = await bench.worktree.lastIndex();
  return {
    unrecorded: await uncovered(bench, index),
    hiddenBy: index && bench.worktree.hiddenBy({ index }),
    hasIgnored: index?.hasLeftOut ?? false,
  };
}

/** The paths in scope that are not on record, or not whole. `index`: of the scan that is asked about. */
async function uncovered(
  { store, site }: Workbench,
  index: ScanIndex | null,
): Promise<Uncovered[]> {
  const found = new Map<TrackedPath, Uncovered['reason']>(
    (await site.known.manifest())?.unknowns(),
  );
  for (const { path, state } of await store.timeline.heads()) {
    if (state.kind === 'unknown') found.set(path, state.reason);
    else found.delete(path);
  }
  for (const path of index?.unreadable() ?? []) found.set(path, 'folder-unreadable');
  return [...found].map(([path, reason]) => ({ path, reason }));
}

function countOf({ touched, appeared, entered, gone }: ScanDifferences): number {
  return touched.length + appeared.length + entered.length + gone.length;
}
