import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type Savepoint } from 'savepoint';
import { type Benchmark, fasterBy } from './benchmark.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { sourceText } from './source-text.ts';

const FOLDERS = 100;
const FILES_PER_FOLDER = 100;
const FILES = FOLDERS * FILES_PER_FOLDER;
const CHANGED_FILES = 5;
const CHANGED_BYTES = 6_000;

/** Taking back five files in a large tree; ours with the safety checkpoint and the journal. */
export const RESTORE: readonly Benchmark[] = [
  {
    name: `restore of ${CHANGED_FILES} files in a tree of ${FILES.toLocaleString('en')}`,
    against: 'spawned `git checkout TREE -- files`',
    bar: fasterBy(2),
    run: contest,
  },
];

async function contest(scratch: Scratch): Promise<Samples> {
  const project = scratch.repository('project');
  const tree = plantTree(scratch, project);
  const savepoint = await openSavepoint({ project, home: scratch.make('home') });
  try {
    return await alternate(rewind(savepoint), checkout(scratch, project, tree));
  } finally {
    await savepoint.close();
  }
}

function rewind(savepoint: Savepoint): Side {
  let to: string;
  return {
    prepare: async (round) => {
      const paths = changedFiles(round);
      const message = { sessionId: 'session', messageId: `message-${round}` };
      const capture = await savepoint.captureBefore({ ...message, paths });
      change(savepoint.root, round);
      await savepoint.captureAfter(capture);
      to = capture.checkpointId;
    },
    time: () => clock(() => savepoint.rewind({ to })),
    verify: (round) => requireOriginals(savepoint.root, round),
  };
}

function checkout(scratch: Scratch, project: string, tree: string): Side {
  return {
    prepare: (round) => change(project, round),
    time: (round) =>
      scratch.timeGit(project, 'checkout', '--quiet', tree, '--', ...changedFiles(round)),
    verify: (round) => requireOriginals(project, round),
  };
}

/** A committed and packed tree, as a repository that somebody works in has it. Returns its hash. */
function plantTree(scratch: Scratch, project: string): string {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    scratch.make('project', `folder-${folder}`);
    for (let file = 0; file < FILES_PER_FOLDER; file += 1) {
      const index = folder * FILES_PER_FOLDER + file;
      writeFileSync(join(project, nameOf(index)), original(index));
    }
  }
  scratch.git(project, 'add', '--all');
  scratch.git(project, 'commit', '--quiet', '--message', 'plant');
  scratch.git(project, 'repack', '-a', '-d', '--quiet', '--window=0');
  return scratch.git(project, 'rev-parse', 'HEAD^{tree}');
}

/** Five files in five folders, others in each round. */
function changedFiles(round: number): string[] {
  return changedIndices(round).map(nameOf);
}

function changedIndices(round: number): number[] {
  const apart = FILES / CHANGED_FILES;
  return Array.from({ length: CHANGED_FILES }, (_, nth) => (round * 37 + nth * apart) % FILES);
}

function change(project: string, round: number): void {
  for (const index of changedIndices(round)) {
    writeFileSync(join(project, nameOf(index)), sourceText(CHANGED_BYTES, -1 - index));
  }
}

function requireOriginals(project: string, round: number): void {
  for (const index of changedIndices(round)) {
    const found = readFileSync(join(project, nameOf(index)));
    if (!original(index).equals(found)) throw new Error(`${nameOf(index)} was not restored`);
  }
}

function nameOf(index: number): string {
  return `folder-${Math.floor(index / FILES_PER_FOLDER)}/file-${index}.ts`;
}

/** 500 bytes to 8 KiB, most of them small. */
function original(index: number): Buffer {
  return sourceText(500 + ((index * index) % 7_700), index + 1);
}
