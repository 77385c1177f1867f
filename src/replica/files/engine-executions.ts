import type { KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  displayText,
  type ExecutionState,
  type OperationId,
  type RewindPlan,
  type Savepoint,
} from '../../index.ts';

/** After a step; index -1 is before the first. */
export interface ExecutionPlace {
  readonly index: number;
  readonly name: string | null;
  /** Whether every step that succeeded is kept there: then only what was left half done goes. */
  readonly isLast: boolean;
}

/** What going to a place would do. */
export interface PlacePlan {
  /** Null where nothing is known beforehand. */
  readonly files: RewindPlan | null;
  /** What cannot be undone, as it was declared. */
  readonly effects: readonly string[];
  /** Does it, or throws and does nothing. Gives the paths that were restored, merged or deleted. */
  readonly run: () => Promise<readonly string[]>;
}

/** A list of prompts has room for so many; `savepoint executions` shows all. */
const NEWEST = 20;
const BEGINNING = -1;

/** Hears of files that were rewound, and of the operation that did it where there is one. */
type OnRewound = (paths: readonly string[], operationId: OperationId | null) => Promise<void>;

/** Executions on record in the project, of both kinds, and the way back into one. */
export class EngineExecutions {
  readonly #savepoint: Savepoint;
  readonly #onRewound: OnRewound;

  constructor(savepoint: Savepoint, onRewound: OnRewound) {
    this.#savepoint = savepoint;
    this.#onRewound = onRewound;
  }

  /** Most recently updated first; the newest of them. */
  async list(): Promise<readonly KnownExecution[]> {
    return (await (await this.#executions()).list()).slice(0, NEWEST);
  }

  /** Where it can go on from, the last step that succeeded first; empty where none did. */
  async places(execution: KnownExecution): Promise<readonly ExecutionPlace[]> {
    const steps = await (await this.#executions()).steps(execution);
    const done = steps.filter(({ status }) => status === 'success');
    const last = done.at(-1);
    const places = done.toReversed().map((step) => {
      return { index: step.index, name: step.name, isLast: step === last };
    });
    // A program that keeps checkpoints goes on from its last success, and from nowhere else.
    if (execution.kind === 'checkpoints') return places.slice(0, 1);
    return [...places, { index: BEGINNING, name: null, isLast: last === undefined }];
  }

  /** What going there would do. Writes nothing but what a scan finds. */
  async plan(execution: KnownExecution, { index: to, isLast }: ExecutionPlace): Promise<PlacePlan> {
    await this.#savepoint.scanAgain();
    if (execution.kind === 'steps' && isLast) {
      return { files: null, effects: [], run: () => this.#resume(execution) };
    }
    const executions = await this.#executions();
    const plan = await executions.planRollback(execution, { to });
    const effects = plan.effects.map(({ description }) => description);
    const run = async (): Promise<string[]> => {
      // A person who goes ahead has seen the effects.
      const receipt = await executions.applyRollback(execution, plan, { acceptEffects: true });
      const { operationId, restoredFiles, deletedFiles, mergedFiles } = receipt;
      const files = [...restoredFiles, ...deletedFiles, ...mergedFiles];
      await this.#onRewound(files, operationId);
      return files;
    };
    return { files: plan.files, effects, run };
  }

  /** Where an execution stands after a step; null before its first. */
  async stateAt(
    execution: KnownExecution,
    { index }: ExecutionPlace,
  ): Promise<ExecutionState | null> {
    return index === BEGINNING ? null : (await this.#executions()).stateAt(execution, index);
  }

  /** Opening an execution rolls back unfinished attempts, and stops where files are not as its steps left them. */
  async #resume({ id }: KnownExecution): Promise<string[]> {
    const before = new Set((await this.#savepoint.operations()).map((one) => one.id));
    await (await this.#savepoint.execution(id, { create: false })).close();
    const made = (await this.#savepoint.operations()).filter((one) => !before.has(one.id));
    const changes = await Promise.all(
      made.map((one) => this.#savepoint.changes({ operationId: one.id })),
    );
    const files = [...new Set(changes.flat().map(({ path }) => path))];
    await this.#onRewound(files, null);
    return files;
  }

  /** Loaded when somebody looks for executions. */
  async #executions(): Promise<ProjectExecutions> {
    const { ProjectExecutions } = await import('../../execution/index.ts');
    return ProjectExecutions.of(this.#savepoint);
  }
}

/** An execution in a list: an id unlike that of any other entry; which it is, and below it its last step. */
export function executionItem({ id, kind, last }: KnownExecution): { id: string; text: string } {
  const step = last === null ? '' : `\n  Step: ${displayText(last.name)}`;
  return { id: `execution/${kind}/${id}`, text: `Restore ${displayText(id)}${step}` };
}
