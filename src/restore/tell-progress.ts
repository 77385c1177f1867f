import type { CaptureSite } from '../capture/capture.ts';
import type { Progress } from '../model/progress.ts';
import { refuseClosed } from './refuse-closed.ts';

/** Tells how far a restore has come. Who is told may close the store, and may fail after that. */
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
