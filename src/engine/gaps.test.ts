import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeScratch, removeScratch } from '../../test/e2e/scratch.ts';
import { SavepointError } from '../model/errors.ts';
import { memoryStore } from '../store/sqlite/memory-store.ts';
import type { Store } from '../store/store.ts';
import { GapKeepingStore, noteGap } from './gaps.ts';

const away = (): SavepointError => new SavepointError('store-unreachable', 'away');
const LOCK = { timeoutMs: 1_000 };

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = makeScratch();
  store = await memoryStore();
});
afterEach(async () => {
  await store.close();
  removeScratch(directory);
});

/** As `store`, with something that happens right after each commit. */
function after(happens: () => void): Store {
  const commit: Store['timeline']['commit'] = async (batch) => {
    await store.timeline.commit(batch);
    happens();
  };
  const [lock, state]: [Store['lock'], Store['state']] = [
    (options) => store.lock(options),
    () => store.state(),
  ];
  return { lock, state, timeline: { ...store.timeline, commit } } as Store;
}

async function recorded(): Promise<string[]> {
  return (await store.timeline.checkpoints({ oldestFirst: true })).map(
    ({ description }) => description.split(',')[0] ?? '',
  );
}

it('counts an error once, however often it is told', () => {
  const error = away();
  noteGap(directory, error, 1);
  noteGap(directory, error, 2);
  noteGap(directory, away(), 3);
  const text = readFileSync(join(directory, 'gap.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({ since: 1, until: 3, times: 2 });
});

it('keeps a gap that another process notes while one is put on record', async () => {
  noteGap(directory, away(), 1);
  let isFirst = true;
  const busy = after(() => {
    if (isFirst) noteGap(directory, away(), 2);
    isFirst = false;
  });
  (await new GapKeepingStore(busy, directory, () => 3).lock(LOCK)).release();
  const one = 'the database server was away: one event not recorded';
  expect(await recorded()).toEqual([one, one]);
  expect(readdirSync(directory)).toEqual([]);
});

it('puts a gap on record that a process which was killed had set aside', async () => {
  noteGap(directory, away(), 1);
  const killed = after(() => {
    throw away();
  });
  await expect(new GapKeepingStore(killed, directory, () => 2).lock(LOCK)).rejects.toThrow('away');
  expect(existsSync(join(directory, 'gap.json'))).toBe(false);
  const next = new GapKeepingStore(store, directory, () => 3);
  await next.recordGap(0);
  expect((await recorded()).length).toBe(2);
  expect(readdirSync(directory)).toEqual([]);
});
