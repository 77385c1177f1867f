import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { ATTRIBUTIONS, CHANGE_ORIGINS, type Change } from '../../../model/change.ts';
import { ABSENT, type State } from '../../../model/state.ts';
import {
  changeOf,
  checkpointOf,
  fileOf,
  pathOf,
  textBlob,
} from '../../../testing/store/samples.ts';
import { checkStore } from '../check/check-store.ts';
import { sqliteStore } from '../sqlite-store.ts';
import { repairStore, type StoreRepair } from './repair-store.ts';

const CHANGES = 300;
const PATHS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const PAGE = 4096;
const [ONE, TWO] = [textBlob('one'), textBlob('two')];

describe('the repair of a store that has lost changes', () => {
  it('does not let the next change speak for the time before the first one, which is lost', () =>
    withStore(async (folder) => {
      changeTable(folder, 'DELETE FROM changes WHERE seq = 2');
      const { lost } = await repaired(folder);
      expect(lost).toMatchObject([
        {},
        { kind: 'chain', message: 'one of its changes is lost', paths: [pathOf('a')] },
      ]);
      expect(await unknownsIn(folder)).toEqual(['before 9']);
    }));

  it('does not take a chain for whole that has lost a change and the one that took it back', () =>
    withStore(async (folder) => {
      changeTable(folder, 'DELETE FROM changes WHERE seq IN (23, 30)');
      await repaired(folder);
      expect(await unknownsIn(folder)).toEqual(['after 16', 'before 37']);
    }));

  it('notices a change that damage has given to another path', () =>
    withStore(async (folder) => {
      changeTable(folder, 'UPDATE changes SET path = path + 1 WHERE seq = 2');
      await repaired(folder);
      expect(await unknownsIn(folder)).toContain('before 9');
    }));

  it('does not let the last known state speak for checkpoints before changes that are all lost', () =>
    withStore(async (folder) => {
      execute(folder, 'DELETE FROM changes WHERE path = 1');
      const { problems } = await checkStore(folder);
      expect(problems).toMatchObject([{ kind: 'chain', paths: [pathOf('a')] }]);
      await repaired(folder);
    }));

  it('does not take changes for lost that retention has removed', () =>
    withStore(async (folder) => {
      const last = CHANGES + 2;
      const store = await sqliteStore({ directory: folder });
      await store.timeline.commit({
        base: last - 1,
        checkpoints: [checkpointOf(last)],
        removedCheckpoints: [checkpointOf(1).id],
      });
      expect(await store.maintain('prune', last)).toMatchObject({ changes: CHANGES });
      await store.close();
      expect((await checkStore(folder)).problems).toEqual([]);
    }));

  it('makes nothing unknown where only an entry of the index is wrong', () =>
    withStore(async (folder) => {
      execute(folder, 'UPDATE changes SET seq = 999 WHERE seq = 9');
      changeTable(folder, 'UPDATE changes SET seq = 9 WHERE seq = 999');
      expect(await repaired(folder)).toMatchObject({ salvaged: true, lost: [] });
      expect(await unknownsIn(folder)).toEqual([]);
    }));

  it.each([
    ['a page is broken', (bytes: Buffer, at: number) => bytes.fill(0x55, at, at + PAGE)],
    [
      'the database ends in the middle of a page',
      (bytes: Buffer, at: number) => bytes.subarray(0, at + PAGE / 2),
    ],
  ])(
    'knows no wrong state where %s, and the index of paths is lost too',
    (_, damage) =>
      withStore(async (folder) => {
        const file = join(folder, 'store.db');
        const whole = readFileSync(file);
        const index = (rootPage(folder, 'changes_path') - 1) * PAGE;
        const leaves = range(4).map((n) => whole.length - (1 + 3 * n) * PAGE);
        for (const at of leaves) {
          const bytes = Buffer.from(whole).fill(0x55, index, index + PAGE);
          writeFileSync(file, damage(bytes, at));
          const { kept } = await repaired(folder);
          expect(kept.changes).toBeGreaterThan(CHANGES / 3);
          expect(kept.changes).toBeLessThan(CHANGES);
          const unknowns = await unknownsIn(folder);
          expect(unknowns.length).toBeGreaterThan(0);
          expect(unknowns.length).toBeLessThan(30);
        }
      }),
    30_000,
  );
});

describe('the repair of a row with a damaged column', () => {
  it.each([
    ['owner', "'{'"],
    ['origin', '99'],
    ['attribution', "'x'"],
    ['tool_call_id', "'another'"],
  ])('leaves a change that can be read: %s', (column, value) =>
    withStore(async (folder) => {
      execute(folder, `UPDATE changes SET ${column} = ${value} WHERE seq = 9`);
      expect((await checkStore(folder)).problems).not.toEqual([]);
      await repairStore(folder);
      // What is left over is the old database.
      expect((await checkStore(folder)).problems).toMatchObject([{ kind: 'leftover' }]);
      const store = await sqliteStore({ directory: folder });
      const [change] = (await store.timeline.changes({})).filter(({ seq }) => seq === 9);
      await store.close();
      expect(change).toMatchObject({ owner: null, before: { kind: 'unknown' } });
      expect(CHANGE_ORIGINS).toContain(change?.origin);
      expect(ATTRIBUTIONS).toContain(change?.attribution);
    }),
  );

  it('reads the sequence number beside a damaged baseline, and names the damage', () =>
    withStore(async (folder) => {
      execute(folder, "INSERT INTO meta (key, value, seal) VALUES ('baseline', '{', 0)");
      const store = await sqliteStore({ directory: folder });
      const state = await store.state();
      await store.close();
      expect(state.seq).toBe(CHANGES + 1);
      expect(() => state.baseline).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
    }));
});

function range(count: number): number[] {
  return [...Array(count).keys()];
}

/**
 * Seven paths change in turn: from nothing to `one`, and then between `two` and `one`. So two changes can be
 * lost in the middle of a chain, and the rest still seems joined.
 */
function allChanges(): Change[] {
  return range(CHANGES).map((at) => {
    const round = Math.floor(at / PATHS.length);
    return changeOf(at + 2, PATHS[at % PATHS.length] ?? '', {
      before: stateAfter(round - 1),
      after: stateAfter(round),
      // So long that the table has more than a dozen pages.
      toolCallId: 'call'.repeat(40),
    });
  });
}

function stateAfter(round: number): State {
  if (round < 0) return ABSENT;
  return fileOf(round % 2 === 0 ? ONE : TWO);
}

async function withStore(work: (folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    await store.timeline.commit({
      base: 0,
      blobs: [ONE, TWO],
      checkpoints: [checkpointOf(1)],
      changes: allChanges(),
    });
    await store.close();
    await work(folder);
  });
}

/** Repairs, and compares each state that is known at any number with what it was. */
async function repaired(folder: string): Promise<StoreRepair> {
  const repair = await repairStore(folder);
  expect(repair.left.problems.map(({ kind }) => kind)).toEqual(['leftover']);
  const store = await sqliteStore({ directory: folder });
  const heads = await store.timeline.heads();
  const changes = await store.timeline.changes({});
  await store.close();
  expect(heads).toHaveLength(PATHS.length);
  for (const { path, state } of heads) {
    const left = changes.filter((change) => change.path === path);
    const all = allChanges().filter((change) => change.path === path);
    for (let seq = 1; seq <= CHANGES + 1; seq += 1) {
      const found = left.find((change) => change.seq > seq)?.before ?? state;
      const right = all.find((change) => change.seq > seq)?.before ?? all.at(-1)?.after;
      if (found.kind !== 'unknown') expect([path, seq, found]).toEqual([path, seq, right]);
    }
  }
  return repair;
}

async function unknownsIn(folder: string): Promise<string[]> {
  const store = await sqliteStore({ directory: folder });
  const changes = await store.timeline.changes({});
  await store.close();
  return changes.flatMap(({ seq, before, after }) => [
    ...(before.kind === 'unknown' ? [`before ${seq}`] : []),
    ...(after?.kind === 'unknown' ? [`after ${seq}`] : []),
  ]);
}

function execute(folder: string, ...statements: readonly string[]): void {
  for (const sql of statements) {
    const database = new DatabaseSync(join(folder, 'store.db'), { defensive: false });
    database.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${sql}`);
    database.close();
  }
}

/** Changes the table of changes and leaves its index of paths as it is, as damage does. */
function changeTable(folder: string, sql: string): void {
  const page = rootPage(folder, 'changes_path');
  execute(
    folder,
    "DELETE FROM sqlite_schema WHERE name = 'changes_path'",
    sql,
    `INSERT INTO sqlite_schema VALUES
      ('index', 'changes_path', 'changes', ${page}, 'CREATE INDEX changes_path ON changes(path)')`,
  );
}

function rootPage(folder: string, name: string): number {
  const database = new DatabaseSync(join(folder, 'store.db'), { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name);
  database.close();
  return Number(row?.rootpage);
}
