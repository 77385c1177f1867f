import { ProjectExecutions } from '../../execution/index.ts';
import type { Resolution, RewindPlan, RollbackPlan, Savepoint, State } from '../../index.ts';
import {
  anyOf,
  BOOLEAN,
  exact,
  integer,
  type Kind,
  listOf,
  oneOf,
  optional,
  TEXT,
  tagged,
} from '../../model/check.ts';
import type { PlanRequest, ResolutionJson } from '../api.ts';
import type { NamedExecution } from './executions-answer.ts';
import { namedPath, PATH_REF } from './request.ts';
import { WebError } from './web-error.ts';

/** A plan that can be carried out. */
export interface Planned {
  readonly plan: RewindPlan;
  /** The same without a choice of hunks; itself where none were chosen. */
  readonly whole: RewindPlan;
  /** The rollback of an execution that it is part of; null for none. */
  readonly rollback: { readonly plan: RollbackPlan; readonly of: NamedExecution } | null;
}

const RESOLUTION: Kind<ResolutionJson> = exact({
  path: PATH_REF,
  take: anyOf(oneOf('keep', 'restore'), exact({ content: TEXT })),
  stamp: TEXT,
});

const CHOICES = {
  includeShared: optional(BOOLEAN),
  onConflict: optional(oneOf('keep', 'restore', 'fail')),
  resolutions: optional(listOf(RESOLUTION)),
  force: optional(BOOLEAN),
};

export const PLAN_REQUEST: Kind<PlanRequest> = tagged('kind', {
  rewind: exact({
    ...CHOICES,
    kind: oneOf('rewind'),
    to: TEXT,
    take: optional(oneOf('since', 'message', 'exact')),
    paths: optional(listOf(PATH_REF)),
    hunks: optional(listOf(exact({ path: PATH_REF, take: listOf(TEXT) }))),
  }),
  undo: exact({ ...CHOICES, kind: oneOf('undo'), operationId: optional(TEXT) }),
  rollback: exact({
    kind: oneOf('rollback'),
    executionId: TEXT,
    executionKind: oneOf('steps', 'checkpoints'),
    to: integer(-1),
  }),
}) as Kind<PlanRequest>;

/** Makes the plan that is asked for. Scans first, as the command does, so that it knows what happened since. */
export async function makePlan(savepoint: Savepoint, request: PlanRequest): Promise<Planned> {
  await savepoint.scanAgain();
  if (request.kind === 'rollback') return planRollback(savepoint, request);
  const { onConflict, force, includeShared } = request;
  const resolutions = request.resolutions?.map(resolutionOf);
  const options = { onConflict, force, resolutions };
  if (request.kind === 'undo') {
    const { operationId } = request;
    const more = { ...(operationId && { operationId }), ...(includeShared && { includeShared }) };
    return files(await savepoint.planUndo({ ...options, ...more }));
  }
  const { to, take } = request;
  const paths = request.paths?.map(namedPath);
  const rewind = { ...options, to, take, paths, includeShared };
  const hunks = request.hunks?.map((one) => ({ path: namedPath(one.path), ids: one.take })) ?? [];
  if (hunks.length === 0) return files(await savepoint.planRewind(rewind));
  for (let tries = 1; ; tries += 1) {
    const whole = await savepoint.planRewind(rewind);
    const plan = await savepoint.planRewind({ ...rewind, hunks });
    // With a change recorded in between, the two are about different files.
    if (plan.seq === whole.seq || tries === MOST_TRIES) return { plan, whole, rollback: null };
  }
}

/** An agent may record changes all the time; the page shows all lines of both plans in any case. */
const MOST_TRIES = 5;

function files(plan: RewindPlan): Planned {
  return { plan, whole: plan, rollback: null };
}

async function planRollback(
  savepoint: Savepoint,
  request: Extract<PlanRequest, { kind: 'rollback' }>,
): Promise<Planned> {
  const { executionId: id, executionKind: kind, to } = request;
  const of = { id, kind };
  const executions = await ProjectExecutions.of(savepoint);
  const plan = await executions.planRollback(of, { to });
  return { ...files(plan.files), rollback: { plan, of } };
}

function resolutionOf({ path, take, stamp }: ResolutionJson): Resolution {
  const decision = typeof take === 'string' ? take : { content: Buffer.from(take.content) };
  return { path: namedPath(path), take: decision, seen: stateOf(stamp) };
}

/** Names a state for whoever decides about it. The engine compares it with the disk. */
export function stampOf(state: State): string {
  return Buffer.from(JSON.stringify(state)).toString('base64url');
}

function stateOf(stamp: string): State {
  try {
    return JSON.parse(Buffer.from(stamp, 'base64url').toString()) as State;
  } catch {
    throw new WebError(400, 'request-invalid', 'a stamp is not one of a plan');
  }
}
