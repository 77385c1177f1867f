import { displayText } from '../model/display.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import { type Difference, differences } from '../model/value/differences.ts';
import {
  attemptId,
  attemptOf,
  Checkpoint,
  checkpointId,
  isAttemptAt,
  mayBeOf,
  type NewCheckpoint,
  newCheckpoint,
  withMetadata,
} from './checkpoint.ts';
import type { ExecutionFiles } from './execution-site.ts';
import type { PersistenceManager } from './persistence-manager.ts';
import { BEGINNING, type RecordedAttempt, StepLog } from './step-log.ts';

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

/** An attempt at a step whose record is a checkpoint. */
interface KeptAttempt extends RecordedAttempt {
  readonly checkpoint: Checkpoint;
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
    // Copies the values before it waits for anything: the caller may go on changing them.
    const checkpoint = newCheckpoint(request, new Date(this.#now()));
    if (this.#files === undefined) return saveAttempt(this.persistence, checkpoint);
    const { executionId, stepIndex, stepName } = checkpoint;
    const description = `${executionId}, step ${stepIndex}: ${stepName}`;
    const { id } = await this.#files.checkpoint({ description });
    const withFiles = withMetadata(checkpoint, { file_checkpoint: id });
    return saveAttempt(this.persistence, withFiles);
  }

  /** Null where there is none. Throws `document-corrupt` or `checkpoint-invalid` for a damaged one. */
  async loadCheckpoint(id: string): Promise<Checkpoint | null> {
    const data = await this.persistence.loadCheckpoint(id);
    return data === null ? null : Checkpoint.fromDict(data);
  }

  /** The latest attempt at each step of an execution that was not rolled back, in order. */
  async listCheckpoints(executionId: string): Promise<Checkpoint[]> {
    return (await this.#log(executionId)).current.map(({ checkpoint }) => checkpoint);
  }

  /** The same for every execution, by its id. An execution that was rolled back as a whole is left out. */
  async listExecutions(): Promise<Map<string, Checkpoint[]>> {
    const all = Map.groupBy(await this.#readAll(() => true), ({ executionId }) => executionId);
    const executions = new Map<string, Checkpoint[]>();
    for (const [id, kept] of all) {
      const current = logOf(kept).current.map(({ checkpoint }) => checkpoint);
      if (current.length > 0) executions.set(id, current);
    }
    return executions;
  }

  /** Every attempt at a step, in order. The last one goes by the step's own id. */
  async listAttempts(executionId: string, stepIndex: number): Promise<Checkpoint[]> {
    const latest = checkpointId(executionId, stepIndex);
    const isWanted = (id: string): boolean => id === latest || isAttemptAt(latest, id);
    const { steps } = await this.#log(executionId, isWanted);
    return (steps.get(stepIndex) ?? []).map(({ checkpoint }) => checkpoint);
  }

  /** Every attempt at every step of an execution, also those that were rolled back, by the step's index. */
  async listSteps(executionId: string): Promise<Map<number, Checkpoint[]>> {
    const { steps } = await this.#log(executionId);
    return new Map(
      [...steps].map(([index, kept]) => [index, kept.map(({ checkpoint }) => checkpoint)]),
    );
  }

  /** Where state, variables and context after one step differ from those after another; -1: before all. */
  async diff(executionId: string, from: number, to: number): Promise<Difference[]> {
    const checkpoints = await this.listCheckpoints(executionId);
    const stateAt = (index: number): object => {
      const found = checkpoints.find(({ stepIndex }) => stepIndex === index);
      if (found === undefined && index !== BEGINNING) {
        throw new SavepointError('step-not-found', `there is no step ${index} on record`);
      }
      const { state = {}, variables = {}, context = {} } = found ?? {};
      return { state, variables, context };
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
    return (await this.#log(executionId)).lastSuccess(beforeStep)?.checkpoint ?? null;
  }

  /** For a list to choose from: each execution's id, and two lines on where it stands. Newest first. */
  async getFormattedCheckpointHistory(): Promise<[executionId: string, display: string][]> {
    const newest = (steps: readonly Checkpoint[]): number =>
      Math.max(...steps.map(({ timestamp }) => timestamp.getTime()));
    return [...(await this.listExecutions())]
      .sort(([one, its], [other, others]) => newest(others) - newest(its) || (one < other ? 1 : -1))
      .map(([id, steps]) => {
        const step = displayText(steps.at(-1)?.stepName ?? '');
        return [id, `Restore ${displayText(id)}\n  Step: ${step}`];
      });
  }

  /** Checkpoints that were passed over because they are damaged. Each is reported once. */
  problems(): CheckpointProblem[] {
    const problems = [...this.#problems.values()];
    this.#problems.clear();
    return problems;
  }

  async #log(
    executionId: string,
    isWanted = (id: string) => mayBeOf(executionId, id),
  ): Promise<StepLog<KeptAttempt>> {
    const all = await this.#readAll(isWanted);
    return logOf(all.filter((checkpoint) => checkpoint.executionId === executionId));
  }

  async #readAll(isWanted: (id: string) => boolean): Promise<Checkpoint[]> {
    const found: Checkpoint[] = [];
    for (const id of (await this.persistence.listCheckpoints()).filter(isWanted)) {
      const report = (error: SavepointError) => this.#problems.set(id, { id, error });
      const checkpoint = await readOrNull(this.persistence, id, report);
      if (checkpoint !== null) found.push(checkpoint);
    }
    return found;
  }
}

/** The latest attempt is stored twice, under the step's own id and under its number: the first one counts. */
function logOf(checkpoints: readonly Checkpoint[]): StepLog<KeptAttempt> {
  const attempts = new Map<string, KeptAttempt>();
  for (const checkpoint of checkpoints) {
    const { id, executionId, stepIndex, attempt } = checkpoint;
    const number = `${stepIndex}.${attempt}`;
    if (attempts.has(number) && id !== checkpointId(executionId, stepIndex)) continue;
    attempts.set(number, { ...attemptOf(checkpoint), checkpoint });
  }
  return new StepLog([...attempts.values()]);
}

/**
 * Keeps a checkpoint as the latest attempt at its step, beside every earlier one. An attempt number belongs
 * to the process that saves it first, so two that come at once lose nothing.
 */
export async function saveAttempt(
  persistence: PersistenceManager,
  checkpoint: Checkpoint,
): Promise<Checkpoint> {
  if (await saveIfNew(persistence, checkpoint)) return checkpoint;
  const latest = await readOrNull(persistence, checkpoint.id);
  // The first attempt gets a document of its own only now that there is a second one.
  if (latest?.attempt === 1) {
    await saveIfNew(persistence, withMetadata(latest, {}, attemptId(latest, 1)));
  }
  let attempt = (latest?.attempt ?? 1) + 1;
  while (!(await saveIfNew(persistence, numbered(checkpoint, attempt)))) attempt += 1;
  const saved = withMetadata(checkpoint, { attempt });
  await persistence.saveCheckpoint(saved.toDict());
  await keepNewest(persistence, saved);
  return saved;
}

/** Another process may have saved a later attempt meanwhile, which ours replaced as the latest. */
async function keepNewest(persistence: PersistenceManager, saved: Checkpoint): Promise<void> {
  for (let attempt = saved.attempt + 1; ; attempt += 1) {
    const later = await readOrNull(persistence, attemptId(saved, attempt));
    if (later === null) return;
    await persistence.saveCheckpoint(withMetadata(later, {}, saved.id).toDict());
  }
}

/** Marks steps as rolled back. They are kept, and their next attempts count on from them. */
export async function setAside(
  persistence: PersistenceManager,
  checkpoints: readonly Checkpoint[],
  rolled_back: object,
): Promise<void> {
  // From the end: after a crash in between, no step is missing before one that counts.
  for (const checkpoint of checkpoints.toReversed()) {
    const marked = withMetadata(checkpoint, { rolled_back });
    const { attempt } = marked;
    // The copy under its number counts where the latest one is damaged, so it is marked too.
    if (attempt > 1) await persistence.saveCheckpoint(numbered(marked, attempt).toDict());
    await persistence.saveCheckpoint(marked.toDict());
  }
}

/** An attempt as it is kept under its number, beside the latest one. */
function numbered(checkpoint: Checkpoint, attempt: number): Checkpoint {
  return withMetadata(checkpoint, { attempt }, attemptId(checkpoint, attempt));
}

/** False, and nothing is saved, where the id is taken. */
async function saveIfNew(
  persistence: PersistenceManager,
  checkpoint: Checkpoint,
): Promise<boolean> {
  try {
    await persistence.saveCheckpoint(checkpoint.toDict(), { onlyNew: true });
    return true;
  } catch (error) {
    if (isSavepointError(error, 'document-exists')) return false;
    throw error;
  }
}

/** Null for a checkpoint that is damaged, which `report` hears of, or that was deleted meanwhile. */
async function readOrNull(
  persistence: PersistenceManager,
  id: string,
  report: (error: SavepointError) => void = () => undefined,
): Promise<Checkpoint | null> {
  try {
    const data = await persistence.loadCheckpoint(id);
    return data === null ? null : Checkpoint.fromDict(data);
  } catch (error) {
    const codes = ['document-corrupt', 'checkpoint-invalid'] as const;
    if (!codes.some((code) => isSavepointError(error, code))) throw error;
    report(error as SavepointError);
    return null;
  }
}
