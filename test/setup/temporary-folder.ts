import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `body` with a folder of its own, which is removed afterwards with all that is in it. */
export async function withTemporaryFolder<Result>(
  body: (folder: string) => Promise<Result>,
): Promise<Result> {
  // The real path, because macOS keeps its temporary folder behind a link.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'savepoint-')));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
