import { fileDiffs } from '../../terminal/file-diff.ts';
import { changesFile, pathsText, planCounts } from '../../terminal/plan-text.ts';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import type { EngineFiles } from '../files/engine-files.ts';

/** Lines are counted at the end of every turn, so not of more files than these. */
const MOST_COUNTED = 50;

/** What Esc Esc takes back if the newest prompt is chosen: "2 files +3 -1". Null where nobody can tell. */
export async function newestChanges(
  checkpoints: CheckpointManager,
  files: EngineFiles | null,
): Promise<string | null> {
  const [newest] = checkpoints.listCheckpoints();
  if (newest === undefined || files === null) return null;
  try {
    if (!(await files.holds(newest.id))) return null;
    const plan = await files.plan(newest.id);
    const counts = planCounts(plan);
    if (counts.files + counts.folders === 0) return null;
    const lines = plan.lines.filter(changesFile);
    if (lines.length > MOST_COUNTED) return pathsText(counts);
    const diffs = fileDiffs(await Promise.all(lines.map((line) => files.savepoint.planDiff(line))));
    const added = diffs.reduce((sum, { insertions }) => sum + insertions, 0);
    const removed = diffs.reduce((sum, { deletions }) => sum + deletions, 0);
    return `${pathsText(counts)} +${added} -${removed}`;
  } catch {
    return null;
  }
}
