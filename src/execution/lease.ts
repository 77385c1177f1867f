import { currentOwner, ownerRuns, processMayRun } from '../capture/process-owner.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import { findExecution } from '../store/find.ts';
import type { Fence, Store } from '../store/store.ts';
import { touchSession } from '../timeline/sessions.ts';
import type { DraftWork, ExecutionSite } from './execution-site.ts';

/** The agent of the sessions under which files that steps change are on record. */
export const EXECUTION_AGENT = 'execution';

/** How long a holder counts as running where nobody can tell whether it does. */
export const LEASE_MS = 30_000;

/**
 * Executions that a lost connection left in the name of this process, although it does not use them. It may take them
 * again; to all others it seems to hold them.
 */
const abandoned = new Set<string>();

/** An execution that this process has. It renews its lease for as long as the process has it. */
export class HeldExecution {
  readonly #site: ExecutionSite;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #heart: NodeJS.Timeout;
  #execution: Execution;

  private constructor(site: ExecutionSite, execution: Execution, leaseMs: number) {
    this.#site = site;
    this.#execution = execution;
    this.#leaseMs = leaseMs;
    this.#heart = setInterval(() => void this.#renew(), leaseMs / 3);
    this.#heart.unref();
  }

  /**
   * Takes an execution for this process. Throws `execution-busy`, `execution-removed` and, unless `create`,
   * `execution-not-found`.
   */
  static async acquire(
    site: ExecutionSite,
    id: string,
    { leaseMs = LEASE_MS, create }: { readonly leaseMs?: number; readonly create: boolean },
  ): Promise<HeldExecution> {
    const take: DraftWork<Execution> = async (draft, now) => {
      const known = await findExecution(site.store, id);
      if (known === null && !create) throw notFound(id);
      if (known?.status === 'removed') throw removed(id);
      if (known !== null && isHeld(known, now) && !abandoned.has(tokenOf(known))) throw busy(known);
      const execution = known ?? newExecution(id, now);
      const session = { id: execution.sessionId, agent: EXECUTION_AGENT };
      await touchSession(draft, site.store, session, now);
      const token = execution.token + 1;
      const lease = { owner: currentOwner(), leaseUntil: now + leaseMs, updatedAt: now };
      const held = { ...execution, ...lease, token };
      draft.executions.push(held);
      tried = held;
      return held;
    };
    let tried: Execution | null = null;
    try {
      return new HeldExecution(site, await site.write(take), leaseMs);
    } catch (error) {
      abandon(tried, error);
      throw error;
    }
  }

  /** As it is on record; once it is given back, with the token that this process had. */
  get execution(): Execution {
    return this.#execution;
  }

  /** Lets a transaction through only while this process still has the execution. */
  get fence(): Fence {
    return { executionId: this.#execution.id, token: this.#execution.token };
  }

  /** Aborted when another process has it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Goes on record with the next transaction, or with the one whose work calls this. */
  set(fields: Partial<Pick<Execution, 'status' | 'root' | 'accepted'>>): void {
    this.#execution = { ...this.#execution, ...fields };
  }

  /** Commits what `work` drafts, if this process still has the execution. */
  write<T>(work: DraftWork<T>): Promise<T> {
    return this.#site.write(this.#stamped(work));
  }

  /** The same with what a scan finds, where the worktree is scanned. */
  record<T>(work: DraftWork<T>): Promise<T> {
    return this.#site.scans ? this.scanned(null, work) : this.write(work);
  }

  /** The same with what a scan finds. `movedOn`: the session whose commands are over. */
  scanned<T>(movedOn: string | null, work: DraftWork<T>): Promise<T> {
    return this.#site.scanned(movedOn, this.#stamped(work));
  }

  /** The next token fences out everything that this process may still try to write. */
  async giveBack(status: Execution['status'] = this.#execution.status): Promise<void> {
    this.stopRenewing();
    const free: DraftWork<Execution> = async (draft, now) => {
      draft.fence = this.fence;
      const token = this.#execution.token + 1;
      const given = { ...this.#execution, owner: null, leaseUntil: null, updatedAt: now, status };
      draft.executions.push({ ...given, token });
      return given;
    };
    try {
      // With the old token: this process can write nothing more.
      this.#execution = await this.#site.write(free);
    } catch (error) {
      abandon(this.#execution, error);
      throw error;
    }
  }

  /** Stops renewing. It stays held by this process until the process ends, or its lease. */
  stopRenewing(): void {
    clearInterval(this.#heart);
  }

  #stamped<T>(work: DraftWork<T>): DraftWork<T> {
    return async (draft, now, coverage) => {
      draft.fence = this.fence;
      this.#execution = { ...this.#execution, leaseUntil: now + this.#leaseMs, updatedAt: now };
      const made = await work(draft, now, coverage);
      draft.executions.push(this.#execution);
      return made;
    };
  }

  async #renew(): Promise<void> {
    try {
      await this.write(async () => {});
    } catch (error) {
      // A full disk may have room the next time; a process that was replaced has to stop.
      if (isSavepointError(error, 'execution-lost')) this.#lost.abort(error);
    }
  }
}

function abandon(execution: Execution | null, error: unknown): void {
  if (execution === null || !isSavepointError(error, 'store-unreachable')) return;
  abandoned.add(tokenOf(execution));
}

/** Which holder of which execution. */
function tokenOf({ id, createdAt, token, owner }: Execution): string {
  return JSON.stringify([id, createdAt, token, owner]);
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
    root: null,
    accepted: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The process that has an execution. */
export interface Holder {
  readonly host: string;
  readonly processId: number;
}

/** Null where no process has it, or the one that had it is gone. */
export function holderOf(execution: Execution, now: number): Holder | null {
  const { owner } = execution;
  if (owner === null || !isHeld(execution, now)) return null;
  return { host: owner.host, processId: owner.processId };
}

/** The lease counts only where nobody can see whether the process runs, as on another machine. */
function isHeld({ owner, leaseUntil }: Execution, now: number): boolean {
  if (owner === null) return false;
  if (ownerRuns(owner)) return true;
  return processMayRun(owner) && now < (leaseUntil ?? 0);
}

/** Throws `execution-not-found` or `execution-removed`. */
export async function requireExecution(store: Store, id: string): Promise<Execution> {
  const execution = await findExecution(store, id);
  if (execution === null) throw notFound(id);
  if (execution.status === 'removed') throw removed(id);
  return execution;
}

/** An id whose steps are gone: run once more, they would happen a second time, effects included. */
export function removed(id: string): SavepointError {
  const message = `the steps of ${id} were removed by prune or retention, so they cannot be gone on with`;
  return new SavepointError('execution-removed', message, {
    hint: 'to do all of its steps once more, begin an execution with another id',
  });
}

function notFound(id: string): SavepointError {
  return new SavepointError('execution-not-found', `there is no execution ${id}`);
}

function busy({ id, owner }: Execution): SavepointError {
  const message = `execution ${id} is held by process ${owner?.processId} on ${owner?.host}`;
  return new SavepointError('execution-busy', message, {
    hint: 'wait until it ends',
    details: { owner },
  });
}
