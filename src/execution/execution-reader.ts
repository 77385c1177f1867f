import type { Execution, StepAttempt } from '../model/execution.ts';
import { type Difference, differences } from '../model/value/differences.ts';
import type { Store } from '../store/store.ts';
import { type Holder, holderOf, notFound } from './lease.ts';
import {
  type ExecutionState,
  isRolledBack,
  readLog,
  readValue,
  type StepLog,
  stateAfter,
} from './step-log.ts';

export interface ListedExecution extends Execution {
  /** How many steps succeeded and were not rolled back. */
  readonly done: number;
  /** The newest attempt at the last step that was begun; null where none was. */
  readonly last: StepAttempt | null;
  /** The process that goes on with it at this moment. */
  readonly holder: Holder | null;
}

export interface ShownStep {
  readonly index: number;
  readonly name: string;
  /** Of the attempt that counts: the one that succeeded, else the newest. */
  readonly status: StepAttempt['status'];
  readonly attempts: readonly StepAttempt[];
}

/** What can be asked of executions without looking at a file. Waits for nobody, and writes nothing. */
export class ExecutionReader {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /** Most recently updated first. */
  async list(): Promise<ListedExecution[]> {
    const listed: ListedExecution[] = [];
    for (const execution of await this.#store.executions()) {
      listed.push(await this.#listed(execution));
    }
    return listed;
  }

  /** Throws `execution-not-found`. */
  async show(id: string): Promise<{ execution: ListedExecution; steps: ShownStep[] }> {
    const execution = await this.#store.execution(id);
    if (execution === null) throw notFound(id);
    const log = await this.#log(id);
    const byIndex = Map.groupBy(log.attempts, (step) => step.index);
    const steps: ShownStep[] = [];
    for (const [index, made] of [...byIndex].sort(([a], [b]) => a - b)) {
      const attempts = await Promise.all(made.map((step) => this.#asItStands(step)));
      const live = log.live[index]?.attempt;
      const counts = attempts.find(({ attempt }) => attempt === live) ?? attempts.at(-1);
      if (counts === undefined) continue;
      steps.push({ index, name: counts.name, status: counts.status, attempts });
    }
    return { execution: await this.#listed(execution), steps };
  }

  /** State, variables and context after a step. Throws `step-not-found`. */
  async stateAt(id: string, index: number): Promise<ExecutionState> {
    return stateAfter(this.#store, (await this.#log(id)).at(index));
  }

  /** What a step returned. Throws `step-not-found`. */
  async resultOf(id: string, index: number): Promise<unknown> {
    const { result } = (await this.#log(id)).at(index);
    return result === null ? undefined : readValue(this.#store, result);
  }

  /** Where the state after one step differs from that after another; -1 is before the first. */
  async diff(id: string, from: number, to: number): Promise<Difference[]> {
    const nothing: ExecutionState = { state: undefined, variables: {}, context: {} };
    const stateOf = async (index: number) => (index === -1 ? nothing : this.stateAt(id, index));
    return differences(await stateOf(from), await stateOf(to));
  }

  async #asItStands(step: StepAttempt): Promise<StepAttempt> {
    return (await isRolledBack(this.#store, step)) ? { ...step, status: 'rolled-back' } : step;
  }

  async #listed(execution: Execution): Promise<ListedExecution> {
    const { live, attempts } = await readLog(this.#store, execution.id);
    const holder = holderOf(execution, this.#now());
    return { ...execution, done: live.length, last: attempts.at(-1) ?? null, holder };
  }

  #log(id: string): Promise<StepLog> {
    return readLog(this.#store, id);
  }
}
