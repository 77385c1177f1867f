import type {
  Checkpoint,
  ExecutionCheckpoints,
  ExecutionRecovery,
  KnownExecution,
} from '../../execution/index.ts';
import {
  displayText,
  type ExecutionReader,
  type OperationId,
  type Receipt,
  type Savepoint,
  SavepointError,
} from '../../index.ts';
import type {
  AgentExecution,
  AgentExecutions,
  ExecutionPlace,
  PlacePlan,
  WentBack,
} from './agent-files.ts';

/** What a list of prompts has room for; `savepoint executions` has all. */
const NEWEST = 20;

interface Parts {
  readonly reader: ExecutionReader;
  readonly checkpoints: ExecutionCheckpoints;
  readonly recovery: (withFiles: boolean) => ExecutionRecovery;
}

/** Executions of both kinds over the engine. */
export class EngineExecutions implements AgentExecutions {
  readonly #savepoint: Savepoint;
  readonly #remember: (paths: readonly string[]) => void;
  readonly #onOperation: (id: OperationId) => void;

  /** `remember` hears of every file that is rewound, `onOperation` of what rewound them. */
  constructor(
    savepoint: Savepoint,
    remember: (paths: readonly string[]) => void,
    onOperation: (id: OperationId) => void,
  ) {
    this.#savepoint = savepoint;
    this.#remember = remember;
    this.#onOperation = onOperation;
  }

  async list(): Promise<readonly AgentExecution[]> {
    const { knownExecutions } = await import('../../execution/index.ts');
    const { reader, checkpoints } = await this.#parts();
    const known = await knownExecutions(reader, checkpoints);
    return known.slice(0, NEWEST).map(agentExecution);
  }

  async places(execution: AgentExecution): Promise<readonly ExecutionPlace[]> {
    const { reader, checkpoints } = await this.#parts();
    if (execution.kind === 'checkpoints') {
      const last = await checkpoints.getLastSuccessfulCheckpoint(execution.id);
      if (last === null) return [];
      return [{ execution, index: last.stepIndex, name: last.stepName, isLast: true }];
    }
    const { execution: found, steps } = await reader.show(execution.id);
    const done = steps.filter(({ index }) => index < found.done).toReversed();
    const last = found.done - 1;
    const places = done.map(({ index, name }) => ({
      execution,
      index,
      name,
      isLast: index === last,
    }));
    return [...places, { execution, index: BEGINNING, name: null, isLast: last === BEGINNING }];
  }

  async plan(place: ExecutionPlace): Promise<PlacePlan> {
    await this.#savepoint.scanAgain();
    if (place.execution.kind === 'checkpoints') return this.#planCheckpoint(place);
    return place.isLast ? this.#planResume(place) : this.#planRollback(place);
  }

  async goBack({ place, run }: PlacePlan): Promise<WentBack> {
    const files = await run();
    this.#remember(files);
    return { files, state: await this.#stateAt(place) };
  }

  /** Opening an execution takes back what is left half done, and compares files with what steps left. */
  #planResume(place: ExecutionPlace): PlacePlan {
    const run = async (): Promise<string[]> => {
      const before = new Set((await this.#savepoint.operations()).map(({ id }) => id));
      const open = await this.#savepoint.execution(place.execution.id, { create: false });
      await open.close();
      const made = (await this.#savepoint.operations()).filter(({ id }) => !before.has(id));
      const changes = await Promise.all(
        made.map(({ id }) => this.#savepoint.changes({ operationId: id })),
      );
      return [...new Set(changes.flat().map(({ path }) => path))];
    };
    return { place, files: null, effects: [], run };
  }

  async #planRollback(place: ExecutionPlace): Promise<PlacePlan> {
    const plan = await this.#savepoint.planRollback(place.execution.id, { to: place.index });
    const run = async (): Promise<string[]> =>
      // Who goes ahead has seen them.
      this.#touched(await this.#savepoint.applyRollback(plan, { acceptEffects: true }));
    const effects = plan.effects.map(({ description }) => description);
    return { place, files: plan.files, effects, run };
  }

  async #planCheckpoint(place: ExecutionPlace): Promise<PlacePlan> {
    const { recovery } = await this.#parts();
    const checkpoint = await this.#checkpointAt(place);
    const back = recovery(checkpoint.metadata.file_checkpoint !== undefined);
    const { files } = await back.planRollback(checkpoint.id);
    const run = async (): Promise<string[]> => {
      const { success, output, error } = await back.rollbackToCheckpoint(checkpoint.id, {
        plan: files,
      });
      if (!success) throw new SavepointError('restore-failed', error ?? 'it was not taken back');
      return this.#touched(output?.receipt ?? null);
    };
    return { place, files, effects: [], run };
  }

  async #stateAt(place: ExecutionPlace): Promise<WentBack['state']> {
    const { execution, index } = place;
    if (index === BEGINNING) return null;
    const { reader, recovery } = await this.#parts();
    if (execution.kind === 'steps') return reader.stateAt(execution.id, index);
    let restored: Checkpoint | null = null;
    const agent = {
      restoreStateFromCheckpoint: (checkpoint: Checkpoint) => {
        restored = checkpoint;
      },
    };
    const { id } = await this.#checkpointAt(place);
    const { success, error } = await recovery(false).resumeFromCheckpoint(id, agent);
    if (!success) throw new SavepointError('restore-failed', error ?? 'it was not restored');
    return restored;
  }

  async #checkpointAt({ execution, index }: ExecutionPlace): Promise<Checkpoint> {
    const { checkpoints } = await this.#parts();
    const kept = await checkpoints.listCheckpoints(execution.id);
    const found = kept.find(({ stepIndex }) => stepIndex === index);
    if (found !== undefined) return found;
    throw new SavepointError('step-not-found', `step ${index} of ${execution.id} is gone`);
  }

  #touched(receipt: Receipt | null): string[] {
    if (receipt === null) return [];
    if (receipt.operationId !== null) this.#onOperation(receipt.operationId);
    return [...receipt.restoredFiles, ...receipt.deletedFiles, ...receipt.mergedFiles];
  }

  /** Loaded when somebody looks for executions. */
  async #parts(): Promise<Parts> {
    const savepoint = this.#savepoint;
    const { ExecutionCheckpoints, ExecutionRecovery, PersistenceManager } = await import(
      '../../execution/index.ts'
    );
    const persistence = new PersistenceManager(await savepoint.storage());
    const checkpoints = new ExecutionCheckpoints(persistence, { files: savepoint });
    return {
      reader: await savepoint.executions(),
      checkpoints,
      recovery: (withFiles) =>
        new ExecutionRecovery({ checkpoints, ...(withFiles ? { savepoint } : {}) }),
    };
  }
}

const BEGINNING = -1;

function agentExecution({ id, kind, last }: KnownExecution): AgentExecution {
  const step = last === null ? '' : `\n  Step: ${displayText(last.name)}`;
  return { key: `execution/${kind}/${id}`, id, kind, text: `Restore ${displayText(id)}${step}` };
}
