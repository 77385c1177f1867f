import { appendFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, pathsIn, ScanPlace } from '../../../test/scan/scan-place.ts';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { encodeIndex } from './kept-index.ts';
import { ScanControl } from './scan-control.ts';
import { RunningScan, Scanner, type ScanOutcome } from './scanner.ts';
import type { Task } from './worker-pool.ts';

// No tree is too small here to be shared among threads.
const FORCED = { workers: 2, largeTree: 0 };

let place: ScanPlace;
let alone: ScanPlace;
beforeEach(() => {
  place = new ScanPlace(new Scanner(FORCED));
  alone = new ScanPlace();
  for (let file = 0; file < 300; file += 1) place.write(`top-${file % 40}/sub-${file % 3}/${file}`);
  place.write('top-1/.gitignore', 'sub-1/\n*7\n');
  place.write('top-2/package.json');
  place.write('top-2/dist/out');
  place.write('a/b/c/d/e');
});
afterEach(async () => {
  await place.remove();
  await alone.remove();
});

describe('several threads', () => {
  it.each([0, 50])('find the same as one thread, from %i entries on', async (largeTree) => {
    const scanner = new Scanner({ workers: 2, largeTree });
    const shared = await scanner.scan(place.request(null)).finally(() => scanner.close());
    if (shared.kind !== 'complete') throw new Error('the scan gave up');
    const single = await alone.scan(null, { root: place.root });
    const bytes = [shared, single].map((found) => Buffer.concat(encodeIndex(found.index)));
    expect(bytes[0]?.equals(bytes[1] as Buffer)).toBe(true);
  });

  it('find the changes after a scan that found few', async () => {
    let { index } = await place.scan(null);
    for (const path of ['top-3/sub-0/3', 'a/b/c/d/e', 'top-3/sub-0/3']) {
      appendFileSync(place.at(path), 'more');
      const shared = await place.scan(index);
      const single = await alone.scan(index, { root: place.root });
      expectDifferences(shared, { touched: [path] });
      expectDifferences(single, { touched: [path] });
      // The threads have gone by the same columns all the time, and so has the index.
      expect(shared.index.columns).toBe(index.columns);
      index = shared.index;
    }
    expectDifferences(await place.scan(index), {});
  });

  it('use other columns when names have changed', async () => {
    const first = await place.scan(null);
    await place.scan(first.index);
    place.write('a/a');
    const second = await place.scan(first.index);
    appendFileSync(place.at('top-3/sub-0/3'), 'more');
    expectDifferences(await place.scan(second.index), { touched: ['top-3/sub-0/3'] });
  });

  it('find all kinds of changes', async () => {
    const { index } = await place.scan(null);
    place.write('top-3/sub-0/new');
    place.write('a/b/c/d/e', 'another size');
    place.delete('top-39');
    const shared = await place.scan(index);
    const single = await alone.scan(index, { root: place.root });
    expect(shared.differences.touched).toEqual(['a/b/c/d/e']);
    expect(shared.differences.gone.length).toBeGreaterThan(5);
    expectDifferences(shared, { ...single.differences });
    expect(pathsIn(shared.index)).toEqual(pathsIn(single.index));
  });

  it('do several scans at once', async () => {
    const { index } = await place.scan(null);
    place.write('new');
    const scans = [index, null, index, null].map((previous) => place.scan(previous));
    const found = await Promise.all(scans);
    const paths = found.map((one) => pathsIn(one.index));
    expect(paths[0]).toContain('new');
    for (const other of paths) expect(other).toEqual(paths[0]);
  });

  it('keep to a limit on entries together', async () => {
    const { index } = await place.scan(null);
    const most = { maxEntries: index.count };
    expect((await place.scan(null, most)).index.count).toBe(index.count);
    const request = place.request(null, { maxEntries: index.count - 1 });
    expect(await place.scanner.scan(request)).toEqual({
      kind: 'gave-up',
      reason: 'too-many-entries',
    });
  });
});

describe('threads that are no longer needed', () => {
  const codes: number[] = [];
  const watch = (worker: Worker) => void worker.once('exit', (code) => codes.push(code));
  beforeEach(() => {
    codes.length = 0;
    process.on('worker', watch);
  });
  afterEach(() => process.off('worker', watch));

  it('end by themselves, and none is left when the scanner is closed', async () => {
    await place.scan(null);
    await place.scanner.close();
    // A thread that was terminated has the code 1.
    expect(codes).toEqual([0, 0]);
  });

  it.each(['first', 'later'])('end by themselves in the middle of a %s scan', async (which) => {
    const index = which === 'first' ? null : (await place.scan(null)).index;
    const scan = place.scanner.scan(place.request(index));
    await place.scanner.close();
    expect(codes).toEqual([0, 0]);
    expect(await scan).toEqual({ kind: 'gave-up', reason: 'aborted' });
  });
});

it('lets a process with nothing else to do wait for the end of a busy thread', async () => {
  const script = `
    const { WorkerPool } = await import(process.argv[1]);
    const pool = new WorkerPool(1);
    pool.run({ kind: 'walk' }).catch(() => undefined);
    await pool.close();
    process.exitCode = 3;
  `;
  const child = new ChildScript(script, new URL('worker-pool.ts', import.meta.url).href);
  expect(await child.ends()).toBe(3);
});

describe('threads that die or cannot be started', () => {
  it('are replaced by the calling thread', async () => {
    const { index } = await place.scan(null);
    place.write('top-3/sub-0/new');
    const first = await runAlone(null);
    const later = await runAlone(index);
    const expected = pathsIn((await place.scan(null)).index);
    for (const outcome of [first, later]) {
      if (outcome.kind !== 'complete') throw new Error('the scan gave up');
      expect(pathsIn(outcome.index)).toEqual(expected);
    }
  });

  async function runAlone(previous: Parameters<ScanPlace['scan']>[0]): Promise<ScanOutcome> {
    const none = {
      size: 2,
      run(task: Task) {
        // It died in the middle of its work.
        const limits = { maxEntries: 0, deadline: null, now: () => 0 };
        new ScanControl(limits, task.control).takeChunk();
        return Promise.reject(new Error('a thread ended'));
      },
    };
    const scan = new RunningScan(place.request(previous), none, 0);
    try {
      return await scan.run();
    } finally {
      scan.end();
    }
  }
});
