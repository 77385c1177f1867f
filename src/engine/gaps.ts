import { join } from 'node:path';
import { exists, move, removeIfThere } from '../fs/entries.ts';
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

// An act is made of others, and each of them notes what it fails with.
const noted = new WeakSet<object>();

/**
 * Remembers on this machine that something could not be recorded, once for each error. Never throws: whoever works
 * goes on.
 */
export function noteGap(directory: string, error: unknown, now: number): void {
  if (typeof error !== 'object' || error === null || noted.has(error)) return;
  noted.add(error);
  try {
    const file = fileIn(directory);
    const known = readGap(file);
    const gap: Gap = { since: known?.since ?? now, until: now, times: (known?.times ?? 0) + 1 };
    makePrivateFolder(directory);
    writeFile(file, Buffer.from(JSON.stringify(gap)));
  } catch {
    // The log of the hooks still says so.
  }
}

/** As `noteGap`, for an act that has failed on an open store. Does nothing for a store that is never away. */
export function noteLost(store: Store, error: unknown): void {
  if (store instanceof GapKeepingStore) store.noteLost(error);
}

function readGap(file: string): Gap | null {
  const bytes = readFileOrNull(file, { maxBytes: MAX_BYTES });
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

/** A gap that is being put on record. It has a name of its own: others may note the next one meanwhile. */
function asideIn(directory: string): string {
  return join(directory, 'gap-recording.json');
}

/**
 * A store on a server, with the times at which it was away. Where an act that records does not reach it, a file on
 * this machine says so (`Workbench.recording`). The first to take the lock afterwards puts a checkpoint on record that
 * is a gap: what the next scan finds then counts as nobody's for certain.
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
    this.timeline = store.timeline;
    this.blobs = store.blobs;
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

  async lock(options: LockOptions): Promise<ProjectLock> {
    const lock = await this.#store.lock(options);
    try {
      await this.#record();
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  noteLost(error: unknown): void {
    noteGap(this.#directory, error, this.#now());
  }

  /** Puts a gap on record, for a command that only looks. Does nothing where others are at work. */
  async recordGap(timeoutMs: number): Promise<void> {
    if (!this.#hasGap()) return;
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

  #hasGap(): boolean {
    return exists(fileIn(this.#directory)) || exists(asideIn(this.#directory));
  }

  async #record(): Promise<void> {
    if (!this.#hasGap()) return;
    const aside = asideIn(this.#directory);
    // One that is aside already was left there by a process that did not get to the end of this.
    if (!exists(aside)) move(fileIn(this.#directory), aside);
    const now = this.#now();
    const gap = readGap(aside) ?? { since: now, until: now, times: 1 };
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
    removeIfThere(aside);
    await this.#record();
  }
}

function descriptionOf({ since, until, times }: Gap): string {
  const minute = (time: number): string => new Date(time).toISOString().slice(0, 16);
  const events = times === 1 ? 'one event' : `${times} events`;
  return `the database server was away: ${events} not recorded, ${minute(since)} to ${minute(until)} UTC`;
}
