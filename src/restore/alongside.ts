import { type CaptureSite, isOffLimits, look } from '../capture/capture.ts';
import { settle } from '../capture/chain.ts';
import { headOf } from '../capture/known-states.ts';
import { kindAt, type Observation } from '../fs/observe.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { ancestors, isOutside, parentOf, type TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { ABSENT, isDirectory, type State, sameState } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import { newOperationId } from '../timeline/new-id.ts';
import { dropCompanions } from './companions.ts';
import { stageAgain } from './staging.ts';
import { forward } from './step.ts';
import { currentState, hasFolder, isTheirs, reasonOf, withPlace } from './step-place.ts';
import { syncSteps } from './steps.ts';

/**
 * Another program that rewinds files of its own accord, at the same time and to the same end: it may
 * touch the paths that it names, and none of what it does is kept. So it can bring its own books up to
 * date, while the plan alone says what the files are afterwards.
 */
export interface Alongside {
  readonly paths: readonly TrackedPath[];
  run(): Promise<void>;
}

/** Steps that put each path back after the other program; null where a path cannot be protected. */
export async function guardSteps(
  site: CaptureSite,
  safety: Draft,
  paths: readonly TrackedPath[],
  now: number,
): Promise<JournalStep[] | null> {
  const steps: JournalStep[] = [];
  const id = newOperationId();
  for (const path of new Set(paths)) {
    if (isOutside(path) || isOffLimits(site, path)) return null;
    const seen = look(site, path);
    if (reachesElsewhere(site, path, seen)) return null;
    const head = await headOf(safety, site.known, path);
    if (head === null || seen.state.kind === 'unknown') return null;
    settle(safety, head, path, seen, now);
    if (isDirectory(seen.state)) continue;
    steps.push(guardStep(path, seen.state, `${id}-${steps.length}`));
  }
  return steps;
}

/** Through a link, or a second name of the file, the other program would write to a file that is not guarded. */
function reachesElsewhere(
  { root }: CaptureSite,
  path: TrackedPath,
  { state, stats }: Observation,
): boolean {
  if (isDirectory(state)) return false;
  const hasOtherNames = (stats?.nlink ?? 1n) > 1n;
  return hasOtherNames || [...ancestors(path), path].some((one) => kindAt(root, one) === 'symlink');
}

function guardStep(path: TrackedPath, state: State, name: string): JournalStep {
  return {
    path,
    how: 'replace',
    from: state,
    to: state,
    stageFolder: parentOf(path),
    stagedName: `.savepoint-${name}.new`,
    stashName: `.savepoint-${name}.old`,
  };
}

/** The outcome of the other program's part. */
export interface Ran {
  readonly notes: readonly PlanNote[];
  /** Paths that somebody else wrote to meanwhile. */
  readonly foreign: readonly TrackedPath[];
}

/** Lets it run, and makes every path again what it was. */
export async function runAlongside(
  site: CaptureSite,
  journal: Journal,
  run: () => Promise<void>,
): Promise<Ran> {
  const notes: PlanNote[] = [];
  try {
    await run();
  } catch (error) {
    notes.push({
      code: 'alongside-failed',
      message: `the other program's own rewind failed, and was not needed: ${reasonOf(error)}`,
    });
  }
  return { notes, foreign: await putBack(site, journal) };
}

/**
 * Makes every guarded path what it was before the other program ran. A content that is on record for the path
 * was brought by that program; any other content is somebody's own, and stays. Safe to repeat. Returns the
 * paths that stay.
 */
export async function putBack(site: CaptureSite, journal: Journal): Promise<TrackedPath[]> {
  const foreign: TrackedPath[] = [];
  const steps = journal.alongside ?? [];
  for (const guard of steps) {
    if (!(await putPathBack(site, guard))) foreign.push(guard.path);
  }
  await syncSteps(site, steps);
  return foreign;
}

async function putPathBack(site: CaptureSite, guard: JournalStep): Promise<boolean> {
  const { root } = site;
  try {
    const current = currentState(root, guard);
    const stashed = stashedState(root, guard);
    const isBack = sameState(current, guard.to);
    // A process that died here had already moved the other program's file to the stash.
    const brought = stashed.kind === 'absent' ? current : stashed;
    const isTouched = !isBack || stashed.kind !== 'absent';
    if (isTouched && !(await isOnRecord(site, guard.path, brought))) return false;
    const step: JournalStep = { ...guard, from: brought };
    if (!isBack && !((await stageAgain(site, step)) && forward(root, step) === 'done'))
      return false;
    return dropCompanions(root, { step, isOnRecord: true }).length === 0;
  } catch (error) {
    if (isTheirs(error)) return false;
    throw error;
  }
}

function stashedState(root: string, guard: JournalStep): State {
  return hasFolder(root, guard) ? withPlace(root, guard, (place) => place.stashed()) : ABSENT;
}

/** Whether the path ever held this, as far as anybody recorded; modes may differ. */
async function isOnRecord(site: CaptureSite, path: TrackedPath, state: State): Promise<boolean> {
  const changes = await site.store.timeline.changes({ paths: [path] });
  const known = changes.flatMap(({ before, after }) =>
    after === null ? [before] : [before, after],
  );
  return known.some((one) => holdsTheSame(one, state));
}

function holdsTheSame(one: State, other: State): boolean {
  if (one.kind === 'captured' && other.kind === 'captured') {
    return one.type === other.type && one.blob === other.blob;
  }
  return one.kind === 'absent' && other.kind === 'absent';
}
