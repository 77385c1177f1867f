import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyPlace, makeScratch, withFolder } from '../scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from '../scenario/rewind-scenario.ts';
import { removeTree } from '../scenario/tree.ts';
import { callSite, changesFiles, type FileCall, isOnProject } from './file-calls.ts';
import { describeWithStrace } from './needs-strace.ts';
import { record } from './recording.ts';
import { WRITING_CALLS } from './strace.ts';

describeWithStrace('a recording', () => {
  let scratch: string;
  let scenario: RewindScenario;
  let calls: readonly FileCall[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
    calls = await recordRewind();
  });

  afterAll(() => removeTree(scratch));

  test('sees the pool sync the staged files, the folders and the modes of a rewind', () => {
    const synced = callsOfPool('fsync').map(callSite);
    expect(new Set(synced)).toEqual(
      new Set([
        'fsync project/.savepoint-*.new',
        'fsync project/src/.savepoint-*.new',
        'fsync project',
        'fsync project/src',
        'fsync project/docs',
        'fsync project/run.sh',
        'fsync project/shared',
        'fsync project/to-file',
        'fsync project/to-folder',
      ]),
    );
  });

  test('sees the pool close only what has lost its name', () => {
    const closed = callsOfPool('close');
    expect(closed.length).toBeGreaterThan(0);
    for (const close of closed) {
      const unlink = calls.find(({ name, file }) => name === 'unlink' && file === close.file);
      expect(unlink?.ended ?? Number.POSITIVE_INFINITY).toBeLessThan(close.began);
    }
  });

  test('sees every staged file synced between its last write and its real name', () => {
    const links = calls.filter((call) => /^link(at)?$/.test(call.name) && isOnProject(call));
    expect(links.length).toBeGreaterThan(5);
    const sites = calls.map((call) => `${call.name} ${call.file}`);
    const staged = new Set(calls.flatMap(({ name, file }) => (name === 'fchmod' ? [file] : [])));
    for (const file of staged) {
      const sync = sites.indexOf(`fsync ${file}`);
      expect(sync).toBeGreaterThan(sites.lastIndexOf(`fchmod ${file}`));
      expect(sync).toBeLessThan(calls.indexOf(links[0] as FileCall));
    }
  });

  test('counts the syncs of the pool on their own, among the moments to kill a process at', () => {
    const points = calls.filter((call) => changesFiles(call, WRITING_CALLS));
    const onPool = points.filter(({ thread }) => thread === 'pool');
    expect(onPool.map(({ nth }) => nth)).toEqual(onPool.map((_, index) => index + 1));
    expect(onPool.length).toBeGreaterThan(12);
  });

  test('counts reads as the next run does, in which one of them is to fail', async () => {
    expect(reads(await recordRewind())).toEqual(reads(calls));
    expect(reads(calls).length).toBeGreaterThan(30);
  });

  async function recordRewind(): Promise<readonly FileCall[]> {
    const recording = await withFolder(scratch, (folder) =>
      record(scratch, copyPlace(scenario.template, folder), rewindSteps(scenario)),
    );
    return recording.calls;
  }

  function callsOfPool(wanted: string): FileCall[] {
    return calls.filter(
      ({ thread, file, name }) => thread === 'pool' && file !== null && name === wanted,
    );
  }
});

/** Each read of a file with its number. */
function reads(calls: readonly FileCall[]): string[] {
  return calls
    .filter(({ name, file }) => name === 'pread64' && file !== null)
    .map((call) => `${callSite(call)} #${call.nth}`);
}
