import { cpSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSavepoint, type Savepoint } from '../../src/index.ts';
import { makePlace, makeScratch, type Place, storeOf } from '../crash/scenario/place.ts';
import { removeTree } from '../crash/scenario/tree.ts';
import { filesIn } from './restored.ts';

let scratch: string;
let place: Place;
beforeEach(() => {
  scratch = makeScratch();
  place = makePlace(join(scratch, 'place'));
});
afterEach(() => removeTree(scratch));

function open(): Promise<Savepoint> {
  const environment = { PATH: process.env.PATH ?? '', HOME: scratch };
  return openSavepoint({ project: place.project, home: place.home, scan: true, environment });
}

/** By a person: only a scan finds it. */
async function write(name: string, content: string): Promise<void> {
  writeFileSync(join(place.project, name), content);
  // What was written right before a scan is looked at by the next one, whatever the index says.
  await setTimeout(50);
}

it.each([
  [0, 'x'],
  [6, 'x'],
  [6, 'c'],
])(
  'a scan finds what they had, after %i captures of %s with the same numbers',
  async (captures, path) => {
    const savepoint = await open();
    await savepoint.checkpoint();
    const log = join(storeOf(place), 'store.db-wal');
    const ends: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      ends.push(statSync(log).size);
      await write(name, name.repeat(100));
      await savepoint.checkpoint();
    }
    const killed = join(scratch, 'killed');
    cpSync(storeOf(place), killed, { recursive: true });
    await savepoint.close();
    for (const end of ends) {
      rmSync(storeOf(place), { recursive: true });
      cpSync(killed, storeOf(place), { recursive: true });
      truncateSync(log, end);
      expect(await scannedAfter(captures, path)).toEqual(filesIn(place.project));
    }
  },
);

/** The tree of a new checkpoint, by a process that finds the stat index of the one that was killed. */
async function scannedAfter(captures: number, path: string): Promise<ReadonlyMap<string, string>> {
  const savepoint = await open();
  try {
    for (let n = 0; n < captures; n += 1) {
      const request = { sessionId: 'agent', messageId: 'm', paths: [path], toolCallId: 'call' };
      const capture = await savepoint.captureBefore(request);
      writeFileSync(join(place.project, path), String(n));
      await savepoint.captureAfter(capture);
    }
    const { id } = await savepoint.checkpoint();
    const tree = join(scratch, 'tree');
    rmSync(tree, { recursive: true, force: true });
    await savepoint.materialize(id, tree);
    return filesIn(tree);
  } finally {
    await savepoint.close();
  }
}

it('what retention dropped is not lost: the next scan still tells a new file from an old one', async () => {
  const savepoint = await open();
  for (const name of ['a', 'b']) {
    await write(name, name);
    await savepoint.checkpoint({ sessionId: 'agent' });
  }
  await savepoint.checkpoint({ sessionId: 'agent' });
  expect(await savepoint.cleanup({ maxCheckpointsPerSession: 1 })).toMatchObject({ changes: 1 });
  await savepoint.close();
  const again = await open();
  const [before] = await again.list();
  await write('new', 'new');
  await again.checkpoint();
  await again.rewind({ to: before?.id ?? '', take: 'exact' });
  await again.close();
  expect([...filesIn(place.project).keys()].sort()).toEqual(['a', 'b']);
});
