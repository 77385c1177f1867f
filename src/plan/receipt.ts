import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { PathReason, Receipt } from '../model/operation.ts';
import {
  isLost,
  type PlanAction,
  type PlanLine,
  type PlanNote,
  type RewindPlan,
} from '../model/plan.ts';

/** What a plan did, or, without ids, would do: preview and receipt come from the same lines. */
export function receiptOf(
  plan: RewindPlan,
  done: { operationId: OperationId; safetyCheckpointId: CheckpointId } | null = null,
  notes: readonly PlanNote[] = [],
): Receipt {
  const of = (...actions: PlanAction[]): PlanLine[] =>
    plan.lines.filter((line) => actions.includes(line.action));
  const paths = (lines: PlanLine[]) => lines.map((line) => line.path);
  const lost = of('skip').filter(cannotComeBack);
  const conflicts = of('conflict').map(withReason);
  return {
    success: conflicts.length === 0 && lost.length === 0,
    operationId: done?.operationId ?? null,
    safetyCheckpointId: done?.safetyCheckpointId ?? null,
    restoredFiles: paths(of('write', 'link', 'chmod', 'mkdir')),
    deletedFiles: paths(of('delete')),
    mergedFiles: paths(of('merge')),
    conflicts,
    skipped: [
      ...of('skip')
        .filter((line) => !cannotComeBack(line))
        .map(withReason),
      ...of('keep').map((line) => ({ path: line.path, reason: 'kept' })),
    ],
    errors: lost.map(withReason),
    notes: [...plan.notes, ...notes],
  };
}

const DAMAGE: readonly PlanLine['reason'][] = [
  'blob-corrupt',
  'blob-missing',
  'before-unknown-damaged',
];

function cannotComeBack(line: PlanLine): boolean {
  return isLost(line) || DAMAGE.includes(line.reason);
}

function withReason(line: PlanLine): PathReason {
  return { path: line.path, reason: line.reason ?? line.action };
}
