import { look, lookAtKnown } from '../capture/capture.ts';
import { gitHead } from '../capture/git/find-repository.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Operation, Receipt } from '../model/operation.ts';
import { selectedPath, type TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine, type RewindPlan } from '../model/plan.ts';
import { joins, type State, sameState } from '../model/state.ts';
import { hunksOf, type PlanHunk } from '../plan/hunks.ts';
import { type Fresh, makePlan, type PathHunks, type Planned } from '../plan/make-plan.ts';
import { conflictPieces, type MergePiece } from '../plan/merge.ts';
import { receiptOf } from '../plan/receipt.ts';
import { applyPlan } from '../restore/apply.ts';
import type { ApplyContext } from '../restore/prepare.ts';
import { changedMeanwhile } from '../restore/steps.ts';
import { hashBytes } from '../store/blob.ts';
import type { Store } from '../store/store.ts';
import type { SetRequest } from '../timeline/change-set.ts';
import { bytesOf, type PathDiff } from '../timeline/diff.ts';
import { resolveCheckpoint, resolveOperation } from '../timeline/resolve.ts';
import { isRun, requireRecorded, runToUndo } from '../timeline/runs.ts';
import type {
  Agree,
  AlongsideRequest,
  PlanOptions,
  RewindRequest,
  UndoRequest,
} from './requests.ts';
import type { Workbench } from './workbench.ts';

export async function planRewind(bench: Workbench, request: RewindRequest): Promise<Planned> {
  const checkpoint = await resolveCheckpoint(bench.store, request.to);
  const { take = 'since', sessionId } = request;
  const named = take === 'since' && sessionId !== undefined;
  const set: SetRequest = named ? { take, checkpoint, sessionId } : { take, checkpoint };
  const paths = request.paths?.map((path) => selectedPath(bench.root, path)) ?? null;
  const hunks = request.hunks?.map(({ path, ids }) => ({
    path: selectedPath(bench.root, path),
    ids,
  }));
  const description = `rewind${hunks === undefined ? '' : ' in part'} to ${checkpoint.description}`;
  const extent = { paths, includeShared: request.includeShared ?? false, hunks: hunks ?? [] };
  return plan(bench, { set, kind: 'rewind', description }, request, extent);
}

/**
 * Without a named operation, takes back the last one: the newest rewind in effect, or the newest command.
 * Knows only the changes that the last scan found, so scan first.
 */
export async function planUndo(bench: Workbench, request: UndoRequest): Promise<Planned> {
  const { operationId: id, force = false, includeShared = false } = request;
  const now = bench.settings.now();
  const run =
    id === undefined
      ? await runToUndo(bench.store, { force, now })
      : await runNamed(bench.store, id);
  if (run !== null) {
    const set: SetRequest = { take: 'message', checkpoint: run };
    const description = `undo ${run.description}`;
    return plan(bench, { set, kind: 'undo', description }, request, { paths: null, includeShared });
  }
  const operation = await operationToUndo(bench.store, id);
  const set: SetRequest = { take: 'operation', operation };
  return plan(bench, { set, kind: 'undo', description: `undo ${operation.description}` }, request);
}

export async function planRedo(bench: Workbench, options: PlanOptions): Promise<Planned> {
  const operation = await operationToRedo(bench.store);
  const set: SetRequest = { take: 'operation', operation };
  const description = operation.description.replace(/^undo/, 'redo');
  return plan(bench, { set, kind: 'redo', description }, options);
}

/** The difference that a line of a plan takes back: from the planned state to the current one. Reads only. */
export async function planDiff({ rewindSite: site }: Workbench, line: PlanLine): Promise<PathDiff> {
  const { path, target } = line;
  const beforeBytes = line.merged ?? (await bytesOf(site, target));
  const seen = look(site, path);
  const afterBytes = seen.blob?.bytes ?? null;
  return { path, before: target, after: seen.state, beforeBytes, afterBytes };
}

/**
 * What a line of a plan takes back, in parts that can be taken back alone; none for a line that does nothing. Throws
 * `plan-stale` if the path has changed. Reads only.
 */
export async function planHunks(
  { rewindSite: site }: Workbench,
  line: PlanLine,
  context?: number,
): Promise<PlanHunk[]> {
  if (!isWork(line)) return [];
  const { path, expected, target, merged } = line;
  const seen = lookAtKnown(site, path, expected, ['excluded']);
  if (!joins(seen.state, expected)) throw changedMeanwhile(path);
  const planned = merged ?? (await bytesOf(site, target));
  const current = seen.blob?.bytes ?? (await bytesOf(site, seen.state));
  const options = { hash: hashBytes, ...(context === undefined ? {} : { context }) };
  return hunksOf(line, { planned, current }, options);
}

/** Both sides of a conflict, for a person to decide about. */
export interface Conflict {
  /** From the state that the rewind would bring to the present one. */
  readonly diff: PathDiff;
  /** The two texts in pieces; null where they are not both text. */
  readonly pieces: readonly MergePiece[] | null;
}

/** Null for a line that nobody can decide about. Throws `plan-stale` if the path has changed. Reads only. */
export async function planConflict(
  { rewindSite: site }: Workbench,
  { path, expected, sides }: PlanLine,
): Promise<Conflict | null> {
  if (sides === undefined) return null;
  const { rewound, base } = sides;
  const seen = look(site, path);
  if (!sameState(seen.state, expected)) throw changedMeanwhile(path);
  const beforeBytes = await bytesOf(site, rewound);
  const afterBytes = seen.blob?.bytes ?? null;
  const diff = { path, before: rewound, after: seen.state, beforeBytes, afterBytes };
  const areFiles = isFile(rewound) && isFile(seen.state);
  if (!areFiles || beforeBytes === null || afterBytes === null) return { diff, pieces: null };
  const baseBytes = base !== null && isFile(base) ? await bytesOf(site, base) : null;
  const pieces = conflictPieces({ base: baseBytes, ours: afterBytes, theirs: beforeBytes });
  return { diff, pieces };
}

function isFile(state: State): boolean {
  return state.kind === 'captured' && state.type === 'file';
}

/** Plans and applies under one lock: the restore uses the states and contents that the plan has read. */
export function planAndApply(
  bench: Workbench,
  make: () => Promise<Planned>,
  agree: Agree = () => true,
): Promise<Receipt> {
  return bench.locked(async () => {
    const { plan, fresh } = await make();
    if (!(await agree(plan))) return receiptOf(plan);
    return applyPlan(restoreContext(bench, fresh), plan);
  });
}

/** Executes a plan that was made earlier. */
export function apply(
  bench: Workbench,
  plan: RewindPlan,
  alongside?: AlongsideRequest,
): Promise<Receipt> {
  const other = alongside && {
    paths: alongside.paths.map((path) => selectedPath(bench.root, path)),
    run: () => alongside.run(),
  };
  return bench.locked(() => applyPlan(restoreContext(bench, null), plan, other));
}

/** The context of a restore. `fresh`: what the plan has read, if it was made under the lock that is held. */
export function restoreContext(bench: Workbench, fresh: Fresh | null): ApplyContext {
  return {
    site: bench.rewindSite,
    now: bench.settings.now(),
    gitHead: fresh === null ? gitHead(bench.root) : fresh.gitHead,
    tell: (notes) => bench.addNotices(notes),
    fresh,
  };
}

interface About {
  readonly set: SetRequest;
  readonly kind: RewindPlan['kind'];
  readonly description: string;
}

interface Extent {
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
  readonly hunks?: readonly PathHunks[];
}

function plan(
  bench: Workbench,
  about: About,
  { onConflict, resolutions = [], force = false }: PlanOptions,
  extent: Extent = { paths: null, includeShared: false },
): Promise<Planned> {
  const now = bench.settings.now();
  const request = {
    ...about,
    ...extent,
    onConflict: onConflict ?? null,
    resolutions: resolutions.map(({ path, take, seen = null }) => ({
      path: selectedPath(bench.root, path),
      take,
      seen,
    })),
    force,
    now,
  };
  return bench.reading(() => makePlan(bench.rewindSite, request));
}

/** The checkpoint of a run, where that is what the id names, and no operation. */
async function runNamed(store: Store, id: string): Promise<Checkpoint | null> {
  const operation = await resolveOperation(store, id).catch(unlessNotFound);
  const checkpoint = await resolveCheckpoint(store, id).catch(unlessNotFound);
  // The id of an operation names its safety checkpoint as well.
  if (checkpoint === null || (operation !== null && checkpoint.kind === 'safety')) return null;
  if (operation?.id === id) return null;
  if (operation !== null && checkpoint.id !== id) {
    throw new SavepointError('operation-ambiguous', `"${id}" fits an operation and a checkpoint`, {
      hint: 'type more characters of the id',
      details: [operation, checkpoint],
    });
  }
  if (await isRun(store, checkpoint.sessionId)) return requireRecorded(store, checkpoint);
  const isByHand = checkpoint.kind === 'manual';
  const what = isByHand ? 'a checkpoint made by hand' : 'no run of this machine';
  const rewind = `savepoint rewind ${checkpoint.id}`;
  throw new SavepointError('argument-invalid', `${id} is ${what}: ${checkpoint.description}`, {
    hint: isByHand
      ? `go back to it with: ${rewind}`
      : `take back this message alone with: ${rewind} --only-message`,
  });
}

function unlessNotFound(error: unknown): null {
  const isNotFound =
    isSavepointError(error, 'operation-not-found') ||
    isSavepointError(error, 'checkpoint-not-found');
  if (isNotFound) return null;
  throw error;
}

/** The operation named, by its id or the beginning of it, or else the newest rewind in effect. */
async function operationToUndo(store: Store, id?: string): Promise<Operation> {
  if (id === undefined) {
    const operations = await store.timeline.operations();
    const found = operations.find(({ kind, inEffect }) => kind === 'rewind' && inEffect);
    if (found !== undefined) return found;
    throw new SavepointError('nothing-to-undo', 'there is no rewind to undo');
  }
  const operation = await resolveOperation(store, id);
  if (operation.inEffect) return operation;
  throw new SavepointError('nothing-to-undo', 'this operation was taken back already');
}

/**
 * The newest undo in effect, if only undos and redos came after it. After a new rewind nothing can be
 * redone, as after typing in an editor.
 */
async function operationToRedo(store: Store): Promise<Operation> {
  for (const operation of await store.timeline.operations()) {
    // An imported rewind is not in effect, so it does not count.
    if (operation.kind === 'rewind' && operation.inEffect) break;
    if (operation.kind === 'undo' && operation.inEffect) return operation;
  }
  throw new SavepointError('nothing-to-redo', 'there is no undo to take back');
}
