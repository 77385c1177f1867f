import { look } from '../capture/capture.ts';
import { settleFound } from '../capture/chain.ts';
import type { Change } from '../model/change.ts';
import { check, checkId, integer } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { joins } from '../model/state.ts';
import { type Snapshot, snapshotOf, valueToTree } from '../model/value/index.ts';
import { commandsIn } from '../model/window.ts';
import { findExecution, findHead } from '../store/find.ts';
import { touchSession } from '../timeline/sessions.ts';
import { readLog, readSnapshot } from './execution-reader.ts';
import { ExecutionRun, type RunSettings } from './execution-run.ts';
import type { ExecutionSite } from './execution-site.ts';
import {
  EXECUTION_AGENT,
  HeldExecution,
  LEASE_MS,
  newExecution,
  removed,
  requireExecution,
} from './lease.ts';
import { isUnfinished, type StepLog } from './step-log.ts';
import { rollBackAttempt } from './take-back-steps.ts';

export interface ExecutionOptions<State = unknown> {
  /** What the first step finds. Once a step is done, the one that was given then counts. */
  readonly state?: State | undefined;
  readonly variables?: Record<string, unknown> | undefined;
  readonly context?: Record<string, unknown> | undefined;
  /** Cancels the step that is running. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do where files are not as a step left them: `stop` (the default) throws
   * `execution-files-changed`, `accept` goes on from what is there. No file is lost either way. Files that
   * were accepted are right from then on, as they are.
   */
  readonly changedFiles?: 'stop' | 'accept' | undefined;
  /**
   * Also takes back what a step that was killed may have done to files, where nobody saw who did it: what
   * somebody else did to those files since goes as well.
   */
  readonly includeShared?: boolean | undefined;
  /** False: throws `execution-not-found` instead of beginning an execution. */
  readonly create?: boolean | undefined;
  /** How long the holder counts as running where nobody can tell whether it does; 30 seconds. */
  readonly leaseMs?: number | undefined;
}

/** The lease is renewed by a timer, and Node's timers take no longer delay. */
const LONGEST_LEASE_MS = 2 ** 31 - 1;

/**
 * Takes an execution for this process, new or begun before. An attempt that was killed, or that failed and
 * was not rolled back to its end, is rolled back first.
 */
export async function openExecution<State>(
  site: ExecutionSite,
  id: string,
  options: ExecutionOptions<State> = {},
): Promise<ExecutionRun<State>> {
  checkId('id', id);
  const { state, variables = {}, context = {}, leaseMs = LEASE_MS, create = true } = options;
  check(integer(1, LONGEST_LEASE_MS), 'leaseMs', leaseMs);
  const given = snapshotOf(valueToTree({ state, variables, context }, { name: 'options' }));
  const settings: RunSettings = {
    acceptsChangedFiles: options.changedFiles === 'accept',
    includeShared: options.includeShared,
    signal: options.signal,
  };
  const held = await HeldExecution.acquire(site, id, { leaseMs, create });
  try {
    const log = await recover(site, held, settings);
    const beginning = await beginningOf(site, held.execution, log, given);
    return new ExecutionRun(site, held, log, beginning, settings);
  } catch (error) {
    await held.giveBack().catch(() => undefined);
    throw error;
  }
}

/** What the first step found, or will find: a program that is started again may be given something else. */
async function beginningOf(
  { store }: ExecutionSite,
  { root }: Execution,
  { live }: StepLog<StepAttempt>,
  given: Snapshot,
): Promise<Snapshot> {
  // A repair may have lost it.
  if (live.length === 0 || root === null) return given;
  return readSnapshot(store, root);
}

/** Takes back what unfinished attempts left, and makes sure that files are as the live steps left them. */
async function recover(
  site: ExecutionSite,
  held: HeldExecution,
  settings: RunSettings,
): Promise<StepLog<StepAttempt>> {
  const { id } = held.execution;
  const { attempts, lost } = await readLog(site.store, id);
  if (lost !== null) throw stepLost(id, lost);
  for (const step of attempts.filter(isUnfinished)) {
    await rollBackUnfinished(site, held, step, settings);
  }
  const log = await readLog(site.store, id);
  const changed = await changedFiles(site, held.execution, log);
  if (changed.length === 0) return log;
  if (!settings.acceptsChangedFiles) throw filesChanged(id, changed);
  await acceptFiles(site, held, changed);
  return log;
}

/** A lost step must not run again, nor those that follow it: they would happen twice. */
function stepLost(id: string, index: number): SavepointError {
  const message = `step ${index} of ${id} is lost, and later ones are not`;
  return new SavepointError('step-not-found', message, {
    hint: 'fork it from the step before, and go on with the fork',
  });
}

/** Rolls back an attempt that was killed, or that failed and was not rolled back to its end. */
async function rollBackUnfinished(
  site: ExecutionSite,
  held: HeldExecution,
  step: StepAttempt,
  { acceptsChangedFiles, includeShared }: RunSettings,
): Promise<void> {
  const { sessionId } = held.execution;
  const windows = commandsIn(await site.store.timeline.windows());
  const isWatched = windows.some((window) => window.sessionId === sessionId);
  await rollBackAttempt(site, held, {
    ended: (now) => {
      const status = step.status === 'running' ? 'killed' : step.status;
      return { ...step, status, endedAt: step.endedAt ?? now };
    },
    // A scan finds what commands of the attempt did, if it was watched at all.
    record: (work) => (isWatched ? held.scanned(sessionId, work) : held.write(work)),
    acceptsChangedFiles,
    includeShared,
  });
}

/**
 * The files that are neither as the live steps left them nor as they were accepted. That includes files that
 * somebody has rewound since: the files went back then, and the steps that wrote them did not.
 */
async function changedFiles(
  site: ExecutionSite,
  { sessionId, accepted }: Execution,
  { live }: StepLog<StepAttempt>,
): Promise<Change[]> {
  const { timeline } = site.store;
  const points = new Set(live.map(({ checkpointId }) => checkpointId));
  const own = await timeline.changes({ sessionIds: [sessionId] });
  const ofSteps = own.filter((one) => one.checkpointId !== null && points.has(one.checkpointId));
  const isAsBefore = ({ path, after }: Change): boolean =>
    after === null || joins(after, look(site.files, path).state);
  const changed = [...lastOfEach(ofSteps)].filter((change) => !isAsBefore(change));
  if (accepted === null || changed.length === 0) return changed;
  const chains = await timeline.changes({ paths: changed.map(({ path }) => path) });
  const ends = lastOfEach(chains.filter(({ seq }) => seq <= accepted));
  const isRight = new Set([...ends].filter(isAsBefore).map(({ path }) => path));
  return changed.filter(({ path, seq }) => seq > accepted || !isRight.has(path));
}

/** The last change of each path. */
function lastOfEach(changes: readonly Change[]): Iterable<Change> {
  return new Map(changes.map((change) => [change.path, change])).values();
}

/** Records the files as they are now, each as its own chain continued, and that they were accepted. */
function acceptFiles(
  site: ExecutionSite,
  held: HeldExecution,
  changed: readonly Change[],
): Promise<void> {
  return held.write(async (draft, now) => {
    const finds = site.finds(now);
    for (const { path } of changed) {
      const head = await findHead(site.store, path);
      // A tool that is at work there records what it leaves.
      if (head === null || head.open) continue;
      await settleFound(draft, finds, {
        path,
        head,
        seen: look(site.files, path),
        until: draft.base,
      });
    }
    held.set({ accepted: draft.seq });
  });
}

function filesChanged(id: string, changed: readonly Change[]): SavepointError {
  const what = changed.length === 1 ? 'a file is' : `${changed.length} files are`;
  return new SavepointError('execution-files-changed', `${what} not as ${id} left it`, {
    path: changed[0]?.path,
    hint: "look at the files, then open the execution with changedFiles: 'accept'",
    details: changed.map(({ path }) => ({ path })),
  });
}

export interface ForkRequest {
  /** The last step that the new execution has in common with the old one. */
  readonly at: number;
  /** The id of the new execution. */
  readonly as: string;
}

/**
 * Makes a new execution that has the first steps of another one behind it, with their results and their
 * state. Files are left as they are, and what those steps did to them stays on record as the other one's.
 */
export function forkExecution(
  site: ExecutionSite,
  id: string,
  { at, as }: ForkRequest,
): Promise<Execution> {
  checkId('as', as);
  return site.write(async (draft, now) => {
    const parent = await requireExecution(site.store, id);
    const taken = await findExecution(site.store, as);
    if (taken?.status === 'removed') throw removed(as);
    if (taken !== null) {
      throw new SavepointError('execution-exists', `there is an execution ${as} already`);
    }
    const log = await readLog(site.store, id);
    const last = log.at(at);
    const fork = {
      ...newExecution(as, now),
      parentId: id,
      parentStep: last.index,
      root: parent.root,
    };
    await touchSession(draft, site.store, { id: fork.sessionId, agent: EXECUTION_AGENT }, now);
    draft.executions.push(fork);
    for (const step of log.live.slice(0, at + 1)) {
      const own = { attempt: 1, checkpointId: null, rolledBackBy: null };
      draft.steps.push({ ...step, ...own, executionId: as });
    }
    return fork;
  });
}
