import { type CaptureSite, isOffLimits } from '../capture/capture.ts';
import type { Change } from '../model/change.ts';
import { check } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import {
  isBelow,
  isOutside,
  outsidePath,
  pathToBytes,
  relativePath,
  type TrackedPath,
} from '../model/path.ts';
import { isWork, PLAN, type PlanLine, type RewindPlan, takesEffect } from '../model/plan.ts';
import { type Captured, joins, type State } from '../model/state.ts';
import { hashBytes } from '../store/blob.ts';
import { currentSeq } from '../store/find.ts';
import { changedMeanwhile } from './steps.ts';

/**
 * A plan is a value, and a caller may hand back another one than it was given. Makes sure that it asks
 * for nothing that `planRewind` would not: paths as they are written here, and none of git's; steps that
 * bring what they say; and that it takes back what the timeline knows to have happened to each path.
 */
export async function checkPlan(site: CaptureSite, plan: RewindPlan): Promise<void> {
  check(PLAN, 'plan', plan);
  checkLines(site, plan);
  await checkTakes(site, plan);
}

/** The quick checks, which every plan has to pass, also one that we have just made. */
export function checkLines(site: CaptureSite, plan: RewindPlan): void {
  const paths = new Set<TrackedPath>();
  for (const line of plan.lines) {
    checkPath(site, line.path);
    if (paths.has(line.path)) throw refusal(line, 'a path stands twice in the plan');
    paths.add(line.path);
    if (line.action !== 'skip' && isOffLimits(site, line.path)) {
      const { path } = line;
      throw new SavepointError('path-protected', 'a path of the plan is never touched', { path });
    }
    if (!isSound(line)) throw refusal(line, 'a line of the plan contradicts itself');
  }
}

/** Exactly as `relativePath` and `outsidePath` write it, so that each place has one name. */
function checkPath(site: CaptureSite, path: TrackedPath): void {
  const bytes = pathToBytes(path);
  const written = isOutside(path) ? outsidePath(bytes) : relativePath(bytes);
  const inProject = `${path}/`.startsWith(`${site.root}/`);
  if (written === path && !inProject) return;
  throw new SavepointError('path-invalid', 'a path of the plan is not in its plain form', { path });
}

/** Whether a line brings what its action says, and replaces only an entry that can be kept. */
function isSound(line: PlanLine): boolean {
  const { action, expected, target, merged, hunks } = line;
  if (hunks !== undefined && !GO_IN_PART.has(action)) return false;
  if (!isWork(line)) return merged === undefined && joins(expected, target);
  if (expected.kind === 'unknown' || target.kind === 'unknown') return false;
  const bytesFit = action === 'merge' ? isContent(merged, target) : merged === undefined;
  return bytesFit && isBroughtBy(action, expected, target);
}

const GO_IN_PART: ReadonlySet<PlanLine['action']> = new Set(['merge', 'chmod', 'already-there']);

function isBroughtBy(action: PlanLine['action'], expected: State, target: State): boolean {
  if (target.kind !== 'captured') return action === 'delete' && expected.kind === 'captured';
  if (action === 'chmod') return isOtherMode(expected, target);
  if (target.type === 'directory') return action === 'mkdir';
  return target.type === 'symlink' ? action === 'link' : action === 'write' || action === 'merge';
}

function isOtherMode(expected: State, target: Captured): boolean {
  if (expected.kind !== 'captured' || target.type === 'symlink') return false;
  return expected.type === target.type && expected.blob === target.blob;
}

function isContent(merged: Uint8Array | undefined, target: State): boolean {
  if (merged === undefined || target.kind !== 'captured') return false;
  return hashBytes(merged) === target.blob;
}

/** A path that no agent touched has nothing to take back, so it is not touched either. */
async function checkTakes({ store }: CaptureSite, plan: RewindPlan): Promise<void> {
  if (plan.seq > (await currentSeq(store))) {
    throw new SavepointError('argument-invalid', 'the plan belongs to another timeline');
  }
  const lines = plan.lines.filter(takesEffect);
  const taken = await changesTaken(store, lines);
  for (const line of lines) {
    const changes = line.takes.map((seq) => taken.get(seq));
    // Retention may have dropped them since; then they cannot be taken back any more.
    if (changes.some((change) => change?.path !== line.path)) throw changedMeanwhile(line.path);
    if (isWork(line) && changes.length === 0 && !isOnTheWay(line, lines)) {
      throw refusal(line, 'a line of the plan takes nothing back');
    }
    const created = changes.some((change) => change?.before.kind === 'absent');
    if (line.action === 'delete' && !created) {
      throw refusal(line, 'the plan deletes what was there before');
    }
  }
}

async function changesTaken(
  store: CaptureSite['store'],
  lines: readonly PlanLine[],
): Promise<Map<Seq, Change>> {
  const paths = lines.map((line) => line.path);
  const seqs = lines.flatMap((line) => line.takes);
  const oldest = seqs.reduce((one, other) => Math.min(one, other), Number.MAX_SAFE_INTEGER);
  const changes = await store.timeline.changes({ paths, after: oldest - 1 });
  return new Map(changes.map((change) => [change.seq, change]));
}

/** A folder that has to be made again for a file that comes back. */
function isOnTheWay(line: PlanLine, lines: readonly PlanLine[]): boolean {
  if (line.action !== 'mkdir') return false;
  return lines.some(
    ({ path, target, takes }) =>
      isBelow(path, line.path) && target.kind === 'captured' && takes.length > 0,
  );
}

function refusal({ path }: PlanLine, message: string): SavepointError {
  return new SavepointError('argument-invalid', message, { path });
}
