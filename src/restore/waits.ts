import type { CaptureSite } from '../capture/capture.ts';
import { type SyncTarget, syncTogether } from '../fs/sync-together.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Progress } from '../model/progress.ts';
import type { Store } from '../store/store.ts';

/*
 * The two places where a restore waits, and others of this process have their turn. The project lock keeps
 * our own writers away; everybody else may write as if they were another process, so what a restore relies
 * on is looked at after the wait, not before. Whoever closes the store meanwhile takes the lock from us.
 */

/** Makes targets durable, many at once. */
export async function syncAll(
  { store }: Pick<CaptureSite, 'store'>,
  targets: Iterable<SyncTarget> | AsyncIterable<SyncTarget>,
): Promise<void> {
  try {
    await syncTogether(targets);
  } finally {
    await refuseClosed(store);
  }
}

/** Tells how far a restore has come. Whoever is told may close the store, or fail. */
export async function tellProgress(
  { onProgress, store }: Pick<CaptureSite, 'onProgress' | 'store'>,
  progress: Progress,
): Promise<void> {
  if (onProgress === undefined) return;
  try {
    await onProgress(progress);
  } finally {
    await refuseClosed(store);
  }
}

/** Without the lock nothing more may be touched: that is an error, whatever else went wrong. */
async function refuseClosed(store: Pick<Store, 'seq'>): Promise<void> {
  try {
    await store.seq();
  } catch (error) {
    if (isSavepointError(error, 'store-closed')) throw error;
  }
}
