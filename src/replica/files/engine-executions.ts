import type { ExecutionKind, KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  displayText,
  type ExecutionState,
  type OperationId,
  type Receipt,
  type RewindPlan,
  type Savepoint,
} from '../../index.ts';

export interface AgentExecution {
  /** Unlike the key of any other entry of a list. */
  readonly key: string;
  readonly id: string;
  readonly kind: ExecutionKind;
  /** For a list: which, and below it the last step that was begun. */
  readonly text: string;
}

/** After a step; index -1 is before the first. */
export interface ExecutionPlace {
  readonly execution: AgentExecution;
  readonly index: number;
  readonly name: string | null;
  /** Whether every step that succeeded is kept there: then only what was left half done goes. */
  readonly isLast: boolean;
}

export interface PlacePlan {
  readonly place: ExecutionPlace;
  /** Null where nothing is known beforehand, or no files go with it. */
  readonly files: RewindPlan | null;
  /** What cannot be undone, as it was declared. */
  readonly effects: readonly string[];
  /** Carries it out. */
  readonly run: () => Promise<readonly string[]>;
}

export interface WentBack {
  /** Paths that were restored, merged or deleted. */
  readonly files: readonly string[];
  /** Where the execution stands now; null before its first step. */
  readonly state: ExecutionState | null;
}

/** A list of prompts has room for so many; `savepoint executions` shows all. */
const NEWEST = 20;

/** Executions on record in the project, of both kinds, and the way back into one. */
export class EngineExecutions {
  readonly #savepoint: Savepoint;
  readonly #remember: (paths: readonly string[]) => Promise<void>;
  readonly #onOperation: (id: OperationId) => void;

  /** `remember` hears of every file that is rewound, `onOperation` of the operations that did it. */
  constructor(
    savepoint: Savepoint,
    remember: (paths: readonly string[]) => Promise<void>,
    onOperation: (id: OperationId) => void,
  ) {
    this.#savepoint = savepoint;
    this.#remember = remember;
    this.#onOperation = onOperation;
  }

  /** Most recently updated first; the newest of them. */
  async list(): Promise<readonly AgentExecution[]> {
    const known = await (await this.#executions()).list();
    return known.slice(0, NEWEST).map(agentExecution);
  }

  /** Where it can go on from, the last step that succeeded first; empty where none did. */
  async places(execution: AgentExecution): Promise<readonly ExecutionPlace[]> {
    const steps = await (await this.#executions()).steps(execution);
    const done = steps.filter(({ status }) => status === 'success');
    const last = done.at(-1);
    const places = done.toReversed().map((step) => {
      return { execution, index: step.index, name: step.name, isLast: step === last };
    });
    // A program that keeps checkpoints goes on from its last success, and from nowhere else.
    if (execution.kind === 'checkpoints') return places.slice(0, 1);
    return [...places, { execution, index: BEGINNING, name: null, isLast: last === undefined }];
  }

  /** What going there would do. Writes nothing but what a scan finds. */
  async plan(place: ExecutionPlace): Promise<PlacePlan> {
    await this.#savepoint.scanAgain();
    const { kind } = place.execution;
    return kind === 'steps' && place.isLast ? this.#planResume(place) : this.#planRollback(place);
  }

  /** Takes files and steps back as planned, or throws and does nothing. */
  async goBack({ place, run }: PlacePlan): Promise<WentBack> {
    const files = await run();
    await this.#remember(files);
    const executions = await this.#executions();
    const { execution, index } = place;
    return {
      files,
      state: index === BEGINNING ? null : await executions.stateAt(execution, index),
    };
  }

  /** Opening an execution rolls back unfinished attempts, and stops where files are not as its steps left them. */
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
    const { execution, index: to } = place;
    const executions = await this.#executions();
    const plan = await executions.planRollback(execution, { to });
    const run = async (): Promise<string[]> =>
      // A person who goes ahead has seen the effects.
      this.#touched(await executions.applyRollback(execution, plan, { acceptEffects: true }));
    const effects = plan.effects.map(({ description }) => description);
    return { place, files: plan.files, effects, run };
  }

  #touched({ operationId, restoredFiles, deletedFiles, mergedFiles }: Receipt): string[] {
    if (operationId !== null) this.#onOperation(operationId);
    return [...restoredFiles, ...deletedFiles, ...mergedFiles];
  }

  /** Loaded when somebody looks for executions. */
  async #executions(): Promise<ProjectExecutions> {
    const { ProjectExecutions } = await import('../../execution/index.ts');
    return ProjectExecutions.of(this.#savepoint);
  }
}

const BEGINNING = -1;

function agentExecution({ id, kind, last }: KnownExecution): AgentExecution {
  const step = last === null ? '' : `\n  Step: ${displayText(last.name)}`;
  return { key: `execution/${kind}/${id}`, id, kind, text: `Restore ${displayText(id)}${step}` };
}
