import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ScanIndex } from '../../../src/capture/scan/scan-index.ts';
import { Scanner } from '../../../src/capture/scan/scanner.ts';
import { bytesToPath } from '../../../src/model/path.ts';
import { pathsIn, ScanPlace } from '../../scan/scan-place.ts';
import { propertyRuns } from '../runs.ts';
import { expectLaws, expectPromise, expectSameEntries, type Moment, readDisk } from './laws.ts';
import { doStep, rounds, type Step } from './tree-steps.ts';

/** Campaigns are long, and machines busy. */
const TIMEOUT_MS = 600_000;

const REAL_CLOCK = { now: () => performance.now(), wallMs: () => Date.now() };

describe.each([
  ['in one thread', { workers: 0 }],
  ['in several threads', { workers: 2, largeTree: 2 }],
])('random changes to a tree, scanned %s', (_how, options) => {
  const scanner = new Scanner(options);
  afterAll(() => scanner.close());

  it(
    'give the index and the differences that a look at everything gives',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, (steps) => playRounds(steps, scanner)),
        propertyRuns(0.15),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'never make a creation of what was left out, and ignored files never cost the record',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, fc.integer({ min: 1, max: 12 }), (steps, maxEntries) =>
          playCrowded(steps, scanner, maxEntries),
        ),
        propertyRuns(0.15),
      );
    },
    TIMEOUT_MS,
  );
});

async function playRounds(steps: readonly (readonly Step[])[], scanner: Scanner): Promise<void> {
  const place = new ScanPlace(scanner);
  const scan = (previous: ScanIndex | null) => place.scanNow(previous, { clock: REAL_CLOCK });
  try {
    let before = { index: (await scan(null)).index, disk: readDisk(place.root) };
    for (const round of steps) {
      for (const step of round) doStep(place.root, step);
      const { index, differences } = await scan(before.index);
      const after = { index, disk: readDisk(place.root) };
      expectSameEntries(index, (await scan(null)).index);
      expectLaws(differences, before, after);
      before = after;
    }
  } finally {
    place.removeTree();
  }
}

/** Small ignored files are kept, as far as a limit has room for them. */
async function playCrowded(
  steps: readonly (readonly Step[])[],
  scanner: Scanner,
  maxEntries: number,
): Promise<void> {
  const place = new ScanPlace(scanner);
  const onRecord = new Set<string>();
  const scan = (previous: ScanIndex | null, keepIgnored: boolean) => {
    const global = { excludesFile: null, infoExclude: null, keepIgnored };
    const privates = { onRecord, takesNew: true };
    const more = { clock: REAL_CLOCK, global, privates, maxEntries };
    return scanner.scan(place.request(previous, more));
  };
  try {
    let before: Moment | null = null;
    for (const round of steps) {
      for (const step of round) doStep(place.root, step);
      const found = await scan(before?.index ?? null, true);
      if (found.kind === 'gave-up') {
        expect((await scan(null, false)).kind).toBe('gave-up');
        continue;
      }
      if (before !== null) expectPromise(found.differences, before);
      const { index } = found;
      before = { index, disk: readDisk(place.root) };
      for (const [entry, path] of pathsIn(index).entries()) {
        if (index.isPrivate(entry)) onRecord.add(path);
      }
    }
  } finally {
    place.removeTree();
  }
}

describe('random trees', () => {
  it(
    'are in the order of git’s own index',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, (steps) => comparesWithGit(steps)),
        propertyRuns(0.15),
      );
    },
    TIMEOUT_MS,
  );
});

async function comparesWithGit(steps: readonly (readonly Step[])[]): Promise<void> {
  const place = new ScanPlace();
  try {
    // Rules aside: what git says of them has tests of its own.
    for (const step of steps.flat()) if (step.kind !== 'rules') doStep(place.root, step);
    const git = gitIn(place.root);
    git('init', '--quiet');
    git('add', '--all', '--force');
    const listed = git('ls-files', '-z').toString('latin1').split('\0').slice(0, -1);
    const { index } = await place.scanNow(null, {
      global: { excludesFile: '!*', infoExclude: null },
    });
    const files = pathsIn(index).filter((_path, entry) => !index.isDirectory(entry));
    expect(files).toEqual(listed.map((path) => bytesToPath(Buffer.from(path, 'latin1'))));
  } finally {
    await place.remove();
  }
}

function gitIn(root: string): (...args: string[]) => Buffer {
  const home = `${root}/.git/home`;
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return (...args) => execFileSync('git', args, { cwd: root, env });
}
