import { isSavepointError } from '../model/errors.ts';
import type { Store } from '../store/store.ts';

/**
 * For after a wait in which others of this process had their turn. Who closes the store takes the project
 * lock from us, and nothing more may be touched then: that is an error, whatever else went wrong.
 */
export async function refuseClosed(store: Pick<Store, 'seq'>): Promise<void> {
  try {
    await store.seq();
  } catch (error) {
    if (isSavepointError(error, 'store-closed')) throw error;
  }
}
