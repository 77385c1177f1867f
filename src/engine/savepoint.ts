import { look } from '../capture/capture.ts';
import { ownerMayRun } from '../capture/process-owner.ts';
import type { ExecutionReader } from '../execution/execution-reader.ts';
import type { ExecutionRun } from '../execution/execution-run.ts';
import type { ExecutionOptions, ForkRequest } from '../execution/open-execution.ts';
import type { RollbackOptions, RollbackPlan, RollbackRequest } from '../execution/rollback.ts';
import { AMOUNT, check, ID, listOf, nullable, optional, TEXT } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Execution } from '../model/execution.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Receipt } from '../model/operation.ts';
import { selectedPath } from '../model/path.ts';
import type { PlanLine, PlanNote, RewindPlan } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import type { IfStorable } from '../model/value/index.ts';
import type { PlanHunk } from '../plan/hunks.ts';
import type { BaseStorage } from '../store/documents/base-storage.ts';
import { findSession } from '../store/find.ts';
import type { WorktreeEntry } from '../store/store.ts';
import { diffSince, type PathDiff } from '../timeline/diff.ts';
import { evictCheckpoints } from '../timeline/eviction.ts';
import type { FileChange } from '../timeline/file-history.ts';
import { labelCheckpoint } from '../timeline/labels.ts';
import { type IsPrivate, privatePaths } from '../timeline/private-paths.ts';
import type { PruneRequest, RetentionRules } from '../timeline/retention.ts';
import { archiveSession } from '../timeline/sessions.ts';
import { tell, type Untold, untold } from '../timeline/untold.ts';
import type { FileOrigins } from '../timeline/why.ts';
import type {
  ExportRequest,
  TakeoverReceipt,
  TakeoverRequest,
  TransferLimits,
} from '../transfer/requests.ts';
import { captureAfter, captureBefore, checkpoint, resumeSession } from './capture.ts';
import { closeCall, endSession, endTurn } from './end-work.ts';
import { type Materialized, materialize } from './materialize.ts';
import type { CleanupRules, EvictionResult, PrunePlan, PruneReport } from './prune.ts';
import type { PurgeReport, PurgeRequest } from './purge.ts';
import {
  type Agree,
  type AlongsideRequest,
  CALL_REQUEST,
  CAPTURE,
  CAPTURE_REQUEST,
  type CallRequest,
  type Capture,
  type CaptureRequest,
  CHECKPOINT_REQUEST,
  type CheckpointRequest,
  END_TURN_REQUEST,
  type EndTurnRequest,
  NAMED_PATHS,
  type NamedPath,
  OWNER,
  type OwnerRequest,
  PLAN_OPTIONS,
  type PlanOptions,
  REWIND_REQUEST,
  type RewindRequest,
  UNDO_REQUEST,
  type UndoRequest,
  WHY_REQUEST,
  type WhyRequest,
  WINDOW_REQUEST,
  type WindowRequest,
} from './requests.ts';
import {
  apply,
  type Conflict,
  planAndApply,
  planConflict,
  planDiff,
  planHunks,
  planRedo,
  planRewind,
  planUndo,
} from './rewind.ts';
import { agentsWork, SCAN_OPTIONS, type ScanOptions, type ScanReport, scanWith } from './scan.ts';
import {
  type LeftOut,
  leftOut,
  type ProjectStatus,
  type RunningWork,
  runningWork,
  status,
  worktreePaths,
} from './status.ts';
import { TimelineReader } from './timeline-reader.ts';
import {
  exportSessions,
  findWorktree,
  importSessions,
  type SessionElsewhere,
  sessionsElsewhere,
  takeover,
} from './transfer.ts';
import { closeWindow, type OpenWindow, openWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

/** The timeline of one project, and the way back along it. Made by `openSavepoint`. */
export class Savepoint extends TimelineReader {
  readonly #bench: Workbench;
  /** Executions that this process holds, or has held. */
  readonly #runs = new Set<Pick<ExecutionRun, 'leave'>>();

  constructor(bench: Workbench) {
    super(bench.store);
    this.#bench = bench;
  }

  /** The project's real path. */
  get root(): string {
    return this.#bench.root;
  }

  /** Marks a point to return to: a user's message (`sessionId` and `messageId`), or else one made by hand. */
  async checkpoint(request: CheckpointRequest = {}): Promise<Checkpoint> {
    check(CHECKPOINT_REQUEST, 'request', request);
    return this.#bench.recording(() => checkpoint(this.#bench, request));
  }

  /** Before a tool writes: records the files durably, and opens a change for each entry. */
  async captureBefore(request: CaptureRequest): Promise<Capture> {
    check(CAPTURE_REQUEST, 'request', request);
    return captureBefore(this.#bench, request);
  }

  /** After the tool: ends the capture's changes with the present states. */
  async captureAfter(capture: Capture): Promise<void> {
    check(CAPTURE, 'capture', capture);
    return captureAfter(this.#bench, capture);
  }

  /**
   * Before a command that may write anything: a scan at its end finds the changes. Call `closeWindow`
   * with the id, also when the command failed.
   */
  async openWindow(request: WindowRequest): Promise<OpenWindow> {
    check(WINDOW_REQUEST, 'request', request);
    return this.#bench.recording(() => openWindow(this.#bench, request));
  }

  /** After the command: records its changes. */
  async closeWindow(id: string): Promise<ScanReport> {
    check(ID, 'id', id);
    return this.#bench.recording(() => closeWindow(this.#bench, id));
  }

  /**
   * After a tool call: ends its captures and its window, for a caller that knows no more than its name. Null if
   * nothing of it is open, also because it was closed before. Never makes the first scan.
   */
  async closeCall(call: CallRequest): Promise<ScanReport | null> {
    check(CALL_REQUEST, 'call', call);
    return this.#bench.recording(() => closeCall(this.#bench, call));
  }

  /** Records all changes in the worktree, whoever made them. */
  async scan(options: ScanOptions = {}): Promise<ScanReport> {
    check(SCAN_OPTIONS, 'options', options);
    const ended = agentsWork(options.movedOn);
    return this.#bench.recording(() =>
      scanWith(this.#bench, { ...options, ended }, async (_draft, _now, report) => report),
    );
  }

  /** As `scan`, but only where a first scan was made before; null otherwise. */
  async scanAgain(options: ScanOptions = {}): Promise<ScanReport | null> {
    check(SCAN_OPTIONS, 'options', options);
    if (!(await this.isScanned())) return null;
    // It comes before a rewind or an undo, which may take the rule back that hides everything.
    const quietly = { ...options, saysHidden: false };
    return scanWith(this.#bench, quietly, async (_draft, _now, report) => report);
  }

  /** What is on record, what is not, and why. Writes nothing. */
  status(): Promise<ProjectStatus> {
    return this.#bench.reading(() => status(this.#bench));
  }

  /** Commands and tool calls that are at work now, oldest first. Looks at no file. */
  running(): Promise<RunningWork[]> {
    return runningWork(this.#bench);
  }

  /**
   * The files and folders that are in scope and that git does not ignore; folders end in a slash. As the last scan
   * found them; `again` looks at the disk. Writes nothing.
   */
  async worktreePaths(options: { readonly again?: boolean } = {}): Promise<readonly string[]> {
    return this.#bench.reading(() => worktreePaths(this.#bench, options.again ?? false));
  }

  /** Says which paths are private: git ignores them, and they were kept all the same. Ask before you show them. */
  privatePaths(): Promise<IsPrivate> {
    return privatePaths(this.#bench.store);
  }

  /** What the last scan left out, and why. Writes nothing. */
  uncovered(): Promise<LeftOut> {
    return this.#bench.reading(() => leftOut(this.#bench));
  }

  /** Writes the whole tree of a checkpoint into an empty folder. */
  async materialize(ref: string, directory: string): Promise<Materialized> {
    check(TEXT, 'directory', directory);
    const checkpoint = await this.resolve(ref);
    return this.#bench.reading(() => materialize(this.#bench.site, checkpoint, directory));
  }

  /**
   * The agent's turn is over: changes and windows that it opened and nobody closed end here. Sub-agents go on,
   * unless `subagentId` names one.
   */
  async endTurn(sessionId: string, request: EndTurnRequest = {}): Promise<void> {
    check(END_TURN_REQUEST, 'request', request);
    return this.#bench.recording(() => endTurn(this.#bench, sessionId, request));
  }

  /**
   * The agent goes on with a session, so that it runs from now on. Does nothing where the session is not on record:
   * its first prompt or call begins it.
   */
  async resumeSession(sessionId: string, owner: OwnerRequest): Promise<void> {
    check(ID, 'sessionId', sessionId);
    check(OWNER, 'owner', owner);
    return this.#bench.recording(() => resumeSession(this.#bench, sessionId, owner));
  }

  /** The session is over: whatever the agent and its sub-agents opened ends here. Never makes the first scan. */
  async endSession(sessionId: string): Promise<void> {
    return this.#bench.recording(() => endSession(this.#bench, sessionId));
  }

  /** The plan of a rewind. Writes nothing. */
  async planRewind(request: RewindRequest): Promise<RewindPlan> {
    check(REWIND_REQUEST, 'request', request);
    return (await planRewind(this.#bench, request)).plan;
  }

  /**
   * The plan that takes back an operation: the one named, or the last one. That is the newest rewind in
   * effect, or the newest command that was run under Savepoint.
   */
  async planUndo(request: UndoRequest = {}): Promise<RewindPlan> {
    check(UNDO_REQUEST, 'options', request);
    return (await planUndo(this.#bench, request)).plan;
  }

  /** The plan that takes back the newest undo. */
  async planRedo(options: PlanOptions = {}): Promise<RewindPlan> {
    check(PLAN_OPTIONS, 'options', options);
    return (await planRedo(this.#bench, options)).plan;
  }

  /** The difference that a line of a plan takes back, with contents. Writes nothing. */
  planDiff(line: PlanLine): Promise<PathDiff> {
    return this.#bench.reading(() => planDiff(this.#bench, line));
  }

  /** What is at a path on disk now, with its bytes where they are within the limits. Writes nothing. */
  async look(
    path: NamedPath,
  ): Promise<{ readonly state: State; readonly bytes: Uint8Array | null }> {
    const { state, blob } = look(this.#bench.site, selectedPath(this.root, path));
    return { state, bytes: blob?.bytes ?? null };
  }

  /**
   * What a line of a plan takes back, in hunks that a request can choose (`hunks`), with `context` unchanged lines
   * around each. A file that is too large to be compared is one hunk. Throws `plan-stale` if the path has changed.
   * Writes nothing.
   */
  async planHunks(line: PlanLine, context?: number): Promise<PlanHunk[]> {
    check(optional(AMOUNT), 'context', context);
    return this.#bench.reading(() => planHunks(this.#bench, line, context));
  }

  /**
   * Both sides of a line in conflict, for a person who decides with `resolutions`; null where only what is there
   * can stay. Throws `plan-stale` if the path has changed. Writes nothing.
   */
  planConflict(line: PlanLine): Promise<Conflict | null> {
    return this.#bench.reading(() => planConflict(this.#bench, line));
  }

  /**
   * Executes exactly this plan, or throws. Files are then as they were, except with `restore-unfinished`
   * and for paths that `details` names. `alongside`: another program that rewinds the same files by
   * itself, and runs first.
   */
  apply(plan: RewindPlan, alongside?: AlongsideRequest): Promise<Receipt> {
    return apply(this.#bench, plan, alongside);
  }

  /** Plans and applies at once, under one lock. `agree` may look at the plan first, and stop it. */
  async rewind(request: RewindRequest, agree?: Agree): Promise<Receipt> {
    check(REWIND_REQUEST, 'request', request);
    return planAndApply(this.#bench, () => planRewind(this.#bench, request), agree);
  }

  /** As `rewind`, for what `planUndo` plans. */
  async undo(request: UndoRequest = {}, agree?: Agree): Promise<Receipt> {
    check(UNDO_REQUEST, 'options', request);
    return planAndApply(this.#bench, () => planUndo(this.#bench, request), agree);
  }

  /** As `rewind`, for what `planRedo` plans. */
  async redo(options: PlanOptions = {}, agree?: Agree): Promise<Receipt> {
    check(PLAN_OPTIONS, 'options', options);
    return planAndApply(this.#bench, () => planRedo(this.#bench, options), agree);
  }

  /** Gives a checkpoint a label, or removes its label with null. */
  async label(ref: string, label: string | null): Promise<Checkpoint> {
    check(TEXT, 'ref', ref);
    check(nullable(TEXT), 'label', label);
    return this.#bench.write((draft) => labelCheckpoint(draft, this.#bench.store, ref, label));
  }

  /** The differences between `from` and now, or `to`. */
  async diff(from: string, to?: string, paths?: readonly NamedPath[]): Promise<PathDiff[]> {
    check(TEXT, 'from', from);
    check(optional(TEXT), 'to', to);
    check(optional(NAMED_PATHS), 'paths', paths);
    return this.#bench.reading(async () => {
      const selected = paths?.map((path) => selectedPath(this.root, path)) ?? null;
      const end = to === undefined ? null : await this.resolve(to);
      return diffSince(this.#bench.rewindSite, await this.resolve(from), end, selected);
    });
  }

  /** Says of each line of a file, as it is now, who wrote it: which prompt, session and tool call, or a person. */
  async why(request: WhyRequest): Promise<FileOrigins> {
    check(WHY_REQUEST, 'request', request);
    const { path, first, last = first } = request;
    const range = first === undefined || last === undefined ? null : { first, last };
    const { why } = await import('../timeline/why.ts');
    return this.#bench.reading(() => why(this.#bench.site, selectedPath(this.root, path), range));
  }

  /** What happened to a file under all its names, newest first: who changed it, in which way, and how surely. */
  async fileHistory(path: NamedPath): Promise<FileChange[]> {
    const { fileHistory } = await import('../timeline/file-history.ts');
    return this.#bench.reading(() => fileHistory(this.#bench.site, selectedPath(this.root, path)));
  }

  /** The worktrees of the project, most recently active first; none where it has this one alone. */
  async worktrees(): Promise<readonly WorktreeEntry[]> {
    return (await this.#bench.store.worktrees?.list()) ?? [];
  }

  /** One of them, by its machine or by the beginning of its id. Throws `worktree-not-found` and `worktree-ambiguous`. */
  worktree(text: string): Promise<WorktreeEntry> {
    return this.#bench.reading(() => findWorktree(this.#bench.store, text));
  }

  /**
   * Removes another worktree of the project from the server, with its timeline: that of a machine that is gone. The
   * next `prune` removes contents that no other worktree has. It cannot be undone. Throws `worktree-not-found`, also for
   * this worktree, and `store-locked` where a process is at work there.
   */
  async forgetWorktree(id: string): Promise<void> {
    const { id: whole } = await this.worktree(id);
    await this.#bench.store.worktrees?.remove(whole);
  }

  /** The sessions on record in the other worktrees of the project, most recently active first. */
  sessionsElsewhere(): Promise<readonly SessionElsewhere[]> {
    return this.#bench.reading(() => sessionsElsewhere(this.#bench.store));
  }

  /**
   * Brings a session of another worktree of the project into this timeline, or what it has done since it came. Its
   * checkpoints can then be listed, compared, written out and returned to here, and the session can go on here. No file
   * is touched.
   */
  takeover(request: TakeoverRequest): Promise<TakeoverReceipt> {
    return takeover(this.#bench, request);
  }

  /** The bytes of a file that moves sessions to another machine. Reads only. */
  export(request: ExportRequest = {}): ReturnType<typeof exportSessions> {
    return exportSessions(this.#bench, request);
  }

  /** Brings in an export of any origin: all of it, checked to the last byte, or nothing. */
  import(
    from: AsyncIterable<Uint8Array>,
    limits?: Partial<TransferLimits>,
  ): ReturnType<typeof importSessions> {
    return importSessions(this.#bench, from, limits);
  }

  async archiveSession(id: string): Promise<void> {
    check(ID, 'id', id);
    return this.#bench.write((draft, now) => archiveSession(draft, this.#bench.store, id, now));
  }

  /** Compresses contents for at most `budgetMs`, and removes what the rules no longer keep. */
  async cleanup(rules?: CleanupRules, budgetMs?: number): Promise<EvictionResult> {
    return (await import('./prune.ts')).cleanup(this.#bench, rules, budgetMs);
  }

  /** What `prune` would remove. Writes nothing. */
  async planPrune(request?: PruneRequest, rules?: Partial<RetentionRules>): Promise<PrunePlan> {
    return (await import('./prune.ts')).planPrune(this.#bench, request, rules);
  }

  /** Removes what is asked for; without a request, what the rules no longer keep. */
  async prune(request?: PruneRequest, rules?: Partial<RetentionRules>): Promise<PruneReport> {
    return (await import('./prune.ts')).prune(this.#bench, request, rules);
  }

  /** What `purge` would remove. Writes nothing. */
  async planPurge(request: PurgeRequest): Promise<PurgeReport> {
    return (await import('./purge.ts')).planPurge(this.#bench, request);
  }

  /** Removes contents from every checkpoint, and their bytes from the store. Cannot be undone. */
  async purge(request: PurgeRequest): Promise<PurgeReport> {
    return (await import('./purge.ts')).purge(this.#bench, request);
  }

  /** Documents of any kind, kept in the project's own database. Closed with the savepoint. */
  async storage(): Promise<BaseStorage> {
    const { ProjectStorage } = await import('../store/documents/project-storage.ts');
    const { store, settings } = this.#bench;
    return new ProjectStorage({ store, lockTimeoutMs: settings.lockTimeoutMs, now: settings.now });
  }

  /** Removes checkpoints as targets. Contents that others need stay. */
  async evict(ids: readonly CheckpointId[]): Promise<void> {
    check(listOf(ID), 'ids', ids);
    return this.#bench.locked(() => evictCheckpoints(this.#bench.store, ids));
  }

  /**
   * Takes an execution for this process, new or begun before. First rolls back a step that was killed.
   * Throws `execution-busy` while another process has the execution.
   */
  async execution<State = unknown>(
    id: string,
    options?: ExecutionOptions<State> & IfStorable<State>,
  ): Promise<ExecutionRun<State>> {
    const { openExecution, executionSite } = await import('./execution.ts');
    const run = await openExecution(executionSite(this.#bench), id, options);
    this.#runs.add(run);
    return run;
  }

  /** A new execution that begins after the first steps of another one. Files stay as they are. */
  async forkExecution(id: string, request: ForkRequest): Promise<Execution> {
    const { forkExecution, executionSite } = await import('./execution.ts');
    return forkExecution(executionSite(this.#bench), id, request);
  }

  /** The plan of a rollback: what it does to files and state, and which effects it cannot undo. */
  async planRollback(id: string, request: RollbackRequest): Promise<RollbackPlan> {
    const { planRollback, executionSite } = await import('./execution.ts');
    return this.#bench.reading(() => planRollback(executionSite(this.#bench), id, request));
  }

  /** Rolls back files and state as one operation, which `undo` can take back. */
  async applyRollback(plan: RollbackPlan, options?: RollbackOptions): Promise<Receipt> {
    const { applyRollback, executionSite } = await import('./execution.ts');
    return applyRollback(executionSite(this.#bench), plan, options);
  }

  /** What is on record of executions. Writes nothing. */
  async executions(): Promise<ExecutionReader> {
    const { ExecutionReader } = await import('../execution/execution-reader.ts');
    return new ExecutionReader(this.#bench.store, this.#bench.settings.now);
  }

  /** Whether the agent of a session still runs. False where nobody has named the agent (`owner`). */
  async isRunning(sessionId: string): Promise<boolean> {
    check(ID, 'sessionId', sessionId);
    const { store, settings } = this.#bench;
    const session = await findSession(store, sessionId);
    if (session === null || session.owner === null) return false;
    return ownerMayRun(session.owner, { since: session.lastActiveAt, now: settings.now() });
  }

  /**
   * Files of a session that a rewind, an undo or a redo changed since the session was last told: its agent has
   * to read them again. Null for none. Writes nothing; call `tell` when the agent knows.
   */
  async untold(sessionId: string): Promise<Untold | null> {
    check(ID, 'sessionId', sessionId);
    return untold(this.#bench.store, sessionId);
  }

  /** The agent of the session knows of all operations until now. */
  async tell(sessionId: string): Promise<void> {
    check(ID, 'sessionId', sessionId);
    return this.#bench.write((draft) => tell(draft, this.#bench.store, sessionId));
  }

  /** Finishes an interrupted restore. Called when a savepoint is opened, and before each write. */
  recover(): Promise<void> {
    return this.#bench.recover();
  }

  /**
   * Tells what happened without a request: a restore of another process was finished or taken back, or
   * could not be; a file was left because somebody wrote to it. Each notice is returned once.
   */
  notices(): readonly PlanNote[] {
    return this.#bench.takeNotices();
  }

  /** Idempotent. Gives executions back, and finishes an interrupted restore if that is possible. */
  async close(): Promise<void> {
    try {
      for (const run of this.#runs) await run.leave();
    } finally {
      this.#runs.clear();
      await this.#bench.close();
    }
  }
}
