import type { PlanLine, RewindPlan } from '../model/plan.ts';
import { fitTogether } from './fit-together.ts';
import type { PlanInput } from './plan-input.ts';
import { planPath } from './plan-path.ts';

/** From changes and current states to a plan. Pure: the same input gives the same plan. */
export function planRewind(input: PlanInput): RewindPlan {
  const lines: PlanLine[] = input.paths.map((path) => planPath(path, input));
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
