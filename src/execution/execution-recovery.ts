import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { OnConflict } from '../model/plan.ts';
import { aText } from '../model/shape.ts';
import type { Checkpoint } from './checkpoint.ts';
import { anIndex } from './checkpoint-dict.ts';
import {
  type CheckpointRollbackOptions,
  type CheckpointRollbackPlan,
  planRollBack,
  type Rollback,
  type RollbackSite,
  rollBack,
} from './checkpoint-rollback.ts';
import type { ExecutionCheckpoints } from './execution-checkpoints.ts';
import type { ExecutionFiles } from './execution-files.ts';
import { checkRetry, type RetryOptions, waitBefore } from './retry-options.ts';

/** What a step is told that is run again. */
export interface RetryContext {
  readonly executionId: string;
  /** From 1 on. */
  readonly attempt: number;
  /** Where the execution stood before the step; the agent's state was restored from it. */
  readonly checkpoint: Checkpoint;
  readonly signal: AbortSignal | undefined;
}

/** An agent whose executions can be taken up again. */
export interface RecoverableAgent {
  restoreStateFromCheckpoint(checkpoint: Checkpoint): void | Promise<void>;
  /** Runs one step, and throws when it fails. Without it, an agent goes on by itself once it is restored. */
  runStep?(stepIndex: number, context: RetryContext): unknown;
}

export interface ExecutionResult<Output = unknown> {
  readonly success: boolean;
  /** What the step gave; for a restored agent, a sentence that says so. */
  readonly output?: Output;
  readonly error?: string;
  /** How many times it was tried. */
  readonly attempts: number;
}

export interface ExecutionRecoveryOptions {
  readonly checkpoints: ExecutionCheckpoints;
  /** The timeline of the project's files, for executions whose checkpoints go with files. */
  readonly savepoint?: ExecutionFiles | undefined;
  readonly now?: (() => number) | undefined;
}

const RESTORED = 'Agent state restored from checkpoint.';

/** Ways back into an execution that stopped. What goes wrong is in the result; nothing is thrown for it. */
export class ExecutionRecovery {
  readonly #site: RollbackSite;

  constructor({ checkpoints, savepoint, now = Date.now }: ExecutionRecoveryOptions) {
    this.#site = { checkpoints, files: savepoint, now };
  }

  /** Gives an agent the state of a checkpoint. Files stay as they are. */
  async resumeFromCheckpoint(
    checkpointId: string,
    agent: RecoverableAgent,
  ): Promise<ExecutionResult<string>> {
    aText('checkpointId', checkpointId);
    return orFailure(0, async () => {
      const checkpoint = await this.#site.checkpoints.loadCheckpoint(checkpointId);
      if (checkpoint === null) return notFound(checkpointId);
      await agent.restoreStateFromCheckpoint(checkpoint);
      return { success: true, output: RESTORED, attempts: 1 };
    });
  }

  /**
   * Takes files and state back to the last success before a step, and runs the step again, as often as it
   * takes and `maxRetries` allows. Each attempt begins from the same files and state.
   */
  async retryFromStep(
    executionId: string,
    stepIndex: number,
    agent: RecoverableAgent,
    options: RetryOptions = {},
  ): Promise<ExecutionResult> {
    aText('executionId', executionId);
    anIndex('stepIndex', stepIndex);
    const { maxRetries, signal } = checkRetry(options);
    let failure: ExecutionResult = { success: false, attempts: 0 };
    for (let attempt = 1; attempt <= maxRetries; attempt += 1) {
      const context = { executionId, attempt, signal };
      const made = await orFailure(attempt - 1, async () => {
        if (attempt > 1) await waitBefore(attempt, options);
        signal?.throwIfAborted();
        return this.#attempt(stepIndex, agent, context);
      });
      if (!('failed' in made)) return made;
      failure = { success: false, error: messageOf(made.failed), attempts: attempt };
    }
    return failure;
  }

  /** What `rollbackToCheckpoint` would do. Throws `checkpoint-not-found`; writes nothing. */
  async planRollback(
    checkpointId: string,
    onConflict?: OnConflict,
  ): Promise<CheckpointRollbackPlan> {
    aText('checkpointId', checkpointId);
    const checkpoint = await this.#site.checkpoints.loadCheckpoint(checkpointId);
    if (checkpoint !== null) return planRollBack(this.#site, checkpoint, onConflict);
    throw new SavepointError('checkpoint-not-found', `there is no checkpoint ${checkpointId}`);
  }

  /**
   * Takes files and state back to a checkpoint: what agents did to files since, by one operation that
   * `Savepoint.undo` takes back, and the later steps, which are kept but count no more. `agent`, if given,
   * gets the state. With conflicts nothing is done, unless `onConflict` says what to do with them. `plan`
   * is what `planRollback` gave for the files: exactly that is done, or nothing.
   */
  async rollbackToCheckpoint(
    checkpointId: string,
    {
      agent,
      ...options
    }: CheckpointRollbackOptions & { readonly agent?: RecoverableAgent | undefined } = {},
  ): Promise<ExecutionResult<Rollback>> {
    aText('checkpointId', checkpointId);
    return orFailure(0, async () => {
      const checkpoint = await this.#site.checkpoints.loadCheckpoint(checkpointId);
      if (checkpoint === null) return notFound(checkpointId);
      const output = await rollBack(this.#site, checkpoint, options);
      await agent?.restoreStateFromCheckpoint(checkpoint);
      return { success: true, output, attempts: 1 };
    });
  }

  /** What is thrown before the agent's turn would go wrong again; what the agent throws is worth a retry. */
  async #attempt(
    stepIndex: number,
    agent: RecoverableAgent,
    told: Omit<RetryContext, 'checkpoint'>,
  ): Promise<ExecutionResult | { readonly failed: unknown }> {
    const { checkpoints } = this.#site;
    // Loaded for each attempt: an agent may have worked on the one before.
    const checkpoint = await checkpoints.getLastSuccessfulCheckpoint(told.executionId, stepIndex);
    const { attempt: attempts } = told;
    if (checkpoint === null) return nothingBefore(stepIndex);
    await rollBack(this.#site, checkpoint);
    try {
      await agent.restoreStateFromCheckpoint(checkpoint);
      if (agent.runStep === undefined) return { success: true, output: RESTORED, attempts };
      const output = await agent.runStep(stepIndex, { ...told, checkpoint });
      return { success: true, output, attempts };
    } catch (failed) {
      return { failed };
    }
  }
}

async function orFailure<Result>(
  attempts: number,
  work: () => Promise<Result>,
): Promise<Result | (ExecutionResult<never> & { readonly success: false })> {
  try {
    return await work();
  } catch (error) {
    return { success: false, error: `Recovery failed: ${messageOf(error)}`, attempts };
  }
}

function notFound(id: string): ExecutionResult<never> {
  return { success: false, error: `Checkpoint ${id} not found`, attempts: 0 };
}

function nothingBefore(stepIndex: number): ExecutionResult<never> {
  const error = `No successful checkpoint found before step ${stepIndex}`;
  return { success: false, error, attempts: 0 };
}

function messageOf(error: unknown): string {
  if (isSavepointError(error) && error.hint !== undefined)
    return `${error.message} (${error.hint})`;
  return error instanceof Error ? error.message : String(error);
}
