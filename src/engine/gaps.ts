import { join } from 'node:path';
import { exists, removeIfThere } from '../fs/entries.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { AMOUNT, accepts, COUNT, exact, type Kind } from '../model/check.ts';
import { makeCheckpoint } from '../model/checkpoint.ts';
import { isSavepointError } from '../model/errors.ts';
import type {
  BlobStore,
  DocumentStore,
  LockOptions,
  Maintenance,
  ProjectIdentity,
  ProjectLock,
  Store,
  StoreState,
  TimelineStore,
} from '../store/store.ts';
import { newCheckpointId } from '../timeline/new-id.ts';

/** A time in which a server was away and something was to be recorded. Kept on this machine until it is on record. */
interface Gap {
  /** The clock, when it was first and last found away. */
  readonly since: number;
  readonly until: number;
  /** How often something was to be recorded. */
  readonly times: number;
}

const GAP: Kind<Gap> = exact({ since: AMOUNT, until: AMOUNT, times: COUNT });
const MAX_BYTES = 4096;

/** Whether an error means that the server of a store could not be asked. */
export function isAway(error: unknown): boolean {
  return isSavepointError(error, 'store-unreachable') || isSavepointError(error, 'server-unknown');
}

/** Remembers on this machine that something could not be recorded. Never throws: whoever works goes on. */
export function noteGap(directory: string, now: number): void {
  try {
    const known = readGap(directory);
    const gap: Gap = { since: known?.since ?? now, until: now, times: (known?.times ?? 0) + 1 };
    makePrivateFolder(directory);
    writeFile(fileIn(directory), Buffer.from(JSON.stringify(gap)));
  } catch {
    // The log of the hooks still says so.
  }
}

function readGap(directory: string): Gap | null {
  const bytes = readFileOrNull(fileIn(directory), { maxBytes: MAX_BYTES });
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(String(bytes));
    return accepts(GAP, value) ? value : null;
  } catch {
    return null;
  }
}

function fileIn(directory: string): string {
  return join(directory, 'gap.json');
}

/**
 * A store on a server, with the times at which it was away. Where a writer does not reach it, a file on this machine
 * says so. The first to take the lock afterwards puts a checkpoint on record that is a gap: what the next scan finds
 * then counts as nobody's for certain.
 */
export class GapKeepingStore implements Store {
  readonly timeline: TimelineStore;
  readonly blobs: BlobStore;
  readonly documents: DocumentStore;
  readonly git: Store['git'];
  readonly worktrees: Store['worktrees'];
  readonly #store: Store;
  readonly #directory: string;
  readonly #now: () => number;

  constructor(store: Store, directory: string, now: () => number) {
    this.#store = store;
    this.#directory = directory;
    this.#now = now;
    const { timeline, blobs } = store;
    this.timeline = {
      ...timeline,
      commit: (batch) => this.#noting(() => timeline.commit(batch)),
    };
    this.blobs = { ...blobs, putMany: (groups) => this.#noting(() => blobs.putMany(groups)) };
    this.documents = store.documents;
    this.git = store.git;
    this.worktrees = store.worktrees;
  }

  state(): Promise<StoreState> {
    return this.#store.state();
  }

  setProject(identity: ProjectIdentity): Promise<void> {
    return this.#store.setProject(identity);
  }

  lock(options: LockOptions): Promise<ProjectLock> {
    return this.#noting(async () => {
      const lock = await this.#store.lock(options);
      try {
        await this.#record();
        return lock;
      } catch (error) {
        lock.release();
        throw error;
      }
    });
  }

  /** Puts a gap on record, for a command that only looks. Does nothing where others are at work. */
  async recordGap(timeoutMs: number): Promise<void> {
    if (!exists(fileIn(this.#directory))) return;
    const lock = await this.#store.lock({ timeoutMs });
    try {
      await this.#record();
    } finally {
      lock.release();
    }
  }

  maintain<Task extends keyof Maintenance>(
    task: Task,
    ...input: Parameters<Maintenance[Task]>
  ): Promise<ReturnType<Maintenance[Task]>> {
    return this.#store.maintain(task, ...input);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #noting<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isAway(error)) noteGap(this.#directory, this.#now());
      throw error;
    }
  }

  async #record(): Promise<void> {
    const file = fileIn(this.#directory);
    if (!exists(file)) return;
    const now = this.#now();
    const gap = readGap(this.#directory) ?? { since: now, until: now, times: 1 };
    const { seq: base } = await this.#store.state();
    const checkpoint = makeCheckpoint({
      id: newCheckpointId(),
      seq: base + 1,
      kind: 'manual',
      description: descriptionOf(gap),
      createdAt: now,
      coverage: 'server-away',
    });
    await this.#store.timeline.commit({ base, checkpoints: [checkpoint] });
    removeIfThere(file);
  }
}

function descriptionOf({ since, until, times }: Gap): string {
  const minute = (time: number): string => new Date(time).toISOString().slice(0, 16);
  const events = times === 1 ? 'one event' : `${times} events`;
  return `the database server was away: ${events} not recorded, ${minute(since)} to ${minute(until)} UTC`;
}
