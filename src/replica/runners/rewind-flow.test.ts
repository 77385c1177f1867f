import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunnerBed } from '../../../test/replica/runner-bed.ts';
import { storeHome } from '../../config/find-project.ts';
import { openSavepoint } from '../../index.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import {
  type Chosen,
  chooseRewind,
  offeredBy,
  type RewindParts,
  restoreFiles,
} from './rewind-flow.ts';

let bed: RunnerBed;
let file: string;
let parts: RewindParts;
beforeEach(async () => {
  bed = new RunnerBed();
  file = join(bed.project, 'a.txt');
  writeFileSync(file, 'what a person wrote\n');
  await bed.runner({ engine: true });
  bed.ui.pick = ([newest]) => newest;
  bed.ui.rewindChoice = 'files';
  parts = {
    ui: bed.ui,
    checkpoints: await bed.checkpoints(bed.session, ['add tests']),
    files: bed.files,
    query: OVERWRITING,
    sessionId: bed.session.id,
    sdkKeepsFiles: true,
    paint: (_style, text) => text,
  };
});
afterEach(() => bed.remove());

/** It puts back what it has, as the SDK does, whoever wrote into the file since. */
const OVERWRITING: RewindableQuery = {
  rewindFiles: async (_id, { dryRun = false } = {}) => {
    if (!dryRun) writeFileSync(file, 'as the SDK has it\n');
    return { canRewind: true, filesChanged: [file], insertions: 1, deletions: 1 };
  },
};

describe('a prompt that the engine has no checkpoint of, since its store was locked or full', () => {
  it('shows which files the SDK alone would overwrite', async () => {
    await chosen();
    expect(bed.ui.previews[0]?.body(80)).toEqual([
      'Savepoint has no record of the files at this prompt.',
      'The SDK alone would put these back, and what was written into them since goes:',
      `  overwrite ${file}`,
    ]);
  });

  it('says why where the SDK cannot put anything back either', async () => {
    const error = 'No file checkpoint found';
    parts = { ...parts, query: { rewindFiles: async () => ({ canRewind: false, error }) } };
    await chosen();
    expect(bed.ui.previews[0]?.body(80).at(-1)).toBe(`The SDK cannot put files back: ${error}`);
  });

  it('keeps what the SDK overwrites, so that a rewind brings it back', async () => {
    const { receipt, keptAs } = await restoreFiles(parts, await chosen());
    expect(receipt).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe('as the SDK has it\n');
    await rewindExactly(keptAs ?? 'nothing was kept');
    expect(readFileSync(file, 'utf8')).toBe('what a person wrote\n');
  });

  it('lets the SDK touch nothing where that cannot be kept', async () => {
    const picked = await chosen();
    await bed.files?.close();
    await expect(restoreFiles(parts, picked)).rejects.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('what a person wrote\n');
  });
});

async function chosen(): Promise<Chosen> {
  const picked = await chooseRewind(parts, await offeredBy(parts));
  if (picked === null || !('entry' in picked)) throw new Error('no prompt was chosen');
  return picked;
}

/** `savepoint rewind ID --exact`. */
async function rewindExactly(to: string): Promise<void> {
  const home = storeHome({ env: {}, homeDirectory: bed.home, platform: process.platform });
  const savepoint = await openSavepoint({ project: bed.project, home, scan: true });
  try {
    await savepoint.scanAgain();
    await savepoint.apply(await savepoint.planRewind({ to, take: 'exact' }));
  } finally {
    await savepoint.close();
  }
}
