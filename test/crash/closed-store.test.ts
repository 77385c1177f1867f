import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSavepoint, type Savepoint, sqliteStore } from '../../src/index.ts';
import { allProblems, titled } from './campaign.ts';
import { checkRewind, depthAt } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, type Place, storeOf, withFolder } from './scenario/place.ts';
import { makeRewindScenario, type RewindScenario } from './scenario/rewind-scenario.ts';
import { differences, removeTree, type Tree, treeOf } from './scenario/tree.ts';

let scratch: string;
let scenario: RewindScenario;

beforeAll(async () => {
  scratch = makeScratch();
  scenario = await makeRewindScenario(scratch);
});

afterAll(() => removeTree(scratch));

test('a rewind touches nothing more once the store was closed under it', async () => {
  const waits = await countWaits();
  expect(waits).toBeGreaterThan(12);
  const verdicts = [];
  for (let nth = 1; nth <= waits; nth += 1) {
    verdicts.push(
      await titled(`closed at sync ${nth}`, () => onCopy((place) => close(place, nth))),
    );
  }
  expect(allProblems(verdicts)).toEqual([]);
  const said = verdicts.map((verdict) => ('said' in verdict ? verdict.said : ''));
  expect(new Set(said)).toEqual(new Set(['restore-unfinished']));
});

test('closing a savepoint waits for the rewind that runs', async () => {
  await onCopy(async (place) => {
    const savepoint = await openSavepoint({ ...place, adopt: true });
    let closing: Promise<void> | undefined;
    const stop = beforeSyncs(() => {
      closing ??= savepoint.close();
    });
    const receipt = await savepoint.rewind({ to: scenario.target }).finally(stop);
    await closing;
    expect(receipt.success).toBe(true);
    expect(treeOf(place.project)).toEqual(scenario.after);
  });
});

/** How often a rewind waits for the disk and lets others of its process have their turn. */
function countWaits(): Promise<number> {
  return onCopy(async (place) => {
    const savepoint = await openSavepoint({ ...place, adopt: true });
    let count = 0;
    const stop = beforeSyncs((nth) => {
      count = nth;
    });
    await savepoint.rewind({ to: scenario.target }).finally(stop);
    await savepoint.close();
    return count;
  });
}

/** Whoever comes next may have the lock already: from the close on the files are theirs. */
async function close(place: Place, nth: number): Promise<{ said: string; problems: string[] }> {
  const store = await sqliteStore({ directory: storeOf(place) });
  const savepoint = await openSavepoint({ project: place.project, store, adopt: true });
  let atClose: Tree = {};
  const stop = beforeSyncs((count) => {
    if (count !== nth) return;
    atClose = treeOf(place.project);
    void store.close();
  });
  const said = await outcome(savepoint).finally(stop);
  const touched = differences(treeOf(place.project), atClose);
  const { problems } = await checkRewind(place, scenario, false, depthAt(nth));
  return { said, problems: [...touched.map((path) => `touched ${path}`), ...problems] };
}

function outcome(savepoint: Savepoint): Promise<string> {
  return savepoint.rewind({ to: scenario.target }).then(
    () => 'done',
    (error: { code?: unknown }) => String(error.code),
  );
}

/** Lets something happen just before each sync on the thread pool, until the end that it returns. */
function beforeSyncs(act: (nth: number) => void): () => void {
  const original = fs.fsync;
  let count = 0;
  const patched = (fd: number, done: fs.NoParamCallback): void => {
    count += 1;
    act(count);
    original(fd, done);
  };
  fs.fsync = patched as typeof fs.fsync;
  syncBuiltinESMExports();
  return () => {
    fs.fsync = original;
    syncBuiltinESMExports();
  };
}

function onCopy<T>(work: (place: Place) => Promise<T>): Promise<T> {
  return withFolder(scratch, (folder) => work(copyPlace(scenario.template, folder)));
}
