import { closeSync, fsync } from 'node:fs';
import type { TrackedPath } from '../model/path.ts';

/** A file or folder that has to survive a power cut. */
export interface SyncTarget {
  /** Named in errors. */
  readonly path: TrackedPath;
  /** Gives the descriptor to sync, which is then ours to close; null where there is nothing to sync. */
  readonly open: () => number | null;
  /** Removes a file that may not stay when its sync fails. */
  readonly remove?: () => void;
}

// Enough for the file system to write them down together; few enough for a process with a low limit.
const MOST_OPEN = 32;

/**
 * Opens and syncs all targets, many at once: the file system commits those together that come together.
 * All is durable when it resolves. When it rejects, every descriptor is closed and no sync still runs.
 * Others of this process have their turn while it waits.
 */
export async function syncTogether(
  targets: Iterable<SyncTarget> | AsyncIterable<SyncTarget>,
): Promise<void> {
  const batch = new Batch();
  try {
    for await (const target of targets) await batch.add(target);
    await batch.sync();
  } finally {
    batch.close();
  }
}

interface Open extends SyncTarget {
  readonly fd: number;
}

class Batch {
  readonly #open: Open[] = [];

  async add(target: SyncTarget): Promise<void> {
    if (this.#open.length >= MOST_OPEN) await this.sync();
    const fd = await this.#roomFor(target.open);
    if (fd !== null) this.#open.push({ ...target, fd });
  }

  /** Nothing fails for want of a descriptor as long as some wait here. */
  async #roomFor(open: SyncTarget['open']): Promise<number | null> {
    try {
      return open();
    } catch (error) {
      if (this.#open.length === 0 || !isOutOfDescriptors(error)) throw error;
      await this.sync();
      return open();
    }
  }

  async sync(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#open.splice(0).map(syncAndClose));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Gives up the rest after a failure, which is the error that the caller gets. */
  close(): void {
    for (const { fd } of this.#open.splice(0)) unlessFailing(() => closeSync(fd));
  }
}

async function syncAndClose({ fd, path, remove }: Open): Promise<void> {
  try {
    await syncOnPool(fd, path).finally(() => closeSync(fd));
  } catch (error) {
    unlessFailing(() => remove?.());
    throw error;
  }
}

function syncOnPool(fd: number, path: TrackedPath): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => {
      if (error === null) return resolve();
      error.message += ` '${path}'`;
      reject(error);
    });
  });
}

function unlessFailing(work: () => void): void {
  try {
    work();
  } catch {
    // There is an error on its way already, and whoever tidies up after it meets this one again.
  }
}

function isOutOfDescriptors(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
