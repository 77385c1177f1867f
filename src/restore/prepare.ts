import { type CaptureSite, lookAtKnown } from '../capture/capture.ts';
import { type Author, appendChange, outsider, settle } from '../capture/chain.ts';
import { headOf } from '../capture/known-states.ts';
import { kindAt, type Observation, type StateAndStat } from '../fs/observe.ts';
import { type Checkpoint, makeCheckpoint } from '../model/checkpoint.ts';
import type { OperationId, Seq } from '../model/ids.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import type { Operation } from '../model/operation.ts';
import { ancestors, type TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine, type PlanNote, type RewindPlan } from '../model/plan.ts';
import { isDirectory, joins, restored, type State } from '../model/state.ts';
import type { Fresh } from '../plan/make-plan.ts';
import { blobOf } from '../store/blob.ts';
import { Draft } from '../store/draft.ts';
import { currentSeq, findOperation } from '../store/find.ts';
import { newCheckpointId, newOperationId } from '../timeline/new-id.ts';
import { guardSteps } from './alongside.ts';
import { stepsToTidy } from './companions.ts';
import { changedMeanwhile } from './steps.ts';

export interface ApplyContext {
  readonly site: CaptureSite;
  readonly now: number;
  readonly gitHead: string | null;
  /** Takes notes that have no place in the answer, which may be an error. */
  readonly tell?: (notes: readonly PlanNote[]) => void;
  /** The operation gets this id, and goes on record even if there is nothing to write. */
  readonly operationId?: OperationId | undefined;
  /** What was seen and read for the plan, if it was made under the lock that is still held. */
  readonly fresh: Fresh | null;
}

/** A restore that is ready to begin. */
export interface Prepared {
  /** Records the files as they are now, under the safety checkpoint. */
  readonly safety: Draft;
  /** The steps, and the rows that go on record after them. */
  readonly journal: Journal;
  /** The state and stat of each path. */
  readonly seen: ReadonlyMap<TrackedPath, StateAndStat>;
}

/**
 * Checks every expectation of the plan against the disk, and makes the safety checkpoint and the journal
 * for the caller to commit. `alongside`: what another program may touch before the plan is carried out.
 */
export async function prepare(
  context: ApplyContext,
  plan: RewindPlan,
  given: readonly PlanLine[],
  alongside: readonly TrackedPath[] | null = null,
): Promise<Prepared> {
  const { site, now } = context;
  const lines = given.map(asLeft);
  const safety = new Draft(await currentSeq(site.store));
  const { unrecorded, seen } = await checkAndKeepLines(context, safety, lines);
  const guards = alongside === null ? null : await guardSteps(site, safety, alongside, now);
  const checkpoint = safetyCheckpoint(context, safety, plan);
  const later = new Draft(safety.seq);
  const operation = operationOf(context, plan, later, checkpoint);
  recordLines(later, lines, operation, unrecorded);
  for (const { merged } of lines) if (merged !== undefined) safety.addBlob(blobOf(merged));
  const isFolder = folderTest(site, lines);
  const journal: Journal = {
    operationId: operation.id,
    safetyCheckpointId: checkpoint.id,
    base: later.base,
    phase: guards === null ? 'intent' : 'alongside',
    steps: stepsOf(plan.lines.map(asLeft), operation.id, isFolder),
    ...(guards === null ? {} : { alongside: guards }),
    ...(await untidySteps(site)),
    operations: [operation, ...(await affectedOperations(site, plan))],
    changes: later.changes,
    cancellations: later.cancellations,
  };
  return { safety, journal, seen };
}

/** A line with the state that will be there: a restore gives nobody files back, nor set-id bits to a file. */
function asLeft(line: PlanLine): PlanLine {
  if (!isWork(line)) return line;
  return { ...line, target: restored(line.target, line.action === 'chmod' ? line.expected : null) };
}

/** The journal of an earlier restore is still there only because its companions could not be removed. */
async function untidySteps({ store }: CaptureSite): Promise<Pick<Journal, 'untidy'>> {
  const earlier = await store.timeline.journal();
  return earlier === null ? {} : { untidy: stepsToTidy(earlier) };
}

/** The folders above an entry that exists were walked through when it was observed: no need to look. */
function folderTest(
  { root }: CaptureSite,
  lines: readonly PlanLine[],
): (path: TrackedPath) => boolean {
  const standing = lines.filter(({ expected }) => expected.kind === 'captured');
  const known = new Set(standing.flatMap(({ path }) => ancestors(path)));
  return (path) => known.has(path) || kindAt(root, path) === 'directory';
}

interface Settled {
  /** Changes that were on nobody's record. */
  readonly unrecorded: ReadonlyMap<TrackedPath, Seq>;
  readonly seen: Prepared['seen'];
}

/** Brings each path's chain up to what is there, which must be what the plan expects. */
async function checkAndKeepLines(
  { site, now, fresh }: ApplyContext,
  safety: Draft,
  lines: readonly PlanLine[],
): Promise<Settled> {
  const unrecorded = new Map<TrackedPath, Seq>();
  const sights = new Map<TrackedPath, StateAndStat>();
  for (const [done, line] of lines.entries()) {
    await site.onProgress?.({ step: 'keep', done, total: lines.length });
    // A file that changes after this look is found by the swap, so a fresh look need not be repeated.
    const seen =
      fresh?.seen.get(line.path) ?? lookAtKnown(site, line.path, line.expected, ['excluded']);
    const changed = !joins(seen.state, line.expected);
    if (changed || gainedName(line, seen) || isBehindLink(site, line, lines)) {
      throw changedMeanwhile(line.path);
    }
    const head = await headOf(safety, site.known, line.path);
    const change = settle(safety, head, line.path, seen, now);
    if (change !== null) unrecorded.set(line.path, change.seq);
    sights.set(line.path, { state: seen.state, stats: seen.stats });
  }
  return { unrecorded, seen: sights };
}

/** Behind a link nothing is there, as expected, but nothing can come there either. */
function isBehindLink(
  { root }: CaptureSite,
  { path, expected, target }: PlanLine,
  lines: readonly PlanLine[],
): boolean {
  if (expected.kind !== 'absent' || target.kind === 'absent') return false;
  const link = ancestors(path).find((folder) => kindAt(root, folder) === 'symlink');
  // Unless the plan replaces the link itself.
  return link !== undefined && !lines.some((line) => line.path === link && isWork(line));
}

/** A mode that is changed in place would change under every other name of the file as well. */
function gainedName({ action, expected }: PlanLine, { stats }: Observation): boolean {
  return action === 'chmod' && !isDirectory(expected) && (stats?.nlink ?? 1n) > 1n;
}

function recordLines(
  later: Draft,
  lines: readonly PlanLine[],
  operation: Operation,
  unrecorded: ReadonlyMap<TrackedPath, Seq>,
): void {
  const author: Author = {
    ...outsider(operation.createdAt),
    origin: 'operation',
    operationId: operation.id,
  };
  for (const line of lines) {
    const { seq } = appendChange(later, line.path, line.expected, line.target, author);
    const extra = line.takesUnrecorded ? unrecorded.get(line.path) : undefined;
    const takes = extra === undefined ? line.takes : [...line.takes, extra];
    const inPart = line.hunks !== undefined;
    for (const change of takes) later.cancellations.push({ by: seq, change, inPart });
  }
}

function safetyCheckpoint(context: ApplyContext, draft: Draft, plan: RewindPlan): Checkpoint {
  const checkpoint = makeCheckpoint({
    id: newCheckpointId(),
    seq: draft.nextSeq(),
    kind: 'safety',
    description: `before ${plan.description}`,
    createdAt: context.now,
    gitHead: context.gitHead,
  });
  draft.checkpoints.push(checkpoint);
  return checkpoint;
}

function operationOf(
  { operationId, now: createdAt }: ApplyContext,
  plan: RewindPlan,
  draft: Draft,
  safety: Checkpoint,
): Operation {
  return {
    id: operationId ?? newOperationId(),
    seq: draft.nextSeq(),
    kind: plan.kind,
    checkpointId: plan.checkpointId,
    reverts: plan.reverts,
    inEffect: true,
    safetyCheckpointId: safety.id,
    description: plan.description,
    createdAt,
  };
}

/**
 * The operations whose standing changes: what is undone is no longer in effect, and what that had
 * undone is again. An undo that left conflicts has not taken everything back, so it can be repeated.
 */
async function affectedOperations(site: CaptureSite, plan: RewindPlan): Promise<Operation[]> {
  if (plan.reverts === null || plan.lines.some((line) => line.action === 'conflict')) return [];
  const reverted = await findOperation(site.store, plan.reverts);
  if (reverted === null) return [];
  const affected = [{ ...reverted, inEffect: false }];
  const revived =
    reverted.reverts === null ? null : await findOperation(site.store, reverted.reverts);
  if (revived !== null) affected.push({ ...revived, inEffect: true });
  return affected;
}

/**
 * The working lines of a plan in the order in which they can be carried out: folders that change their
 * mode, since they may have to let us in; then what goes, deepest first, so that folders are empty when
 * their turn comes; then what comes, folders before their entries.
 */
function stepsOf(
  planned: readonly PlanLine[],
  operationId: OperationId,
  isFolderNow: (path: TrackedPath) => boolean,
): JournalStep[] {
  const lines = new Map(planned.filter(isWork).map((line) => [line.path, line]));
  const groups = Map.groupBy(lines.values(), turnOf);
  const ordered = [
    ...(groups.get('folder mode') ?? []),
    ...(groups.get('goes') ?? []).reverse(),
    ...(groups.get('comes') ?? []),
  ];
  return ordered.map((line, index) => ({
    path: line.path,
    how: line.action === 'chmod' ? 'chmod' : 'replace',
    from: line.expected,
    to: line.target,
    stageFolder: stageFolder(line.path, lines, isFolderNow),
    stagedName: `.savepoint-${operationId}-${index}.new`,
    stashName: `.savepoint-${operationId}-${index}.old`,
  }));
}

function turnOf(line: PlanLine): 'folder mode' | 'goes' | 'comes' {
  if (line.target.kind === 'absent') return 'goes';
  return line.action === 'chmod' && isDirectory(line.target) ? 'folder mode' : 'comes';
}

/**
 * The nearest folder above that is there now, stays, and will still let us in when the companions have
 * to go: they wait in it, on the same disk.
 */
function stageFolder(
  path: TrackedPath,
  lines: ReadonlyMap<TrackedPath, PlanLine>,
  isFolderNow: (path: TrackedPath) => boolean,
): TrackedPath | null {
  const stays = (folder: TrackedPath): boolean => {
    const line = lines.get(folder);
    return isFolderNow(folder) && (line === undefined || isOpenFolder(line.target));
  };
  const above = ancestors(path);
  // Every folder on the way must stay, not only the innermost.
  const broken = above.findIndex((folder) => !stays(folder));
  return (broken === -1 ? above : above.slice(0, broken)).at(-1) ?? null;
}

function isOpenFolder(state: State): boolean {
  return state.kind === 'captured' && state.type === 'directory' && (state.mode & 0o300) === 0o300;
}
