import { SavepointError } from '../model/errors.ts';
import type { StepStatus } from '../model/execution.ts';
import type { Receipt } from '../model/operation.ts';
import type { Difference } from '../model/value/differences.ts';
import { receiptOf } from '../plan/receipt.ts';
import type { BaseStorage } from '../store/documents/base-storage.ts';
import { attemptOf, type Checkpoint } from './checkpoint.ts';
import { ExecutionCheckpoints } from './execution-checkpoints.ts';
import type { ExecutionReader, ListedExecution } from './execution-reader.ts';
import { ExecutionRecovery } from './execution-recovery.ts';
import type { ExecutionFiles } from './execution-site.ts';
import type { Holder } from './lease.ts';
import { PersistenceManager } from './persistence-manager.ts';
import type { RollbackOptions, RollbackPlan, RollbackRequest } from './rollback.ts';
import type { ExecutionState, RecordedAttempt } from './step-log.ts';

/** `steps`: durable steps of `Savepoint.execution`. `checkpoints`: those of `ExecutionCheckpoints`. */
export type ExecutionKind = 'steps' | 'checkpoints';

/** An execution of either kind, and where it stands. */
export interface KnownExecution {
  readonly id: string;
  readonly kind: ExecutionKind;
  /** Of checkpoints: how the last step ended. */
  readonly status: 'running' | 'open' | 'finished' | 'cancelled' | Checkpoint['status'];
  /** How many steps succeeded and were not rolled back. */
  readonly done: number;
  /** The last step that was begun; null where none was. */
  readonly last: KnownStep | null;
  readonly updatedAt: number;
  /** The process that goes on with it at this moment. Always null for checkpoints: nobody knows. */
  readonly holder: Holder | null;
}

/** Names one execution. Both kinds may have one of the same id. */
export type ExecutionName = Pick<KnownExecution, 'id' | 'kind'>;

export type KnownStep = Pick<RecordedAttempt, 'index' | 'name' | 'status'>;

/** One execution with all that is on record of its steps. */
export interface ShownExecution {
  readonly known: KnownExecution;
  /** Null where nobody noted it. */
  readonly createdAt: number | null;
  /** The session under which its files are on record; null where it has none of its own. */
  readonly sessionId: string | null;
  readonly parent: { readonly id: string; readonly step: number } | null;
  readonly steps: readonly (KnownStep & { readonly attempts: readonly RecordedAttempt[] })[];
}

/** What is needed of a project's `Savepoint`. */
export interface ExecutionProject extends ExecutionFiles {
  executions(): Promise<ExecutionReader>;
  storage(): Promise<BaseStorage>;
  planRollback(id: string, request: RollbackRequest): Promise<RollbackPlan>;
  applyRollback(plan: RollbackPlan, options?: RollbackOptions): Promise<Receipt>;
}

/** The executions in a project's own database: both kinds, behind one interface. */
export class ProjectExecutions {
  readonly reader: ExecutionReader;
  readonly checkpoints: ExecutionCheckpoints;
  readonly #project: ExecutionProject;
  readonly #now: () => number;

  private constructor(
    project: ExecutionProject,
    reader: ExecutionReader,
    checkpoints: ExecutionCheckpoints,
    now: () => number,
  ) {
    this.#project = project;
    this.reader = reader;
    this.checkpoints = checkpoints;
    this.#now = now;
  }

  static async of(
    project: ExecutionProject,
    now: () => number = Date.now,
  ): Promise<ProjectExecutions> {
    const persistence = new PersistenceManager(await project.storage());
    const checkpoints = new ExecutionCheckpoints(persistence, { files: project, now });
    return new ProjectExecutions(project, await project.executions(), checkpoints, now);
  }

  /** Most recently updated first. */
  async list(): Promise<KnownExecution[]> {
    const steps = (await this.reader.list()).map(ofSteps);
    const kept = [...(await this.checkpoints.listExecutions()).values()].map(ofCheckpoints);
    return [...steps, ...kept].sort((one, other) => other.updatedAt - one.updatedAt);
  }

  async show(known: KnownExecution): Promise<ShownExecution> {
    if (known.kind === 'checkpoints') return this.#showCheckpoints(known);
    const { execution, steps } = await this.reader.show(known.id);
    const { createdAt, sessionId, parentId, parentStep, holder } = execution;
    return {
      known: ofSteps(execution),
      createdAt,
      sessionId,
      parent: parentId === null ? null : { id: parentId, step: parentStep ?? 0 },
      steps: steps.map((step) => ({
        ...standing(step, holder),
        attempts: step.attempts.map((attempt) => standing(attempt, holder)),
      })),
    };
  }

  /** The steps that can be gone back to, in order. */
  async steps({ id, kind }: ExecutionName): Promise<readonly KnownStep[]> {
    if (kind === 'checkpoints') return (await this.checkpoints.listCheckpoints(id)).map(attemptOf);
    const { execution, steps } = await this.reader.show(id);
    return steps.filter(({ index }) => index < execution.done);
  }

  /** Throws `step-not-found`. */
  async stateAt({ id, kind }: ExecutionName, index: number): Promise<ExecutionState> {
    if (kind === 'steps') return this.reader.stateAt(id, index);
    const { state, variables, context } = await this.checkpointAt(id, index);
    return { state, variables, context };
  }

  /** Where the state after one step differs from that after another; -1 is before the first. */
  diff({ id, kind }: ExecutionName, from: number, to: number): Promise<Difference[]> {
    return (kind === 'steps' ? this.reader : this.checkpoints).diff(id, from, to);
  }

  /** What going back to after a step would do. Throws `step-not-found`; writes nothing. */
  async planRollback({ id, kind }: ExecutionName, request: RollbackRequest): Promise<RollbackPlan> {
    if (kind === 'steps') return this.#project.planRollback(id, request);
    const { to, ...how } = request;
    const checkpoint = await this.checkpointAt(id, to);
    return this.#recoveryTo(checkpoint).planRollback(checkpoint.id, how);
  }

  /** Does exactly what was planned, or throws and does nothing. */
  async applyRollback(
    { kind }: ExecutionName,
    plan: RollbackPlan,
    options?: RollbackOptions,
  ): Promise<Receipt> {
    if (kind === 'steps') return this.#project.applyRollback(plan, options);
    const checkpoint = await this.checkpointAt(plan.executionId, plan.to);
    const recovery = this.#recoveryTo(checkpoint);
    const { output, error } = await recovery.rollbackToCheckpoint(checkpoint.id, { plan });
    if (output !== undefined) return output.receipt ?? receiptOf(plan.files);
    throw new SavepointError('restore-failed', error ?? 'the execution could not be rolled back');
  }

  /** The checkpoint that counts for a step. Throws `step-not-found`. */
  async checkpointAt(executionId: string, index: number): Promise<Checkpoint> {
    const kept = await this.checkpoints.listCheckpoints(executionId);
    const found = kept.find(({ stepIndex }) => stepIndex === index);
    if (found !== undefined) return found;
    throw new SavepointError('step-not-found', `step ${index} of ${executionId} is gone`);
  }

  /** A checkpoint that was kept without files is gone back to without them. */
  #recoveryTo({ metadata }: Checkpoint): ExecutionRecovery {
    const savepoint = metadata.file_checkpoint === undefined ? undefined : this.#project;
    return new ExecutionRecovery({ checkpoints: this.checkpoints, savepoint, now: this.#now });
  }

  async #showCheckpoints(known: KnownExecution): Promise<ShownExecution> {
    const all = [...(await this.checkpoints.listSteps(known.id)).values()];
    const steps = all.flatMap((kept) => {
      const attempts = kept.map(attemptOf);
      const newest = attempts.at(-1);
      return newest === undefined ? [] : [{ ...stepOf(newest), attempts }];
    });
    return { known, createdAt: null, sessionId: null, parent: null, steps };
  }
}

function stepOf({ index, name, status }: KnownStep): KnownStep {
  return { index, name, status };
}

function ofSteps(execution: ListedExecution): KnownExecution {
  const { id, done, last, updatedAt, holder } = execution;
  const status = holder === null ? execution.status : 'running';
  const step = last && stepOf(standing(last, holder));
  return { id, kind: 'steps', status, done, last: step, updatedAt, holder };
}

/** An attempt that is on record as running was killed, where no process holds the execution any more. */
function standing<A extends { readonly status: StepStatus }>(one: A, holder: Holder | null): A {
  return one.status === 'running' && holder === null ? { ...one, status: 'killed' } : one;
}

/** `checkpoints`: those of one execution that count, in the order of steps; at least one. */
function ofCheckpoints(checkpoints: readonly Checkpoint[]): KnownExecution {
  const last = checkpoints.at(-1);
  if (last === undefined) throw new Error('an execution has a checkpoint');
  return {
    id: last.executionId,
    kind: 'checkpoints',
    status: last.status,
    done: checkpoints.filter(({ status }) => status === 'success').length,
    last: stepOf(attemptOf(last)),
    updatedAt: Math.max(...checkpoints.map(({ timestamp }) => timestamp.getTime())),
    holder: null,
  };
}
