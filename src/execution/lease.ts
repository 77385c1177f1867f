import { currentOwner, ownerMayRun, ownerRuns, placeOf } from '../capture/process-owner.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { Draft } from '../store/draft.ts';
import type { Fence } from '../store/store.ts';
import { touchSession } from '../timeline/sessions.ts';
import { type DraftWork, type ExecutionSite, record } from './execution-site.ts';

/** The agent of the sessions under which files that steps change are on record. */
export const EXECUTION_AGENT = 'execution';

/** How long a holder counts as running where nobody can tell whether it does. */
export const LEASE_MS = 30_000;

export interface LeaseOptions {
  /** How long the holder counts as running where nobody can tell whether it does. */
  readonly leaseMs: number;
  /** Whether to begin the execution where there is none. */
  readonly create: boolean;
}

/** Takes an execution for this process. Throws `execution-busy` and `execution-not-found`. */
export function acquire(
  site: ExecutionSite,
  id: string,
  { leaseMs, create }: LeaseOptions,
): Promise<Execution> {
  return site.write(async (draft, now) => {
    const known = await site.store.execution(id);
    if (known === null && !create) throw notFound(id);
    if (known !== null && isHeld(known, now)) throw busy(known);
    const execution = known ?? newExecution(id, now);
    await touchSession(draft, site.store, { id: execution.sessionId, agent: EXECUTION_AGENT }, now);
    const taken = {
      ...execution,
      token: execution.token + 1,
      owner: currentOwner(),
      leaseUntil: now + leaseMs,
      updatedAt: now,
    };
    draft.executions.push(taken);
    return taken;
  });
}

export function newExecution(id: string, now: number): Execution {
  return {
    id,
    sessionId: `execution-${id}`,
    status: 'open',
    parentId: null,
    parentStep: null,
    token: 0,
    owner: null,
    leaseUntil: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The process that has an execution. */
export interface Holder {
  readonly host: string;
  readonly processId: number;
}

/** Null where nobody has it, or who had it is gone. */
export function holderOf(execution: Execution, now: number): Holder | null {
  const { owner } = execution;
  return owner !== null && isHeld(execution, now) ? placeOf(owner) : null;
}

/** A process that is seen to run holds it; one that is seen to be gone does not, whatever the lease says. */
function isHeld({ owner, leaseUntil }: Execution, now: number): boolean {
  if (owner === null) return false;
  if (ownerRuns(owner)) return true;
  return ownerMayRun(owner) && now < (leaseUntil ?? 0);
}

/** In every transaction of the holder: it goes through only while the holder is still that. */
export function stamp(draft: Draft, execution: Execution, now: number, leaseMs: number): Execution {
  const renewed = { ...execution, leaseUntil: now + leaseMs, updatedAt: now };
  draft.fence = fenceOf(execution);
  draft.executions.push(renewed);
  return renewed;
}

/** Gives it back; with a status where it is over. Whoever had it is fenced out by the next number. */
export async function release(
  site: ExecutionSite,
  execution: Execution,
  status: Execution['status'] = execution.status,
): Promise<void> {
  await site.write(async (draft, now) => {
    draft.fence = fenceOf(execution);
    const token = execution.token + 1;
    const given = { ...execution, status, token, owner: null, leaseUntil: null, updatedAt: now };
    draft.executions.push(given);
  });
}

export function fenceOf({ id, token }: Execution): Fence {
  return { executionId: id, token };
}

export function notFound(id: string): SavepointError {
  return new SavepointError('execution-not-found', `there is no execution ${id}`);
}

function busy({ id, owner }: Execution): SavepointError {
  const { host, processId } = placeOf(owner ?? '');
  const message = `execution ${id} is held by process ${processId} on ${host}`;
  return new SavepointError('execution-busy', message, {
    hint: 'wait until it ends',
    details: { owner },
  });
}

/** An execution in the hands of this process, which says so again and again for as long as it has it. */
export class HeldExecution {
  readonly #site: ExecutionSite;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #heart: NodeJS.Timeout;
  #execution: Execution;

  constructor(site: ExecutionSite, execution: Execution, leaseMs: number) {
    this.#site = site;
    this.#execution = execution;
    this.#leaseMs = leaseMs;
    this.#heart = setInterval(() => void this.#renew(), leaseMs / 3);
    this.#heart.unref();
  }

  /** As it is on record. */
  get execution(): Execution {
    return this.#execution;
  }

  /** Aborted when another process has it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** On record with the next thing that is written. */
  turn(status: Execution['status']): void {
    this.#execution = { ...this.#execution, status };
  }

  /** Runs `work`, with what a scan finds, and commits what it drafted: only while this process has it. */
  record<T>(work: DraftWork<T>): Promise<T> {
    return record(this.#site, (draft, now, coverage) => {
      this.#execution = stamp(draft, this.#execution, now, this.#leaseMs);
      return work(draft, now, coverage);
    });
  }

  /** The same without a scan. */
  write<T>(work: DraftWork<T>): Promise<T> {
    return this.#site.write((draft, now, coverage) => {
      this.#execution = stamp(draft, this.#execution, now, this.#leaseMs);
      return work(draft, now, coverage);
    });
  }

  async giveBack(status: Execution['status']): Promise<void> {
    this.keepSilent();
    await release(this.#site, this.#execution, status);
  }

  /** It stays held by this process until its lease is over, or the process. */
  keepSilent(): void {
    clearInterval(this.#heart);
  }

  async #renew(): Promise<void> {
    try {
      await this.write(async () => {});
    } catch (error) {
      // A disk that is full now may have room the next time; who was replaced has to stop.
      if (isSavepointError(error, 'execution-lost')) this.#lost.abort(error);
    }
  }
}
