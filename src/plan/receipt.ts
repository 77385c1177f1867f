import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { PathReason, Receipt } from '../model/operation.ts';
import type { PlanAction, PlanLine, PlanNote, RewindPlan } from '../model/plan.ts';

/** What a plan did, or, without ids, would do: preview and receipt come from the same lines. */
export function receiptOf(
  plan: RewindPlan,
  done: { operationId: OperationId; safetyCheckpointId: CheckpointId } | null = null,
  notes: readonly PlanNote[] = [],
): Receipt {
  const of = (...actions: PlanAction[]): PlanLine[] =>
    plan.lines.filter((line) => actions.includes(line.action));
  const paths = (lines: PlanLine[]) => lines.map((line) => line.path);
  const damaged = of('skip').filter(isDamage);
  const conflicts = of('conflict').map(withReason);
  return {
    success: conflicts.length === 0 && damaged.length === 0,
    operationId: done?.operationId ?? null,
    safetyCheckpointId: done?.safetyCheckpointId ?? null,
    restoredFiles: paths(of('write', 'link', 'chmod', 'mkdir')),
    deletedFiles: paths(of('delete')),
    mergedFiles: paths(of('merge')),
    conflicts,
    skipped: [
      ...of('skip')
        .filter((line) => !isDamage(line))
        .map(withReason),
      ...of('keep').map((line) => ({ path: line.path, reason: 'kept' })),
    ],
    errors: damaged.map(withReason),
    notes: [...plan.notes, ...notes],
  };
}

const DAMAGE: readonly PlanLine['reason'][] = [
  'blob-corrupt',
  'blob-missing',
  'before-unknown-damaged',
];

function isDamage({ reason }: PlanLine): boolean {
  return DAMAGE.includes(reason);
}

function withReason(line: PlanLine): PathReason {
  return { path: line.path, reason: line.reason ?? line.action };
}
