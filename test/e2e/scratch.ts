import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder in memory where there is such a place: tests here wait for many syncs. */
export function makeScratch(): string {
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
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
