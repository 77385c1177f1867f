import { types } from 'node:util';
import { openChanges } from '../capture/capture.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { checkId, clipText } from '../model/check.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { PartId } from '../model/ids.ts';
import { selectedPath } from '../model/path.ts';
import { type IfStorable, type Snapshot, StateDraft, snapshotOf } from '../model/value/index.ts';
import { readSnapshot } from './execution-reader.ts';
import type { DraftWork, ExecutionSite } from './execution-site.ts';
import type { HeldExecution } from './lease.ts';
import { authorOfStep, RecordedFiles } from './recorded-files.ts';
import type { StepContext, StepOptions, StepWork } from './step-context.ts';
import { type ExecutionState, type StepLog, stepName } from './step-log.ts';
import { draftBegin, draftEnd, StepPacker, syncFiles } from './step-recording.ts';
import { rollBackAttempt } from './take-back-steps.ts';

export interface RunSettings {
  readonly acceptsChangedFiles: boolean;
  /** For the attempts that are unfinished when the execution is opened. */
  readonly includeShared?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An execution that this process holds. Steps run one after the other, each once. */
export class ExecutionRun<State = unknown> {
  readonly #site: ExecutionSite;
  readonly #settings: RunSettings;
  readonly #packer = new StepPacker();
  readonly #held: HeldExecution;
  readonly #beginning: Snapshot;
  readonly #log: StepLog<StepAttempt>;
  /** After the last step that was called; what the first one finds, before. */
  #current: Snapshot;
  /** The document with it, where that is known. */
  #root: PartId | null;
  /** The index of the step that is called next. */
  #next = 0;
  /** An attempt that failed and is not yet rolled back to its end: no other may begin before it is. */
  #unsettled: Failure | null = null;
  #isBusy = false;
  #isOver = false;

  constructor(
    site: ExecutionSite,
    held: HeldExecution,
    log: StepLog<StepAttempt>,
    beginning: Snapshot,
    settings: RunSettings,
  ) {
    this.#site = site;
    this.#held = held;
    this.#log = log;
    this.#beginning = beginning;
    this.#current = beginning;
    this.#root = log.live.length === 0 ? null : held.execution.root;
    this.#settings = settings;
  }

  get id(): string {
    return this.execution.id;
  }

  get execution(): Execution {
    return this.#held.execution;
  }

  /**
   * The state after the last step that this process has called, also where its result came back from the
   * record; before the first one, the state that the execution began with. Only steps change it: it is frozen.
   */
  get state(): State {
    return this.#now.state;
  }

  get variables(): Readonly<Record<string, unknown>> {
    return this.#now.variables;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#now.context;
  }

  get #now(): ExecutionState<State> {
    return this.#current.value as ExecutionState<State>;
  }

  /** How many steps succeeded so far, in this process or before. */
  get done(): number {
    return this.#log.live.length;
  }

  /**
   * Runs a step, unless it succeeded before: then its result comes back. It is a frozen copy, the first time as
   * later. When the step fails, or is cancelled, its changes of files are rolled back first; calling `step`
   * again tries it once more. A step is told by its place in the order of steps, and must have the same name
   * and key there each time.
   */
  step<Result>(name: string, work: StepWork<State, Result> & IfStorable<Result>): Promise<Result>;
  step<Result>(
    name: string,
    options: StepOptions,
    work: StepWork<State, Result> & IfStorable<Result>,
  ): Promise<Result>;
  async step(
    name: string,
    ...rest: [StepWork<State>] | [StepOptions, StepWork<State>]
  ): Promise<unknown> {
    const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest;
    checkId('name', name);
    if (typeof work !== 'function') {
      throw new SavepointError('argument-invalid', 'the work of a step must be a function', {
        hint: 'options stand before it: run.step(name, options, work)',
      });
    }
    const named = { name, key: keyOf(options) };
    if (this.#isBusy) {
      throw new SavepointError('execution-busy', 'another step of the execution is running');
    }
    this.#isBusy = true;
    try {
      const known = this.#log.live[this.#next];
      const result =
        known === undefined
          ? await this.#attempt(named, work, options)
          : await this.#recall(known, named);
      this.#next += 1;
      return result;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * The execution is over, and nobody has to go on with it. Throws `execution-diverged` where steps are on
   * record that this process has not called: its program has left them out.
   */
  async finish(): Promise<void> {
    this.#refuseUncalled();
    await this.#giveBack('finished');
  }

  /** Gives the execution back. Another process may go on with it. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#giveBack(this.execution.status);
    } catch (error) {
      // Somebody else has it by now, or the store was closed before.
      if (isSavepointError(error, 'execution-lost') || isSavepointError(error, 'store-closed'))
        return;
      throw error;
    }
  }

  /**
   * The store is about to be closed. A step that still runs keeps the execution: nobody may go on with it
   * before this process ends, or its lease.
   */
  async leave(): Promise<void> {
    if (this.#isBusy) this.#held.stopRenewing();
    else await this.close();
  }

  async #giveBack(status: Execution['status']): Promise<void> {
    if (this.#isBusy) {
      throw new SavepointError('execution-busy', 'a step of the execution is running', {
        hint: 'cancel it by its signal, or wait until it ends',
      });
    }
    await this.#held.giveBack(status);
    this.#isOver = true;
  }

  #refuseUncalled(): void {
    const uncalled = this.#log.live.slice(this.#next);
    const [first] = uncalled;
    if (first === undefined) return;
    const more = uncalled.length === 1 ? '' : ` and ${uncalled.length - 1} more`;
    const message = `step ${first.index} (${stepName(first)})${more} of ${this.id} is on record and was not called`;
    throw new SavepointError('execution-diverged', message, {
      hint: 'call the same steps each time, or roll the execution back to before that step',
      details: uncalled.map(({ index, name, key }) => ({ index, name, key })),
    });
  }

  async #recall(step: StepAttempt, called: Named): Promise<unknown> {
    if (step.name !== called.name || step.key !== called.key) {
      const [was, is] = [stepName(step), stepName(called)];
      const message = `step ${step.index} was ${was}, and the program calls ${is}`;
      throw new SavepointError('execution-diverged', message, {
        hint: 'fork the execution, or roll it back to before that step',
        details: { index: step.index, was, is },
      });
    }
    if (step.root === null) {
      throw new SavepointError('part-missing', `the result of step ${step.index} is lost`);
    }
    const { store } = this.#site;
    const result = step.result === null ? null : await readSnapshot(store, step.result);
    // Many steps leave the state as it is.
    if (step.root !== this.#root) this.#current = await readSnapshot(store, step.root);
    this.#root = step.root;
    return result?.value;
  }

  async #attempt(named: Named, work: StepWork<State>, options: StepOptions): Promise<unknown> {
    const signal = this.#signalOf(options);
    refuseAborted(signal);
    const writes = options.writes ?? null;
    for (const path of writes ?? []) selectedPath(this.#site.files.root, path);
    if (this.#unsettled !== null) await this.#fail(this.#unsettled);
    const step = await this.#begin({ ...named, writes });
    const attempt: Attempt = { step, isOver: false };
    const draft = new StateDraft(this.#current, {
      name: 'step',
      refuseChange: () => refuseOver(attempt),
      isProxy: types.isProxy,
    });
    try {
      const context = this.#contextOf(attempt, draft, signal);
      const result = await work(context);
      refuseAborted(signal);
      return await this.#succeed(attempt, () => takenFrom(draft, context, result));
    } catch (error) {
      await this.#failWith({ attempt, error, status: signal.aborted ? 'cancelled' : 'failed' });
      throw error;
    } finally {
      this.#log.put(attempt.step);
    }
  }

  #signalOf({ signal }: StepOptions): AbortSignal {
    const given = [signal, this.#settings.signal].filter((one) => one !== undefined);
    return given.length === 0 ? this.#held.lost : AbortSignal.any([...given, this.#held.lost]);
  }

  async #begin(made: Named & Pick<StepAttempt, 'writes'>): Promise<StepAttempt> {
    const index = this.#next;
    const attempt = this.#log.nextAttempt(index);
    const { status, root } = this.execution;
    const begin: DraftWork<StepAttempt> = (draft, now, coverage) => {
      // It may have been finished or cancelled: it goes on.
      this.#held.set({ status: 'open' });
      if (index === 0)
        this.#held.set({ root: this.#packer.packState(draft, this.#beginning.tree) });
      draft.steps.push(...this.#rolledBackForGood(index));
      const step = { ...made, index, attempt };
      return draftBegin(this.#site, draft, this.execution, step, { now, coverage });
    };
    try {
      return await this.#packer.storing(() => this.#held.record(begin));
    } catch (error) {
      this.#held.set({ status, root });
      throw error;
    }
  }

  /**
   * The execution goes on another way, so attempts that a rollback took back stay taken back. An undo then
   * restores their files only.
   */
  #rolledBackForGood(index: number): StepAttempt[] {
    return this.#log
      .attemptsFrom(index)
      .filter(({ status, rolledBackBy }) => status === 'success' || rolledBackBy !== null)
      .map((step) => ({ ...step, status: 'rolled-back', rolledBackBy: null }));
  }

  #contextOf(attempt: Attempt, draft: StateDraft, signal: AbortSignal): StepContext<State> {
    const { state, variables, context } = draft.value as ExecutionState<State>;
    const held = (): HeldExecution => {
      refuseOver(attempt);
      return this.#held;
    };
    const { executionId, index, name, attempt: number } = attempt.step;
    const earlier = this.#log.attemptsAt(index);
    return {
      state,
      variables,
      context,
      executionId,
      index,
      name,
      attempt: number,
      signal,
      files: new RecordedFiles(this.#site, held, attempt.step),
      earlierEffects: earlier.flatMap((step) => step.effects),
      effect: (description) => this.#declare(attempt, description),
      capture: (...paths) => this.#capture(attempt, paths),
    };
  }

  #declare(attempt: Attempt, description: string): Promise<void> {
    return this.#held.write(async (draft, now) => {
      refuseOver(attempt);
      const effect = { description: clipText(description), declaredAt: now };
      attempt.step = { ...attempt.step, effects: [...attempt.step.effects, effect] };
      draft.steps.push(attempt.step);
    });
  }

  #capture(attempt: Attempt, paths: readonly string[]): Promise<void> {
    return this.#held.write(async (draft, now) => {
      refuseOver(attempt);
      const { files } = this.#site;
      const named = paths.flatMap((path) => resolveNamed(files.root, path));
      const author = authorOfStep(this.execution, attempt.step, now);
      await openChanges(draft, files, named, { author, finds: this.#site.finds(now) });
    });
  }

  /**
   * State, result and the record of changed files, in one transaction, once those files are synced. Returns
   * the result as every later call of the step gets it.
   */
  async #succeed(attempt: Attempt, take: () => Taken): Promise<unknown> {
    let taken: Taken | undefined;
    const ended = await this.#packer.storing(() =>
      this.#held.record(async (draft, now, coverage) => {
        // Only once: what the step has put into its state may change behind our back.
        taken ??= take();
        attempt.isOver = true;
        const packed = {
          root: this.#packer.packState(draft, taken.state.tree),
          result: taken.result && this.#packer.packResult(draft, taken.result.tree),
        };
        const changed = await draftEnd(this.#site, draft, this.execution, { now, coverage });
        await syncFiles(this.#site, changed);
        const step = { ...attempt.step, ...packed, status: 'success', endedAt: now } as const;
        draft.steps.push(step);
        return { step, taken };
      }),
    );
    attempt.step = ended.step;
    this.#current = ended.taken.state;
    this.#root = ended.step.root;
    return ended.taken.result?.value;
  }

  /** An error on the way back is worse than the one that sent us there: it is thrown, with the other as cause. */
  async #failWith(failed: Failure): Promise<void> {
    try {
      await this.#fail(failed);
    } catch (failure) {
      if (failure instanceof Error) failure.cause ??= failed.error;
      throw failure;
    }
  }

  async #fail(failed: Failure): Promise<void> {
    const { attempt, error, status } = failed;
    // Another process has the execution: this one must not touch a file any more.
    if (isSavepointError(error, 'execution-lost') || this.#held.lost.aborted) return;
    this.#unsettled = failed;
    if (status === 'cancelled') this.#held.set({ status });
    attempt.step = await rollBackAttempt(this.#site, this.#held, {
      ended: (endedAt) => {
        attempt.isOver = true;
        return { ...attempt.step, status, error: clipText(textOf(error)), endedAt };
      },
      record: (work) => this.#held.record(work),
      acceptsChangedFiles: this.#settings.acceptsChangedFiles,
    });
    this.#unsettled = null;
  }
}

/** What a step leaves. */
interface Taken {
  readonly state: Snapshot;
  /** Null where it returned nothing. */
  readonly result: Snapshot | null;
}

function takenFrom(draft: StateDraft, context: ExecutionState, result: unknown): Taken {
  const { state: after, variables, context: own } = context;
  // The step may have put others in their places.
  Object.assign(draft.value as ExecutionState, { state: after, variables, context: own });
  const state = draft.snapshot();
  return {
    state,
    result: result === undefined ? null : snapshotOf(draft.treeOf(result, 'result')),
  };
}

/** One attempt as it is on record. */
interface Attempt {
  step: StepAttempt;
  /** Set under the project lock, so that calls which came before still belong to the attempt. */
  isOver: boolean;
}

/** Throws `step-over` for calls that a step did not wait for: its record is closed. */
function refuseOver({ step, isOver }: Attempt): void {
  if (!isOver) return;
  throw new SavepointError('step-over', `step ${step.index} (${stepName(step)}) is over`, {
    hint: 'wait, within a step, for all that it does',
  });
}

type Named = Pick<StepAttempt, 'name' | 'key'>;

function keyOf({ key }: StepOptions): string | null {
  if (key === undefined) return null;
  return checkId('key', Number.isSafeInteger(key) ? String(key) : key);
}

interface Failure {
  readonly attempt: Attempt;
  readonly error: unknown;
  readonly status: 'failed' | 'cancelled';
}

function refuseAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  if (isSavepointError(signal.reason)) throw signal.reason;
  throw new SavepointError('aborted', 'the step was cancelled', { cause: signal.reason });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
