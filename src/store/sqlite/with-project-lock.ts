import { realpathSync } from 'node:fs';
import { layoutOf } from './layout.ts';
import { LockFile } from './project-lock.ts';

/** Runs `work` under the project lock of a store that is not opened, because it may not be able to. */
export async function withProjectLock<Result>(
  directory: string,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(directory);
  const file = new LockFile(layout.lock, realpathSync(layout.directory));
  try {
    const lock = await file.acquire({ timeoutMs });
    try {
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    file.close();
  }
}
