import { displayText } from '../model/display.ts';
import { SavepointError } from '../model/errors.ts';
import { type Difference, differences } from '../model/value/differences.ts';
import { Checkpoint } from './checkpoint.ts';
import { attemptId, checkpointId, isAttemptAt, mayBeOf } from './checkpoint-ids.ts';
import type { ExecutionFiles } from './execution-files.ts';
import { type NewCheckpoint, newCheckpoint, withMetadata } from './new-checkpoint.ts';
import type { PersistenceManager } from './persistence-manager.ts';
import { isDamage, saveAttempt } from './save-attempt.ts';

export interface ExecutionCheckpointsOptions {
  /** The timeline of the project's files: each checkpoint then goes with the files as they were. */
  readonly files?: ExecutionFiles | undefined;
  readonly now?: (() => number) | undefined;
}

/** A stored checkpoint that was passed over because it cannot be read. */
export interface CheckpointProblem {
  readonly id: string;
  readonly error: SavepointError;
}

/** The checkpoints of executions: where each stood after its steps, and every attempt at them. */
export class ExecutionCheckpoints {
  readonly persistence: PersistenceManager;
  readonly #files: ExecutionFiles | undefined;
  readonly #now: () => number;
  readonly #problems = new Map<string, CheckpointProblem>();

  constructor(
    persistence: PersistenceManager,
    { files, now = Date.now }: ExecutionCheckpointsOptions = {},
  ) {
    this.persistence = persistence;
    this.#files = files;
    this.#now = now;
  }

  /**
   * Puts on record where an execution stands. A second checkpoint of the same step is its next attempt:
   * the id names the latest, and the earlier ones are kept.
   */
  async createCheckpoint(request: NewCheckpoint): Promise<Checkpoint> {
    // Before anything is waited for: the caller may go on with the values.
    const checkpoint = newCheckpoint(request, new Date(this.#now()));
    return saveAttempt(this.persistence, await this.#withFiles(checkpoint));
  }

  /** Null where there is none. Throws `document-corrupt` or `checkpoint-invalid` for a damaged one. */
  async loadCheckpoint(id: string): Promise<Checkpoint | null> {
    const data = await this.persistence.loadCheckpoint(id);
    return data === null ? null : Checkpoint.fromDict(data);
  }

  /** The latest attempt at each step of an execution that was not rolled back, in order. */
  async listCheckpoints(executionId: string): Promise<Checkpoint[]> {
    const all = await this.#readAll((id) => mayBeOf(executionId, id));
    const found = all.filter((checkpoint) => checkpoint.executionId === executionId);
    return found.filter(isCurrent).sort((one, other) => one.stepIndex - other.stepIndex);
  }

  /** The same for every execution, by its id. One of which all was rolled back is not there. */
  async listExecutions(): Promise<Map<string, Checkpoint[]>> {
    const current = (await this.#readAll(() => true)).filter(isCurrent);
    return Map.groupBy(
      current.sort((one, other) => one.stepIndex - other.stepIndex),
      ({ executionId }) => executionId,
    );
  }

  /** Every attempt at a step, in order. The last one goes by the step's own id. */
  async listAttempts(executionId: string, stepIndex: number): Promise<Checkpoint[]> {
    const id = checkpointId(executionId, stepIndex);
    const all = await this.#readAll((one) => one === id || isAttemptAt(id, one));
    return attemptsOf(
      all.filter((one) => one.executionId === executionId && one.stepIndex === stepIndex),
    );
  }

  /** Every attempt at every step of an execution by the step's index, what was rolled back included. */
  async listSteps(executionId: string): Promise<Map<number, Checkpoint[]>> {
    const all = await this.#readAll((id) => mayBeOf(executionId, id));
    const own = all.filter((checkpoint) => checkpoint.executionId === executionId);
    const steps = [...Map.groupBy(own, ({ stepIndex }) => stepIndex)];
    return new Map(
      steps.sort(([one], [other]) => one - other).map(([index, kept]) => [index, attemptsOf(kept)]),
    );
  }

  /** Where state, variables and context after one step differ from those after another; -1: before all. */
  async diff(executionId: string, from: number, to: number): Promise<Difference[]> {
    const checkpoints = await this.listCheckpoints(executionId);
    const stateAt = (index: number): object => {
      const found = checkpoints.find(({ stepIndex }) => stepIndex === index);
      if (found !== undefined) return stateOf(found);
      if (index === -1) return { state: {}, variables: {}, context: {} };
      throw new SavepointError('step-not-found', `there is no step ${index} on record`);
    };
    return differences(stateAt(from), stateAt(to));
  }

  /** Removes a checkpoint with the earlier attempts at its step, or one of those. */
  async deleteCheckpoint(id: string): Promise<boolean> {
    for (const other of await this.persistence.listCheckpoints()) {
      if (isAttemptAt(id, other)) await this.persistence.deleteCheckpoint(other);
    }
    return this.persistence.deleteCheckpoint(id);
  }

  /** The last step of an execution that succeeded, before `beforeStep` if that is given. */
  async getLastSuccessfulCheckpoint(
    executionId: string,
    beforeStep?: number,
  ): Promise<Checkpoint | null> {
    const checkpoints = await this.listCheckpoints(executionId);
    const isWanted = ({ status, stepIndex }: Checkpoint): boolean =>
      status === 'success' && (beforeStep === undefined || stepIndex < beforeStep);
    return checkpoints.findLast(isWanted) ?? null;
  }

  /** For a list to choose from: each execution's id, and two lines on where it stands. Newest first. */
  async getFormattedCheckpointHistory(): Promise<[executionId: string, display: string][]> {
    return [...(await this.listExecutions())]
      .sort(([one, its], [other, others]) => newest(others) - newest(its) || (one < other ? 1 : -1))
      .map(([executionId, steps]) => [executionId, display(executionId, steps)]);
  }

  /** Checkpoints that were passed over because they are damaged. Taken away by reading. */
  problems(): CheckpointProblem[] {
    const problems = [...this.#problems.values()];
    this.#problems.clear();
    return problems;
  }

  async #withFiles(checkpoint: Checkpoint): Promise<Checkpoint> {
    if (this.#files === undefined) return checkpoint;
    const { executionId, stepIndex, stepName } = checkpoint;
    const description = `${executionId}, step ${stepIndex}: ${stepName}`;
    const { id } = await this.#files.checkpoint({ description });
    return withMetadata(checkpoint, { file_checkpoint: id });
  }

  async #readAll(isWanted: (id: string) => boolean): Promise<Checkpoint[]> {
    const found: Checkpoint[] = [];
    for (const id of await this.persistence.listCheckpoints()) {
      const checkpoint = isWanted(id) ? await this.#read(id) : null;
      if (checkpoint !== null) found.push(checkpoint);
    }
    return found;
  }

  /** Null for one that is damaged, or was deleted meanwhile. */
  async #read(id: string): Promise<Checkpoint | null> {
    try {
      return await this.loadCheckpoint(id);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#problems.set(id, { id, error: error as SavepointError });
      return null;
    }
  }
}

/** Whether it says where its execution stands: no earlier attempt, and nothing that was rolled back. */
function isCurrent(checkpoint: Checkpoint): boolean {
  const { id, executionId, stepIndex, attempt, isRolledBack } = checkpoint;
  return !isRolledBack && id !== attemptId(executionId, stepIndex, attempt);
}

/** Of one step, in order: the latest goes by the step's own id, and may be kept by its number as well. */
function attemptsOf(ofStep: readonly Checkpoint[]): Checkpoint[] {
  const latest = ofStep.find((one) => one.id === checkpointId(one.executionId, one.stepIndex));
  const earlier = ofStep.filter((one) => one !== latest && one.attempt !== latest?.attempt);
  return [...earlier, ...(latest === undefined ? [] : [latest])].sort(
    (one, other) => one.attempt - other.attempt,
  );
}

function stateOf({ state, variables, context }: Checkpoint): object {
  return { state, variables, context };
}

function newest(checkpoints: readonly Checkpoint[]): number {
  return Math.max(...checkpoints.map(({ timestamp }) => timestamp.getTime()));
}

function display(executionId: string, steps: readonly Checkpoint[]): string {
  const last = steps.reduce((one, other) => (other.stepIndex > one.stepIndex ? other : one));
  return `Restore ${displayText(executionId)}\n  Step: ${displayText(last.stepName)}`;
}
