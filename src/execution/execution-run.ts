import { openChanges } from '../capture/capture.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { checkId, clipText } from '../model/check.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { selectedPath } from '../model/path.ts';
import { readValue, rereadStep, stateAfter } from './execution-reader.ts';
import type { ExecutionSite } from './execution-site.ts';
import { HeldExecution } from './lease.ts';
import { authorOfStep, RecordedFiles } from './recorded-files.ts';
import { Attempt, StepContext } from './step-context.ts';
import type { ExecutionState, StepLog } from './step-log.ts';
import { draftBegin, draftEnd, StepPacker, syncFiles } from './step-recording.ts';
import { filesChanged, restoreAttempt } from './take-back-steps.ts';

export interface StepOptions {
  /** Cancels the step: its changes are rolled back. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Where commands of the step write. After a kill, or beside another execution, nobody can tell who wrote
   * a file that no tool named: below these paths it was the step, elsewhere somebody else. Left out, such a
   * file stays as it is, and the execution stops with `execution-files-changed` and names it.
   */
  readonly writes?: readonly string[] | undefined;
}

export interface RunSettings {
  readonly leaseMs: number;
  readonly acceptsChangedFiles: boolean;
  readonly signal?: AbortSignal | undefined;
  /** What the first step finds. Made anew each time, because an attempt may have changed the last one. */
  readonly initial: () => ExecutionState;
}

/** An execution that this process holds. Steps run one after the other, each once. */
export class ExecutionRun {
  readonly #site: ExecutionSite;
  readonly #settings: RunSettings;
  readonly #packer = new StepPacker();
  readonly #held: HeldExecution;
  #log: StepLog<StepAttempt>;
  #current: ExecutionState;
  #next = 0;
  /** An attempt that failed and is not yet rolled back to its end: no other may begin before it is. */
  #unsettled: Failure | null = null;
  #isBusy = false;
  #isOver = false;

  constructor(
    site: ExecutionSite,
    execution: Execution,
    log: StepLog<StepAttempt>,
    current: ExecutionState,
    settings: RunSettings,
  ) {
    this.#site = site;
    this.#held = new HeldExecution(site, execution, settings.leaseMs);
    this.#log = log;
    this.#current = current;
    this.#settings = settings;
  }

  get id(): string {
    return this.execution.id;
  }

  get execution(): Execution {
    return this.#held.execution;
  }

  /** The state after the last step that succeeded, in this process or before. Only steps change it. */
  get state(): unknown {
    return this.#current.state;
  }

  get variables(): Readonly<Record<string, unknown>> {
    return this.#current.variables;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#current.context;
  }

  /** How many steps succeeded so far, in this process or before. */
  get done(): number {
    return this.#log.live.length;
  }

  /**
   * Runs a step, unless it succeeded before: then its result comes back. When it fails, or is cancelled,
   * its changes of files are rolled back first; calling `step` again tries it once more.
   */
  async step<Result, State = unknown>(
    name: string,
    work: (context: StepContext<State>) => Promise<Result> | Result,
    options: StepOptions = {},
  ): Promise<Result> {
    checkId('name', name);
    if (this.#isBusy) {
      throw new SavepointError('execution-busy', 'another step of the execution is running');
    }
    this.#isBusy = true;
    try {
      const known = this.#log.live[this.#next];
      const result =
        known === undefined
          ? await this.#attempt(name, work as Work, options)
          : await this.#recall(known, name);
      this.#next += 1;
      return result as Result;
    } finally {
      this.#isBusy = false;
    }
  }

  /** The execution is over, and nobody has to go on with it. */
  async finish(): Promise<void> {
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
    if (this.#isBusy) this.#held.keepSilent();
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

  async #recall(step: StepAttempt, name: string): Promise<unknown> {
    if (step.name !== name) {
      throw new SavepointError(
        'execution-diverged',
        `step ${step.index} was ${step.name}, not ${name}`,
        {
          hint: 'fork the execution, or roll it back to before that step',
          details: { index: step.index, was: step.name, is: name },
        },
      );
    }
    if (step.result !== null) return readValue(this.#site.store, step.result);
    // A step that returned nothing still has a state. One without either lost its result to damage.
    if (step.root !== null) return undefined;
    throw new SavepointError('part-missing', `the result of step ${step.index} is lost`);
  }

  async #attempt(name: string, work: Work, options: StepOptions): Promise<unknown> {
    const signal = this.#signalOf(options);
    refuseAborted(signal);
    const writes = options.writes ?? null;
    for (const path of writes ?? []) selectedPath(this.#site.files.root, path);
    if (this.#unsettled !== null) await this.#fail(this.#unsettled);
    const step = await this.#begin({ name, writes });
    const attempt = new Attempt(step);
    try {
      const context = this.#contextOf(attempt, signal);
      const result = await work(context);
      refuseAborted(signal);
      await this.#succeed(attempt, context, result);
      return result;
    } catch (error) {
      await this.#failWith({ attempt, error, status: signal.aborted ? 'cancelled' : 'failed' });
      throw error;
    } finally {
      this.#log = await rereadStep(this.#site.store, this.id, this.#log, step.index).catch(
        () => this.#log,
      );
    }
  }

  #signalOf({ signal }: StepOptions): AbortSignal {
    const given = [signal, this.#settings.signal].filter((one) => one !== undefined);
    return AbortSignal.any([...given, this.#held.lost]);
  }

  async #begin(made: Pick<StepAttempt, 'name' | 'writes'>): Promise<StepAttempt> {
    const index = this.#next;
    const attempt = this.#log.nextAttempt(index);
    // It may have been finished or cancelled: it goes on.
    this.#held.turn('open');
    return this.#held.record((draft, now, coverage) => {
      draft.steps.push(...this.#passed(index));
      const step = { ...made, index, attempt };
      return draftBegin(this.#site, draft, this.execution, step, { now, coverage });
    });
  }

  /** Steps that were rolled back are so for good now: an undo brings their files again, but not them. */
  #passed(index: number): StepAttempt[] {
    return this.#log.attempts
      .filter(({ index: at, status, rolledBackBy }) => {
        return at >= index && (status === 'success' || rolledBackBy !== null);
      })
      .map((step) => ({ ...step, status: 'rolled-back', rolledBackBy: null }));
  }

  #contextOf(attempt: Attempt, signal: AbortSignal): StepContext {
    const held = (): Execution => {
      attempt.refuseOver();
      return this.execution;
    };
    const files = new RecordedFiles(this.#site, held, attempt.step);
    const { index } = attempt.step;
    const earlier = this.#log.attempts.filter((step) => step.index === index);
    return new StepContext(attempt.step, this.#current, {
      signal,
      files,
      earlierEffects: earlier.flatMap((step) => step.effects),
      effect: (description) => this.#declare(attempt, description),
      capture: (paths) => this.#capture(attempt, paths),
    });
  }

  #declare(attempt: Attempt, description: string): Promise<void> {
    return this.#held.write(async (draft, now) => {
      attempt.refuseOver();
      const effect = { description: clipText(description), declaredAt: now };
      attempt.step = { ...attempt.step, effects: [...attempt.step.effects, effect] };
      draft.steps.push(attempt.step);
    });
  }

  #capture(attempt: Attempt, paths: readonly string[]): Promise<void> {
    return this.#held.write(async (draft, now) => {
      attempt.refuseOver();
      const { files } = this.#site;
      const named = paths.flatMap((path) => resolveNamed(files.root, path));
      const author = authorOfStep(this.execution, attempt.step, now);
      await openChanges(draft, files, named, { author, finds: this.#site.finds(now) });
    });
  }

  /** State, result and the record of changed files, in one transaction, once those files are synced. */
  async #succeed(attempt: Attempt, context: StepContext, result: unknown): Promise<void> {
    const { state, variables, context: own } = context;
    const after: ExecutionState = { state, variables, context: own };
    await this.#packer.storing(() =>
      this.#held.record(async (draft, now, coverage) => {
        attempt.isOver = true;
        const packed = this.#packer.pack(draft, after, result);
        const changed = await draftEnd(this.#site, draft, this.execution, { now, coverage });
        await syncFiles(this.#site, changed);
        draft.steps.push({ ...attempt.step, ...packed, status: 'success', endedAt: now });
      }),
    );
    this.#current = after;
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
    if (status === 'cancelled') this.#held.turn(status);
    await this.#held.record(async (draft, now, coverage) => {
      attempt.isOver = true;
      await draftEnd(this.#site, draft, this.execution, { now, coverage });
      attempt.step = { ...attempt.step, status, error: clipText(textOf(error)), endedAt: now };
      draft.steps.push(attempt.step);
    });
    await this.#restore(attempt.step);
    this.#unsettled = null;
    const last = this.#log.live.at(-1);
    this.#current =
      last === undefined ? this.#settings.initial() : await stateAfter(this.#site.store, last);
  }

  async #restore(step: StepAttempt): Promise<void> {
    const left = await restoreAttempt(this.#site, this.execution, step);
    if (left.length > 0 && !this.#settings.acceptsChangedFiles) {
      throw filesChanged('files that the step changed could not be taken back', left);
    }
    await this.#held.write(async (draft) => void draft.steps.push({ ...step, restored: true }));
  }
}

type Work = (context: StepContext) => unknown;

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
