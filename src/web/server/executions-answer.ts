import { PathNames } from '../../cli/json.ts';
import { timeJson, timeOrNull } from '../../cli/json-shapes.ts';
import {
  isUnfinished,
  type KnownExecution,
  ProjectExecutions,
  type RecordedAttempt,
} from '../../execution/index.ts';
import { type Savepoint, SavepointError } from '../../index.ts';
import type {
  AttemptJson,
  ExecutionAnswer,
  ExecutionJson,
  ExecutionsAnswer,
  ForkAnswer,
  ForkRequest,
  ResumeAnswer,
  StateAnswer,
} from '../api.ts';
import { shortText, stateTree, valueAt } from './state-tree.ts';
import { WebError } from './web-error.ts';

export type NamedExecution = Pick<KnownExecution, 'id' | 'kind'>;

export async function executionsAnswer(savepoint: Savepoint): Promise<ExecutionsAnswer> {
  const executions = await ProjectExecutions.of(savepoint);
  const all = await executions.list();
  return {
    executions: all.map(executionJson),
    damaged: executions.checkpoints.problems().map(({ id }) => id),
  };
}

function executionJson(known: KnownExecution): ExecutionJson {
  return { ...known, updatedAt: timeJson(known.updatedAt) };
}

export async function executionAnswer(
  savepoint: Savepoint,
  named: NamedExecution,
): Promise<ExecutionAnswer> {
  const executions = await ProjectExecutions.of(savepoint);
  const known = await find(executions, named);
  const { createdAt, sessionId, parent, steps } = await executions.show(known);
  const isHeld = known.holder !== null;
  return {
    execution: { ...executionJson(known), createdAt: timeOrNull(createdAt), sessionId, parent },
    steps: steps.map(({ index, name, status, attempts }) => ({
      index,
      name,
      key: attempts.at(-1)?.key ?? null,
      status,
      attempts: attempts.map(attemptJson),
    })),
    can: {
      rollback: !isHeld && steps.length > 0,
      fork: known.kind === 'steps' && !isHeld,
      resume: known.kind === 'steps' && !isHeld,
      why: isHeld ? 'a process is at work on it' : null,
    },
  };
}

function attemptJson(attempt: RecordedAttempt): AttemptJson {
  const { status, error, checkpointId, startedAt, endedAt, effects } = attempt;
  return {
    attempt: attempt.attempt,
    status,
    error,
    checkpointId,
    startedAt: timeOrNull(startedAt),
    endedAt: timeOrNull(endedAt),
    effects: effects.map(({ description, declaredAt }) => {
      return { description, declaredAt: timeJson(declaredAt) };
    }),
  };
}

async function find(executions: ProjectExecutions, named: NamedExecution): Promise<KnownExecution> {
  const all = await executions.list();
  const found = all.find(({ id, kind }) => id === named.id && kind === named.kind);
  if (found !== undefined) return found;
  throw new SavepointError('execution-not-found', `there is no execution ${named.id}`);
}

const BEGINNING = -1;

/** State, variables and context after a step as a tree, and where they differ from those after the one before. */
export async function stateAnswer(
  savepoint: Savepoint,
  named: NamedExecution,
  step: number,
): Promise<StateAnswer> {
  const from = step - 1;
  const executions = await ProjectExecutions.of(savepoint);
  const after = await executions.stateAt(named, step);
  const before = from === BEGINNING ? {} : await executions.stateAt(named, from);
  const differences = await executions.diff(named, from, step);
  return {
    tree: stateTree(after),
    differences: differences.slice(0, MOST_DIFFERENCES).map(({ path, kind }) => ({
      path,
      kind,
      before: kind === 'added' ? null : shortText(valueAt(before, path)),
      after: kind === 'removed' ? null : shortText(valueAt(after, path)),
    })),
  };
}

const MOST_DIFFERENCES = 2000;

/** Takes back attempts that did not succeed, so that the program can go on. Nobody but the program runs its steps. */
export async function resumeAnswer(
  savepoint: Savepoint,
  named: NamedExecution,
  dryRun: boolean,
): Promise<ResumeAnswer> {
  if (named.kind === 'checkpoints') {
    const hint = 'plan a rollback to its last step that succeeded';
    throw new WebError(400, 'request-invalid', 'checkpoints of a program are rolled back', hint);
  }
  const { steps, execution } = await (await savepoint.executions()).show(named.id);
  const taken = steps.flatMap(({ attempts }) => attempts).filter(isUnfinished);
  const names = new PathNames();
  const rolledBack = taken.map(({ index, name }) => ({ index, name }));
  let { done } = execution;
  const files = new Set<string>();
  if (!dryRun) {
    const before = await savepoint.head();
    const run = await savepoint.execution(named.id, { create: false });
    done = run.done;
    await run.close();
    for (const { origin, path } of await savepoint.changes({ after: before })) {
      if (origin === 'operation') files.add(names.name(path));
    }
  }
  const { pathBytes } = names;
  return { dryRun, done, next: done, rolledBack, files: [...files], pathBytes };
}

export async function forkAnswer(
  savepoint: Savepoint,
  named: NamedExecution,
  { id, step }: ForkRequest,
): Promise<ForkAnswer> {
  if (named.kind === 'checkpoints') {
    throw new WebError(400, 'request-invalid', 'only executions of durable steps can be forked');
  }
  const fork = await savepoint.forkExecution(named.id, { at: step, as: id });
  return { id: fork.id, parent: { id: named.id, step } };
}
