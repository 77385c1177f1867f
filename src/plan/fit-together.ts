import { ancestors, childOf, isBelow, parentOf, type TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine } from '../model/plan.ts';
import { ABSENT, isDirectory, type State } from '../model/state.ts';
import type { Surrounding } from './decide.ts';

/** The folders that the lines of a plan share. */
export interface Neighbourhood {
  readonly surroundings: ReadonlyMap<TrackedPath, Surrounding>;
  /** Names in each folder that a line removes or replaces. */
  readonly children: ReadonlyMap<TrackedPath, readonly string[]>;
}

/**
 * Makes the lines fit each other. A folder goes only if it is empty afterwards. A file and a folder
 * that swap places go together or are left in conflict together. Folders that have to be made again
 * get a line of their own.
 */
export function fitTogether(lines: readonly PlanLine[], around: Neighbourhood): PlanLine[] {
  const plan = new Map(lines.map((line) => [line.path, line]));
  let moved = true;
  // Each round turns at least one working line into an idle one, so this ends.
  while (moved) {
    moved = false;
    const deepestFirst = [...plan.values()].sort((a, b) => (a.path < b.path ? 1 : -1));
    for (const line of deepestFirst) {
      const current = plan.get(line.path);
      if (current !== undefined && isWork(current)) moved = fitLine(plan, current, around) || moved;
    }
  }
  addMissingFolders(plan, around);
  return [...plan.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns whether a line had to be changed. */
function fitLine(plan: Map<TrackedPath, PlanLine>, line: PlanLine, around: Neighbourhood): boolean {
  if (isDirectory(line.expected) && !isDirectory(line.target) && !emptiesOut(plan, line, around)) {
    if (line.target.kind === 'absent')
      plan.set(line.path, idled(line, 'skip', 'directory-not-empty'));
    else blockGroup(plan, line.path);
    return true;
  }
  if (line.target.kind === 'absent') return false;
  for (const folder of ancestors(line.path)) {
    const kind = kindAfter(plan, folder, around);
    // A path in conflict is left untouched: not even a folder is made there.
    const isFree = kind === 'absent' && plan.get(folder)?.action !== 'conflict';
    if (kind === 'directory' || isFree) continue;
    const foreignLink = kind === 'symlink' && !plan.has(folder);
    if (foreignLink) plan.set(line.path, idled(line, 'skip', 'symlinked-parent'));
    else blockGroup(plan, folder);
    return true;
  }
  return false;
}

function emptiesOut(
  plan: ReadonlyMap<TrackedPath, PlanLine>,
  line: PlanLine,
  around: Neighbourhood,
): boolean {
  const stays = (around.children.get(line.path) ?? []).some((name) => {
    const child = plan.get(childOf(line.path, name));
    return child === undefined || finalState(child).kind !== 'absent';
  });
  if (stays) return false;
  for (const other of plan.values()) {
    const arrives = isWork(other) && other.target.kind !== 'absent';
    if (arrives && isBelow(other.path, line.path)) return false;
  }
  return true;
}

function kindAfter(
  plan: ReadonlyMap<TrackedPath, PlanLine>,
  folder: TrackedPath,
  around: Neighbourhood,
): Surrounding['kind'] {
  const line = plan.get(folder);
  if (line === undefined) return around.surroundings.get(folder)?.kind ?? 'absent';
  const state = finalState(line);
  if (state.kind === 'captured') return state.type;
  return state.kind === 'absent' ? 'absent' : 'special';
}

/** A swap that cannot happen: the path and all below it stay as they are. */
function blockGroup(plan: Map<TrackedPath, PlanLine>, root: TrackedPath): void {
  for (const line of plan.values()) {
    const inGroup = line.path === root || isBelow(line.path, root);
    if (inGroup && isWork(line)) plan.set(line.path, idled(line, 'conflict', 'blocked'));
  }
}

function idled(line: PlanLine, action: 'skip' | 'conflict', reason: PlanLine['reason']): PlanLine {
  const { path, expected } = line;
  const idle = { path, action, expected, target: expected, takes: [] };
  return reason === undefined ? idle : { ...idle, reason };
}

function addMissingFolders(plan: Map<TrackedPath, PlanLine>, around: Neighbourhood): void {
  for (const line of [...plan.values()]) {
    if (!isWork(line) || line.target.kind === 'absent') continue;
    for (let at = parentOf(line.path); at !== null; at = parentOf(at)) {
      if (kindAfter(plan, at, around) === 'absent') plan.set(at, folderFor(line, at, plan, around));
    }
  }
}

/** The line for a folder that `entry` needs. A file in its place is still removed. */
function folderFor(
  entry: PlanLine,
  path: TrackedPath,
  plan: ReadonlyMap<TrackedPath, PlanLine>,
  around: Neighbourhood,
): PlanLine {
  const mode = around.surroundings.get(path)?.mode ?? 0o755;
  const target: State = { kind: 'captured', type: 'directory', mode, blob: null, size: 0 };
  const { expected, takes } = plan.get(path) ?? { expected: ABSENT, takes: [] };
  const line: PlanLine = { path, action: 'mkdir', expected, target, takes };
  // An exact rewind also takes back the unrecorded removal of the folder.
  return entry.takesUnrecorded ? { ...line, takesUnrecorded: true } : line;
}

function finalState(line: PlanLine): State {
  return isWork(line) ? line.target : line.expected;
}
