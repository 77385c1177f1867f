import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyPlace, makeScratch, withFolder } from '../scenario/place.ts';
import { makeRewindScenario, rewindSteps } from '../scenario/rewind-scenario.ts';
import { removeTree } from '../scenario/tree.ts';
import { parseCalls } from './calls.ts';
import { callSite, changesFiles, type FileCall, isOnProject } from './file-calls.ts';
import { describeWithStrace } from './needs-strace.ts';
import { record } from './recording.ts';
import { WRITING_CALLS } from './strace.ts';

describeWithStrace('a recording', () => {
  let scratch: string;
  let calls: readonly FileCall[];

  beforeAll(async () => {
    scratch = makeScratch();
    const scenario = await makeRewindScenario(scratch);
    ({ calls } = await withFolder(scratch, (folder) =>
      record(scratch, copyPlace(scenario.template, folder), rewindSteps(scenario)),
    ));
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

  test('does not count what the runtime asks about the machine in some runs only', () => {
    const hex = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '\\x$&');
    const open = (path: string) => `openat(AT_FDCWD, "${hex(path)}", O_RDONLY) = 5<${hex(path)}>`;
    const log = [open('/a'), open('/sys/devices/system/cpu/online'), open('/b')].join('\n');
    expect(parseCalls(log).map(({ nth }) => nth)).toEqual([1, 2]);
  });

  test('counts the syncs of the pool on their own, among the moments to kill a process at', () => {
    const points = calls.filter((call) => changesFiles(call, WRITING_CALLS));
    const onPool = points.filter(({ thread }) => thread === 'pool');
    expect(onPool.map(({ nth }) => nth)).toEqual(onPool.map((_, index) => index + 1));
    expect(onPool.length).toBeGreaterThan(12);
  });

  function callsOfPool(wanted: string): FileCall[] {
    return calls.filter(
      ({ thread, file, name }) => thread === 'pool' && file !== null && name === wanted,
    );
  }
});
