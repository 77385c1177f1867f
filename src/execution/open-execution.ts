import { checkId } from '../model/check.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { wrong } from '../model/shape.ts';
import { treeToValue, valueToTree } from '../model/value/index.ts';
import { commandsIn } from '../model/window.ts';
import { verifyAfterImages } from './after-images.ts';
import { ExecutionRun, type RunSettings } from './execution-run.ts';
import type { ExecutionSite } from './execution-site.ts';
import { acquire, fenceOf, release } from './lease.ts';
import { filesChanged, restoreAttempt } from './restore-attempt.ts';
import { type ExecutionState, readLog, stateAfter } from './step-log.ts';
import { draftEnd } from './step-recording.ts';

export interface ExecutionOptions {
  /** What the first step finds. */
  readonly state?: unknown;
  readonly variables?: Record<string, unknown> | undefined;
  readonly context?: Record<string, unknown> | undefined;
  /** Cancels whichever step is running. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do where files are not as a step left them: `stop` (the default) throws
   * `execution-files-changed`, `accept` goes on from what is there. Nothing of it is ever lost.
   */
  readonly changedFiles?: 'stop' | 'accept' | undefined;
  /** Throws `execution-not-found` instead of beginning one. */
  readonly create?: boolean | undefined;
  /** How long the holder counts as running where nobody can tell; 30 seconds. */
  readonly leaseMs?: number | undefined;
}

const LEASE_MS = 30_000;
const LONGEST_LEASE_MS = 2 ** 31 - 1;

/**
 * Takes an execution for this process, new or begun before. An attempt that was killed, or failed and was
 * not rolled back to its end, is rolled back first.
 */
export async function openExecution(
  site: ExecutionSite,
  id: string,
  options: ExecutionOptions = {},
): Promise<ExecutionRun> {
  checkId('id', id);
  checkLease(options.leaseMs ?? LEASE_MS);
  const { state, variables = {}, context = {} } = options;
  const initial = valueToTree({ state, variables, context }, { name: 'options' });
  const settings: RunSettings = {
    leaseMs: options.leaseMs ?? LEASE_MS,
    acceptsChangedFiles: options.changedFiles === 'accept',
    signal: options.signal,
    initial: () => treeToValue(initial) as ExecutionState,
  };
  const { leaseMs } = settings;
  const execution = await acquire(site, id, { leaseMs, create: options.create ?? true });
  try {
    const current = await resume(site, execution, settings);
    return new ExecutionRun(site, execution, await readLog(site.store, id), current, settings);
  } catch (error) {
    await release(site, execution).catch(() => undefined);
    throw error;
  }
}

/** It is renewed by a timer, which has a limit. */
function checkLease(leaseMs: number): void {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= 1 && leaseMs <= LONGEST_LEASE_MS) return;
  throw wrong('leaseMs', `a whole number of milliseconds from 1 to ${LONGEST_LEASE_MS}`);
}

async function resume(
  site: ExecutionSite,
  execution: Execution,
  settings: RunSettings,
): Promise<ExecutionState> {
  const { attempts, lost } = await readLog(site.store, execution.id);
  if (lost !== null) throw stepLost(execution.id, lost);
  for (const step of attempts.filter(isUnfinished)) {
    await settle(site, execution, step, settings.acceptsChangedFiles);
  }
  if (!settings.acceptsChangedFiles) await verifyAfterImages(site, execution);
  const last = (await readLog(site.store, execution.id)).live.at(-1);
  return last === undefined ? settings.initial() : stateAfter(site.store, last);
}

/** To run it again, and all that follow, would make happen twice what happened once. */
function stepLost(id: string, index: number): SavepointError {
  const message = `step ${index} of ${id} is lost, and later ones are not`;
  return new SavepointError('step-not-found', message, {
    hint: 'fork it from the step before, and go on with the fork',
  });
}

function isUnfinished({ status, restored }: StepAttempt): boolean {
  return status === 'running' || (!restored && ['failed', 'cancelled', 'killed'].includes(status));
}

/** Rolls an attempt back whose process is gone. Safe to be interrupted itself. */
async function settle(
  site: ExecutionSite,
  execution: Execution,
  step: StepAttempt,
  acceptsChangedFiles: boolean,
): Promise<void> {
  const status = step.status === 'running' ? 'killed' : step.status;
  const killed = { ...step, status, endedAt: step.endedAt ?? site.now() };
  const windows = commandsIn(await site.store.windows());
  const isWatched = windows.some((window) => window.sessionId === execution.sessionId);
  const write = isWatched ? site.scanned.bind(site, execution.sessionId) : site.write.bind(site);
  await write(async (draft, now, coverage) => {
    draft.fence = fenceOf(execution);
    await draftEnd(site, draft, execution, { now, coverage });
    draft.steps.push(killed);
  });
  const left = await restoreAttempt(site, execution, killed).catch((error: unknown) => {
    // Nobody can take it back any more; who takes files as they are may go on.
    if (acceptsChangedFiles && isSavepointError(error, 'checkpoint-not-found')) return [];
    throw error;
  });
  if (left.length > 0 && !acceptsChangedFiles) {
    throw filesChanged(
      'files could not be made what they were before a step that was killed',
      left,
    );
  }
  await site.write(async (draft) => {
    draft.fence = fenceOf(execution);
    draft.steps.push({ ...killed, restored: true });
  });
}
