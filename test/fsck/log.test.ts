import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkLog } from '../../src/store/sqlite/check/check-log.ts';
import { checkStore } from '../../src/store/sqlite/check/check-store.ts';
import { randomFrom } from '../crash/campaign.ts';
import { SampleStore } from './sample-store.ts';

const FILES = ['store.db', 'store.db-wal', 'store.db-shm'] as const;
let sample: SampleStore;
let kept: string;
let folder: string;

/** As a process that is killed leaves them: with commits that are in the log alone. */
beforeAll(async () => {
  sample = await SampleStore.make();
  kept = join(sample.base, 'kept');
  mkdirSync(kept);
  const savepoint = await sample.open();
  for (let turn = 0; turn < 3; turn += 1) await savepoint.checkpoint({ label: `last ${turn}` });
  for (const name of FILES) copyFileSync(join(sample.store, name), join(kept, name));
  await savepoint.close();
});
beforeEach(() => {
  folder = join(sample.base, 'damaged');
  mkdirSync(folder, { recursive: true });
  for (const name of FILES) copyFileSync(join(kept, name), join(folder, name));
});
afterAll(() => sample.remove());

function found(): string[] {
  return checkLog(join(folder, 'store.db')).map(({ kind }) => kind);
}

it('is right as it was left, and is read with the rest', async () => {
  expect(readFileSync(join(folder, 'store.db-wal')).length).toBeGreaterThan(4_096);
  expect(found()).toEqual([]);
  const { problems } = await checkStore(folder);
  expect(problems.filter(({ kind }) => kind === 'log' || kind === 'database')).toEqual([]);
});

it('is named when any bit of it is another, since what follows would be lost without a word', () => {
  const random = randomFrom(7);
  const file = join(folder, 'store.db-wal');
  const whole = readFileSync(join(kept, 'store.db-wal'));
  for (let turn = 0; turn < 200; turn += 1) {
    const bytes = Buffer.from(whole);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, bytes);
    expect([at, found()]).toEqual([at, ['log']]);
  }
});

it('is named when its end is missing', () => {
  const file = join(folder, 'store.db-wal');
  for (const share of [0.9, 0.5, 0.1]) {
    copyFileSync(join(kept, 'store.db-wal'), file);
    truncateSync(file, Math.floor(readFileSync(file).length * share));
    expect(found()).toEqual(['log']);
  }
  // At the end of a frame only those who shared the log can tell.
  copyFileSync(join(kept, 'store.db-wal'), file);
  truncateSync(file, 32 + 24 + 4_096);
  expect(found()).toEqual(['log']);
});

it('is right with frames behind its last commit, of a transaction that was taken back', () => {
  const other = join(folder, 'other.db');
  const database = new DatabaseSync(other);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 1;
    CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (zeroblob(400000)); ROLLBACK; INSERT INTO t VALUES (1)`);
  expect(readFileSync(`${other}-wal`).length).toBeGreaterThan(200_000);
  expect(checkLog(other)).toEqual([]);
  // Also where nobody left word of how long it is.
  copyFileSync(`${other}-wal`, join(folder, 'alone.db-wal'));
  expect(checkLog(join(folder, 'alone.db'))).toEqual([]);
  database.close();
});

it('ends in no damage when its last commit was torn by a power cut, before anybody knew of it', () => {
  rmSync(join(folder, 'store.db-shm'));
  const file = join(folder, 'store.db-wal');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0, bytes.length - 2_000));
  expect(found()).toEqual(['leftover']);
  truncateSync(file, bytes.length - 2_000);
  expect(found()).toEqual(['leftover']);
  // With a commit behind it, something that was durable is lost.
  writeFileSync(file, readFileSync(join(kept, 'store.db-wal')).fill(0x55, 1_000, 1_010));
  expect(found()).toEqual(['log']);
});
