import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a sync takes its time. The usual temporary folder of tests is in memory, see `vitest.config.ts`. */
export const DISK = '/var/tmp';

/** A new folder. */
export function makeScratch(parent: string = tmpdir()): string {
  return realpathSync(mkdtempSync(join(parent, 'savepoint-test-')));
}

/** Removes a scratch folder, also where a test left folders that let nobody in. */
export function removeScratch(folder: string): void {
  unlock(Buffer.from(folder));
  rmSync(folder, { recursive: true, force: true });
}

function unlock(folder: Buffer): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    unlock(Buffer.concat([folder, Buffer.from('/'), name]));
  }
}
