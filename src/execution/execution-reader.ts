import { SavepointError } from '../model/errors.ts';
import type { Execution, ExecutionStatus, StepAttempt } from '../model/execution.ts';
import type { PartId } from '../model/ids.ts';
import { type Difference, differences } from '../model/value/differences.ts';
import { type Snapshot, snapshotOf } from '../model/value/index.ts';
import { findOperation } from '../store/find.ts';
import { assemble, assembleTree } from '../store/parts/assemble.ts';
import type { Store } from '../store/store.ts';
import { type Holder, holderOf, requireExecution } from './lease.ts';
import { BEGINNING, type ExecutionState, StepLog } from './step-log.ts';

/** An execution whose steps are on record. */
export interface ListedExecution extends Execution {
  readonly status: KeptStatus;
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
  readonly key: string | null;
  /** Of the newest attempt, which is the one that counts. */
  readonly status: StepAttempt['status'];
  readonly attempts: readonly StepAttempt[];
}

/** Answers questions about durable steps without looking at a file. Waits for nobody, and writes nothing. */
export class ExecutionReader {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /** Most recently updated first; those that were removed are left out. */
  async list(): Promise<ListedExecution[]> {
    const listed: ListedExecution[] = [];
    for (const execution of await this.#store.timeline.executions()) {
      if (execution.status === 'removed') continue;
      listed.push(this.#listed(execution, await readLog(this.#store, execution.id)));
    }
    return listed;
  }

  /** The one that was updated last; null where there is none. Reads no step. */
  async newest(): Promise<Execution | null> {
    return (await this.#store.timeline.executions())[0] ?? null;
  }

  /** Throws `execution-not-found` or `execution-removed`. */
  async show(id: string): Promise<{ execution: ListedExecution; steps: ShownStep[] }> {
    const execution = await requireExecution(this.#store, id);
    const log = await readLog(this.#store, id);
    const steps = [...log.steps].flatMap(([index, attempts]): ShownStep[] => {
      const newest = attempts.at(-1);
      if (newest === undefined) return [];
      const { name, key, status } = newest;
      return [{ index, name, key, status, attempts }];
    });
    return { execution: this.#listed(execution, log), steps };
  }

  /** State, variables and context after a step. Throws `step-not-found`. */
  async stateAt(id: string, index: number): Promise<ExecutionState> {
    return stateAfter(this.#store, (await readLog(this.#store, id)).at(index));
  }

  /** What a step returned. Throws `step-not-found`. */
  async resultOf(id: string, index: number): Promise<unknown> {
    const { result } = (await readLog(this.#store, id)).at(index);
    return result === null ? undefined : readValue(this.#store, result);
  }

  /** Where the state after one step differs from that after another; -1 is before the first. */
  async diff(id: string, from: number, to: number): Promise<Difference[]> {
    const nothing: ExecutionState = { state: undefined, variables: {}, context: {} };
    const stateOf = async (index: number) =>
      index === BEGINNING ? nothing : this.stateAt(id, index);
    return differences(await stateOf(from), await stateOf(to));
  }

  #listed(execution: Execution, { live, attempts }: StepLog<StepAttempt>): ListedExecution {
    const holder = holderOf(execution, this.#now());
    const status = execution.status as KeptStatus;
    return { ...execution, status, done: live.length, last: attempts.at(-1) ?? null, holder };
  }
}

type KeptStatus = Exclude<ExecutionStatus, 'removed'>;

/** The attempts of an execution. One that an operation takes back has the status `rolled-back`. */
export async function readLog(store: Store, executionId: string): Promise<StepLog<StepAttempt>> {
  const attempts: StepAttempt[] = [];
  for (const step of await store.timeline.steps(executionId)) {
    attempts.push((await isTakenBack(store, step)) ? { ...step, status: 'rolled-back' } : step);
  }
  return new StepLog(attempts);
}

/** An operation that never happened, or was undone, takes nothing back. */
async function isTakenBack(store: Store, { rolledBackBy }: StepAttempt): Promise<boolean> {
  return rolledBackBy !== null && ((await findOperation(store, rolledBackBy))?.inEffect ?? false);
}

async function readValue(store: Store, root: PartId): Promise<unknown> {
  return assemble(root, await store.documents.readParts(root));
}

/** The same as a value that nobody can change. */
export async function readSnapshot(store: Store, root: PartId): Promise<Snapshot> {
  return snapshotOf(assembleTree(root, await store.documents.readParts(root)));
}

/** The state that a step left. Throws `part-missing` where damage has removed it. */
async function stateAfter(store: Store, step: StepAttempt): Promise<ExecutionState> {
  if (step.root === null) {
    throw new SavepointError('part-missing', `the state after step ${step.index} is lost`);
  }
  return (await readValue(store, step.root)) as ExecutionState;
}
