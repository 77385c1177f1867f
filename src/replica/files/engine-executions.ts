import type { KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import { displayText, type OperationId, type Receipt, type Savepoint } from '../../index.ts';
import type {
  AgentExecution,
  AgentExecutions,
  ExecutionPlace,
  PlacePlan,
  WentBack,
} from './agent-files.ts';

/** A list of prompts has room for so many; `savepoint executions` shows all. */
const NEWEST = 20;

/** Executions of both kinds over the engine. */
export class EngineExecutions implements AgentExecutions {
  readonly #savepoint: Savepoint;
  readonly #remember: (paths: readonly string[]) => void;
  readonly #onOperation: (id: OperationId) => void;

  /** `remember` hears of every file that is rewound, `onOperation` of the operations that did it. */
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
    const known = await (await this.#executions()).list();
    return known.slice(0, NEWEST).map(agentExecution);
  }

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

  async plan(place: ExecutionPlace): Promise<PlacePlan> {
    await this.#savepoint.scanAgain();
    const { kind } = place.execution;
    return kind === 'steps' && place.isLast ? this.#planResume(place) : this.#planRollback(place);
  }

  async goBack({ place, run }: PlacePlan): Promise<WentBack> {
    const files = await run();
    this.#remember(files);
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
