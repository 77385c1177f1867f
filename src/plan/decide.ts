import type { BlobId, Seq } from '../model/ids.ts';
import { isNeeded } from '../model/living-file.ts';
import type { TrackedPath } from '../model/path.ts';
import {
  type ConflictReason,
  type ConflictSides,
  type Decision,
  isWork,
  type OnConflict,
  type PlanAction,
  type PlanLine,
  type RewindPlan,
  type SkipReason,
} from '../model/plan.ts';
import { type Captured, restored, type State, sameState, setIdOf } from '../model/state.ts';
import { fitTogether } from './fit-together.ts';
import { blobsOf, mergedMode, mergeState, type Working } from './merge.ts';

/** One change of a path's chain, and whether it is to be taken back. */
export interface ChainLink {
  readonly seq: Seq;
  readonly before: State;
  readonly after: State;
  readonly inSet: boolean;
}

export interface PathInput {
  readonly path: TrackedPath;
  /** The chain from the oldest change of the set to the current state, oldest first. */
  readonly links: readonly ChainLink[];
  readonly current: State;
  /** Names in it, if a folder is there now. */
  readonly children: readonly string[];
  /** How many names the file has. */
  readonly hardLinks: number;
  /** Set when a rule says to leave the path alone, whatever its chain is. */
  readonly skip?: SkipReason;
  readonly takesUnrecorded?: true;
  readonly living?: Living;
}

/** Set for a database, log or lock file that git ignores: a program may be using it as long as it is there. */
export interface Living {
  /** Files of one database have the same. */
  readonly database: TrackedPath;
  /** Whether the file or another one of its database is there. */
  readonly stands: boolean;
  /** Whether it comes back only because another file of its database does. */
  readonly isBeside: boolean;
}

/** The entry at a folder above the plan's paths. */
export interface Surrounding {
  readonly kind: 'absent' | 'file' | 'symlink' | 'directory' | 'special';
  /** The mode for the folder if it must be made again. */
  readonly mode: number;
}

/** Everything that `decide` needs, loaded beforehand. */
export interface PlanInput extends Omit<RewindPlan, 'lines'> {
  readonly paths: readonly PathInput[];
  readonly surroundings: ReadonlyMap<TrackedPath, Surrounding>;
  /** Contents of the blobs that `blobsToMerge` asked for. */
  readonly contents: ReadonlyMap<BlobId, Uint8Array>;
  /** What a person decided about conflicts. */
  readonly resolutions: ReadonlyMap<TrackedPath, Decision>;
  /** The lines of paths that go back in part; null for one that stays as it is. */
  readonly inPart: ReadonlyMap<TrackedPath, PlanLine | null>;
  /** Blobs that cannot be read back. */
  readonly damaged: ReadonlyMap<BlobId, 'blob-corrupt' | 'blob-missing'>;
}

/** From changes and current states to a plan. Pure: the same input gives the same plan. */
export function decide(input: PlanInput): RewindPlan {
  const lines = planPaths(input);
  const children = new Map(input.paths.map((path) => [path.path, path.children]));
  return {
    kind: input.kind,
    checkpointId: input.checkpointId,
    reverts: input.reverts,
    seq: input.seq,
    families: input.families,
    onConflict: input.onConflict,
    description: input.description,
    lines: fitTogether(lines, { surroundings: input.surroundings, children }),
    notes: input.notes,
  };
}

interface Planned {
  readonly path: PathInput;
  /** For a path that is left out: what would have been done. */
  readonly line: PlanLine;
  /** Whether none of its hunks was chosen, so that it stays as it is and the plan has no line for it. */
  readonly isLeftOut: boolean;
}

/** The lines for all paths. Those for the files of one database depend on each other. */
function planPaths(input: PlanInput): PlanLine[] {
  const planned = input.paths.flatMap((path): Planned[] => {
    const chosen = input.inPart.get(path.path);
    if (chosen !== null) {
      return [{ path, line: chosen ?? planPath(path, input), isLeftOut: false }];
    }
    // The other files of the same database must not come back without this one.
    return path.living ? [{ path, line: planPath(path, input), isLeftOut: true }] : [];
  });
  const databases = Map.groupBy(planned, ({ path }) => path.living?.database);
  return planned.flatMap((one) => {
    const { living } = one.path;
    if (one.isLeftOut) return [];
    if (living === undefined) return [one.line];
    if (living.stands) return [spareStanding(one)];
    return bringBackWhole(one, databases.get(living.database) ?? []);
  });
}

/** Nothing is written over a file that a program may be using, or beside one, and it is not removed. */
function spareStanding({ path, line }: Planned): PlanLine {
  if (!isWork(line) && line.action !== 'conflict') return line;
  return idle(path, 'skip', path.current.kind === 'absent' ? 'database-in-use' : 'in-use');
}

/** A database that is gone comes back whole or not at all. */
function bringBackWhole({ path, line }: Planned, database: readonly Planned[]): PlanLine[] {
  const isWanted = database.some((part) => !part.path.living?.isBeside && isWork(part.line));
  if (!isWanted) return path.living?.isBeside ? [] : [line];
  if (!isWork(line)) return [line];
  const needed = database.filter((part) => isNeeded(part.path.path));
  const canAllCome = needed.every(
    (part) => isWork(part.line) || part.line.action === 'already-there',
  );
  if (!canAllCome) return [idle(path, 'skip', 'database-incomplete')];
  const isDivided = needed.some((part) => part.isLeftOut && isWork(part.line));
  return [isDivided ? idle(path, 'skip', 'database-in-part') : line];
}

/** The line for one path, without regard to the others. */
export function planPath(
  path: PathInput,
  input: Pick<PlanInput, 'contents' | 'damaged' | 'onConflict' | 'resolutions'>,
): PlanLine {
  if (path.skip !== undefined) return idle(path, 'skip', path.skip);
  const contents = (state: Captured): Uint8Array | undefined =>
    state.blob === null ? undefined : input.contents.get(state.blob);
  let ours: Working = { state: path.current };
  const stretches = stretchesOf(path.links);
  for (const stretch of stretches) {
    const outcome = mergeState(stretch.after, stretch.before, ours, contents);
    if ('skip' in outcome) return idle(path, 'skip', outcome.skip);
    if ('conflict' in outcome) return settleConflict(path, outcome.conflict, input);
    ours = outcome.result;
  }
  // Where nobody wrote in between, the planned file is compared with the present one as a whole.
  const isPlain = stretches.length === 1 && ours.bytes === undefined;
  return moveTo(path, isPlain ? { state: ours.state } : ours, input);
}

/** The blobs that must be loaded before `planPath`: none where no text is merged. */
export function blobsToMerge(path: PathInput): BlobId[] {
  const stretches = path.skip === undefined ? stretchesOf(path.links) : [];
  const plain =
    stretches.length === 1 && stretches.every((stretch) => sameState(stretch.after, path.current));
  return plain ? [] : blobsToDivide(path);
}

/** The blobs that must be loaded to compare the present state with the planned one. */
export function blobsToDivide(path: PathInput): BlobId[] {
  const states = stretchesOf(path.links).flatMap((stretch) => [stretch.before, stretch.after]);
  return blobsOf([path.current, ...states]);
}

/** The state before the set's oldest change, where its bytes matter. */
export function oldestBefore(path: PathInput): State | undefined {
  return stretchesOf(path.links).at(-1)?.before;
}

/**
 * The maximal stretches of the set's changes, newest first, each as one step from before to after. Changes in
 * between that cancel each other, such as a rewind and its undo, do not end a stretch. If the path was out of
 * sight during the stretch, it is not proven that the stretch made the file, so the file must not be deleted;
 * unless it was seen to be gone afterwards, and made after that.
 */
function stretchesOf(links: readonly ChainLink[]): { before: State; after: State }[] {
  const stretches: { before: State; after: State }[] = [];
  let last: ChainLink | undefined;
  for (const link of links) {
    const stretch = stretches[0];
    const goesOn = last?.inSet || (stretch !== undefined && sameState(stretch.after, link.before));
    if (link.inSet && stretch && goesOn) {
      stretch.after = link.after;
      const isUnproven = wasUnseen(link.before) && link.after.kind !== 'absent';
      if (stretch.before.kind === 'absent' && isUnproven) stretch.before = link.before;
    } else if (link.inSet) stretches.unshift({ before: link.before, after: link.after });
    last = link;
  }
  return stretches;
}

function wasUnseen(state: State): boolean {
  return state.kind === 'unknown' && state.reason === 'not-seen';
}

function settleConflict(
  path: PathInput,
  reason: ConflictReason,
  input: Pick<PlanInput, 'damaged' | 'onConflict' | 'resolutions'>,
): PlanLine {
  const choice: Decision | OnConflict | null = input.resolutions.get(path.path) ?? input.onConflict;
  if (typeof choice === 'object' && choice !== null)
    return writeMerged(path, choice.content, input);
  const target = oldestBefore(path);
  // A file that cannot be read now could not be brought back, so not even `restore` overwrites it.
  const forced = choice === 'restore' && path.current.kind !== 'unknown' && target !== undefined;
  if (forced && target.kind !== 'unknown') return moveTo(path, { state: target }, input);
  if (choice === 'keep') return { ...idle(path, 'keep', reason), ...taken(path) };
  const sides = sidesOf(path);
  return { ...idle(path, 'conflict', reason), ...(sides === null ? {} : { sides }) };
}

/** Null where a person could only keep what is there. */
function sidesOf(path: PathInput): ConflictSides | null {
  const [newest, ...older] = stretchesOf(path.links);
  const rewound = oldestBefore(path);
  if (path.current.kind === 'unknown' || newest === undefined) return null;
  if (rewound === undefined || rewound.kind === 'unknown') return null;
  // With changes of others between the stretches, no state is what both sides come from.
  return { rewound, base: older.length === 0 ? newest.after : null };
}

/** What a person made of both sides. The mode is merged as ever; where that fails, it stays. */
function writeMerged(
  path: PathInput,
  bytes: Uint8Array,
  input: Pick<PlanInput, 'damaged'>,
): PlanLine {
  if (path.current.kind !== 'captured') return idle(path, 'conflict', 'modify-delete');
  const mode = stretchesOf(path.links).reduce(mergedMode, path.current.mode);
  return moveTo(path, { state: { ...path.current, mode, size: bytes.length }, bytes }, input);
}

function moveTo(path: PathInput, goal: Working, input: Pick<PlanInput, 'damaged'>): PlanLine {
  const target = goal.state;
  if (goal.bytes === undefined && isReached(path.current, target)) {
    return { ...idle(path, 'already-there'), ...taken(path) };
  }
  if (target.kind === 'unknown') return idle(path, 'skip', `before-unknown-${target.reason}`);
  const damage = damageOf(target, goal, input);
  if (damage !== undefined) return idle(path, 'skip', damage);
  const action = actionTo(path, goal);
  const line = {
    path: path.path,
    action,
    expected: path.current,
    target: action === 'chmod' ? restored(target, path.current) : target,
    ...taken(path),
    ...(goal.kept === undefined ? {} : { kept: goal.kept }),
  };
  return goal.bytes === undefined ? line : { ...line, merged: goal.bytes };
}

/** A set-id bit that the target has and the file has not would not come back in any case. */
function isReached(current: State, target: State): boolean {
  return sameState(current, target) && (setIdOf(current) & ~setIdOf(target)) === 0;
}

function damageOf(
  target: State,
  goal: Working,
  input: Pick<PlanInput, 'damaged'>,
): 'blob-corrupt' | 'blob-missing' | undefined {
  if (goal.bytes !== undefined || target.kind !== 'captured' || target.blob === null) return;
  return input.damaged.get(target.blob);
}

function actionTo(path: PathInput, goal: Working): PlanAction {
  const { current } = path;
  const target = goal.state;
  if (target.kind !== 'captured') return 'delete';
  if (goal.bytes !== undefined) return 'merge';
  if (target.type === 'symlink') return 'link';
  const sameType = current.kind === 'captured' && current.type === target.type;
  if (target.type === 'directory') return sameType ? 'chmod' : 'mkdir';
  // A file with other names is replaced, not changed in place, because the plan is not about those.
  return sameType && current.blob === target.blob && path.hardLinks <= 1 ? 'chmod' : 'write';
}

function idle(path: PathInput, action: PlanAction, reason?: PlanLine['reason']): PlanLine {
  const line = { path: path.path, action, expected: path.current, target: path.current, takes: [] };
  return reason === undefined ? line : { ...line, reason };
}

function taken(path: PathInput): Pick<PlanLine, 'takes' | 'takesUnrecorded'> {
  const takes = path.links.filter((link) => link.inSet && link.seq > 0).map((link) => link.seq);
  return path.takesUnrecorded ? { takes, takesUnrecorded: true } : { takes };
}
