import { setTimeout } from 'node:timers/promises';
import { AMOUNT, COUNT, check, integer, TEXT } from '../model/check.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Receipt } from '../model/operation.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';
import { attemptOf, type Checkpoint, checkpointId, withMetadata } from './checkpoint.ts';
import { type ExecutionCheckpoints, saveAttempt, setAside } from './execution-checkpoints.ts';
import type { ExecutionFiles } from './execution-site.ts';
import {
  noFiles,
  type RollbackPlan,
  type RollbackRequest,
  refuseStale,
  rollbackPlan,
} from './rollback.ts';
import type { RecordedAttempt } from './step-log.ts';

/** Told to a step that is run again. */
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
  /** Files that others changed since the step before, and that stayed as they are; left out where none. */
  readonly filesOfOthers?: readonly string[];
}

export interface ExecutionRecoveryOptions {
  readonly checkpoints: ExecutionCheckpoints;
  /** The timeline of the project's files, for executions whose checkpoints go with files. */
  readonly savepoint?: ExecutionFiles | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RetryOptions {
  /** How many times the step is run at most. Three when left out. */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds to wait before the second attempt, twice as many before the third, and so on; or a
   * function that says how many before each. 100 when left out.
   */
  readonly backoff?: number | ((attempt: number) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CheckpointRollbackOptions {
  readonly onConflict?: OnConflict | undefined;
  /** What `planRollback` gave: exactly that is carried out, or nothing. */
  readonly plan?: RollbackPlan | undefined;
  /** Gets the state of the checkpoint. */
  readonly agent?: RecoverableAgent | undefined;
}

type RollbackHow = Omit<RollbackRequest, 'to'>;

/** What a rollback did. */
export interface Rollback {
  /** Null where no files go with the execution. */
  readonly receipt: Receipt | null;
  /** Ids of the later steps, which count no more. They are kept, and the next attempt follows them. */
  readonly rolledBack: readonly string[];
}

const RESTORED = 'Agent state restored from checkpoint.';
const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;

/** Ways back into an execution that stopped. Failures are in the result; nothing is thrown for them. */
export class ExecutionRecovery {
  readonly #checkpoints: ExecutionCheckpoints;
  readonly #files: ExecutionFiles | undefined;
  readonly #now: () => number;

  constructor({ checkpoints, savepoint, now = Date.now }: ExecutionRecoveryOptions) {
    this.#checkpoints = checkpoints;
    this.#files = savepoint;
    this.#now = now;
  }

  /** Gives an agent the state of a checkpoint. Files stay as they are. */
  async resumeFromCheckpoint(
    checkpointId: string,
    agent: RecoverableAgent,
  ): Promise<ExecutionResult<string>> {
    return this.#with(checkpointId, async (checkpoint) => {
      await agent.restoreStateFromCheckpoint(checkpoint);
      return RESTORED;
    });
  }

  /**
   * Takes back what the execution did since the last success before a step, to files and state, and runs the
   * step again until it succeeds, at most `maxRetries` times. Each attempt begins from the same files and
   * state. Files that others changed meanwhile stay, and the result names them.
   */
  async retryFromStep(
    executionId: string,
    stepIndex: number,
    agent: RecoverableAgent,
    options: RetryOptions = {},
  ): Promise<ExecutionResult> {
    const { maxRetries = MAX_RETRIES, backoff, signal } = options;
    check(TEXT, 'executionId', executionId);
    check(COUNT, 'stepIndex', stepIndex);
    check(integer(1), 'maxRetries', maxRetries);
    if (typeof backoff === 'number') check(AMOUNT, 'backoff', backoff);
    let failure: ExecutionResult = { success: false, attempts: 0 };
    const others = new Set<string>();
    for (let attempt = 1; attempt <= maxRetries; attempt += 1) {
      const made = await orFailure(attempt - 1, async () => {
        if (attempt > 1) await waitBefore(attempt, options);
        signal?.throwIfAborted();
        return this.#attempt(stepIndex, agent, { executionId, attempt, signal }, others);
      });
      if (!('failed' in made)) return withOthers(made, others);
      failure = { success: false, error: messageOf(made.failed), attempts: attempt };
    }
    return withOthers(failure, others);
  }

  /** What `rollbackToCheckpoint` would do. Throws `checkpoint-not-found`; writes nothing. */
  async planRollback(checkpointId: string, how: RollbackHow = {}): Promise<RollbackPlan> {
    check(TEXT, 'checkpointId', checkpointId);
    const checkpoint = await this.#checkpoints.loadCheckpoint(checkpointId);
    if (checkpoint === null) {
      throw new SavepointError('checkpoint-not-found', `there is no checkpoint ${checkpointId}`);
    }
    const { executionId, stepIndex } = checkpoint;
    const files = await this.#planFiles(checkpoint, how);
    return rollbackPlan(executionId, stepIndex, await this.#stepsAfter(checkpoint), files);
  }

  /**
   * Takes files and state back to a checkpoint. One operation, which `Savepoint.undo` takes back, reverts what
   * the execution did to files since; a note of the receipt names what others did, which stays. The later steps are kept but count no more. With conflicts
   * nothing is done, unless `onConflict` says what to do with them.
   */
  async rollbackToCheckpoint(
    checkpointId: string,
    { agent, plan, onConflict }: CheckpointRollbackOptions = {},
  ): Promise<ExecutionResult<Rollback>> {
    return this.#with(checkpointId, async (checkpoint) => {
      if (plan !== undefined) refuseStale(plan, await this.#stepsAfter(checkpoint));
      const files = plan?.files ?? (await this.#planFiles(checkpoint, { onConflict }));
      const output = await this.#rollBack(checkpoint, files);
      await agent?.restoreStateFromCheckpoint(checkpoint);
      return output;
    });
  }

  /**
   * An error before the agent's turn would come again, and is thrown; one of the agent is worth a retry.
   * `others` gets the files that others changed.
   */
  async #attempt(
    stepIndex: number,
    agent: RecoverableAgent,
    told: Omit<RetryContext, 'checkpoint'>,
    others: Set<string>,
  ): Promise<ExecutionResult | { readonly failed: unknown }> {
    const { executionId, attempt: attempts } = told;
    // Loaded for each attempt: an agent may have changed the values of the last one.
    const checkpoint = await this.#checkpoints.getLastSuccessfulCheckpoint(executionId, stepIndex);
    if (checkpoint === null) {
      const error = `No successful checkpoint found before step ${stepIndex}`;
      return { success: false, error, attempts: 0 };
    }
    const files = await this.#planFiles(checkpoint);
    for (const { code, paths = [] } of files.notes) {
      if (code === 'others-kept') for (const path of paths) others.add(path);
    }
    await this.#rollBack(checkpoint, files);
    try {
      await agent.restoreStateFromCheckpoint(checkpoint);
      if (agent.runStep === undefined) return { success: true, output: RESTORED, attempts };
      const output = await agent.runStep(stepIndex, { ...told, checkpoint });
      return { success: true, output, attempts };
    } catch (failed) {
      return { failed };
    }
  }

  async #planFiles(to: Checkpoint, how: RollbackHow = {}): Promise<RewindPlan> {
    const { onConflict = 'fail', includeShared } = how;
    refuseRolledBack(to);
    const { file_checkpoint: point } = to.metadata;
    if (this.#files === undefined) {
      if (point === undefined) return noFiles('', 0);
      throw unable(`${to.id} has files, and no timeline of files was given`);
    }
    if (typeof point !== 'string') throw unable(`${to.id} was made without its files`);
    await this.#files.scanAgain?.();
    return this.#files.planRewind({
      to: point,
      sessionId: to.sessionId,
      onConflict,
      includeShared,
    });
  }

  /**
   * Files come first, all that the plan restores or none: where that fails, or the process dies, the steps
   * still count and the rollback can be done again. Paths that the plan skips, and files that are gone and
   * were never recorded, stop nothing: no other try could bring them back, and the receipt names them.
   */
  async #rollBack(to: Checkpoint, files: RewindPlan): Promise<Rollback> {
    const { persistence } = this.#checkpoints;
    refuseRolledBack(to);
    const receipt = (await this.#files?.apply(files)) ?? null;
    if (receipt !== null && !isWhole(receipt)) {
      throw new SavepointError('restore-failed', 'not all files could be taken back', {
        details: receipt,
      });
    }
    // Read only now: a step that came while the files went back is taken back with the others.
    const later = await this.#laterThan(to);
    const at = new Date(this.#now()).toISOString();
    await setAside(persistence, later, { at, to: to.id, operation: receipt?.operationId ?? null });
    // An earlier attempt at the step becomes its next one; those in between stay on record.
    const latest = checkpointId(to.executionId, to.stepIndex);
    if (to.id !== latest) await saveAttempt(persistence, withMetadata(to, {}, latest));
    return { receipt, rolledBack: later.map(({ id }) => id) };
  }

  async #laterThan({ executionId, stepIndex }: Checkpoint): Promise<Checkpoint[]> {
    const all = await this.#checkpoints.listCheckpoints(executionId);
    return all.filter((one) => one.stepIndex > stepIndex);
  }

  async #stepsAfter(to: Checkpoint): Promise<RecordedAttempt[]> {
    return (await this.#laterThan(to)).map(attemptOf);
  }

  async #with<Output>(
    id: string,
    work: (checkpoint: Checkpoint) => Promise<Output>,
  ): Promise<ExecutionResult<Output>> {
    check(TEXT, 'checkpointId', id);
    return orFailure(0, async () => {
      const checkpoint = await this.#checkpoints.loadCheckpoint(id);
      if (checkpoint !== null)
        return { success: true, output: await work(checkpoint), attempts: 1 };
      return { success: false, error: `Checkpoint ${id} not found`, attempts: 0 };
    });
  }
}

function withOthers(result: ExecutionResult, others: ReadonlySet<string>): ExecutionResult {
  return others.size === 0 ? result : { ...result, filesOfOthers: [...others] };
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

/** Rejects when the signal aborts. */
async function waitBefore(attempt: number, options: RetryOptions): Promise<void> {
  const { backoff = FIRST_WAIT_MS, signal } = options;
  const asked = typeof backoff === 'number' ? backoff * 2 ** (attempt - 2) : backoff(attempt);
  check(AMOUNT, 'backoff', asked);
  const wait = Math.min(asked, LONGEST_WAIT_MS);
  await setTimeout(wait, undefined, signal === undefined ? {} : { signal });
}

function refuseRolledBack({ id, isRolledBack }: Checkpoint): void {
  if (!isRolledBack) return;
  const message = `${id} was itself rolled back: a rollback goes to a step that still counts`;
  throw new SavepointError('argument-invalid', message);
}

function unable(message: string): SavepointError {
  return new SavepointError('argument-invalid', `files cannot be taken back: ${message}`);
}

function messageOf(error: unknown): string {
  if (isSavepointError(error) && error.hint !== undefined)
    return `${error.message} (${error.hint})`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether everything went back that is on record: without conflicts, and without damage. */
function isWhole({ conflicts, errors }: Receipt): boolean {
  const isUnrecorded = ({ reason }: Receipt['errors'][number]): boolean =>
    reason.startsWith('before-unknown-') && reason !== 'before-unknown-damaged';
  return conflicts.length === 0 && errors.every(isUnrecorded);
}
