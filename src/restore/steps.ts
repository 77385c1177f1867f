import type { OperationId } from '../model/ids.ts';
import type { JournalStep } from '../model/journal.ts';
import { ancestors, type TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine, type RewindPlan } from '../model/plan.ts';
import { isDirectory, type State } from '../model/state.ts';

/**
 * The working lines of a plan in the order in which they can be carried out: folders that change their
 * mode, since they may have to let us in; then what goes, deepest first, so that folders are empty when
 * their turn comes; then what comes, folders before their entries.
 */
export function stepsOf(
  plan: RewindPlan,
  operationId: OperationId,
  isFolderNow: (path: TrackedPath) => boolean,
): JournalStep[] {
  const lines = new Map(plan.lines.filter(isWork).map((line) => [line.path, line]));
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
