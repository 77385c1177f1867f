import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { ManifestWriter } from '../../../model/manifest.ts';
import {
  assertReadable,
  baselineOf,
  changeOf,
  checkpointOf,
  executionOf,
  fileOf,
  groupsOf,
  noiseBlob,
  pathOf,
  rejectsWith,
  sessionOf,
  textBlob,
} from '../../../testing/store/samples.ts';
import { blobOf } from '../../blob.ts';
import type { Blob } from '../../store.ts';
import { checkStore } from '../check/check-store.ts';
import { Connection } from '../connection.ts';
import { layoutOf } from '../layout.ts';
import { buildFresh } from '../open-database.ts';
import { sqliteStore } from '../sqlite-store.ts';
import { copyTable } from './copy-rows.ts';
import { repairStore } from './repair-store.ts';

const [ONE, TWO] = [textBlob('one'), textBlob('two')];

describe('the repair of a store', () => {
  it('names the path of a damaged change, and keeps the old database', () =>
    withStore(async (folder) => {
      execute(folder, 'UPDATE changes SET created_at = created_at + 1 WHERE seq = 2');
      const { problems } = await checkStore(folder);
      expect(problems).toMatchObject([{ kind: 'row', paths: [pathOf('a')] }]);
      const { lost, rows, left, folder: aside } = await repairStore(folder);
      expect([lost, rows]).toEqual([problems, 1]);
      expect(left.problems.map(({ kind }) => kind)).toEqual(['leftover']);
      expect(readdirSync(aside ?? '')).toEqual(['store.db']);
    }));

  it('makes a change readable whose other authors are damaged', () =>
    withStore(async (folder) => {
      execute(folder, `UPDATE changes SET co_authors = '[{' WHERE seq = 2`);
      const damaged = await sqliteStore({ directory: folder });
      await rejectsWith(damaged.timeline.changes({ sessionIds: ['nobody'] }), 'store-corrupt');
      await damaged.close();
      await repairStore(folder);
      const store = await sqliteStore({ directory: folder });
      const changes = await store.timeline.changes({ sessionIds: ['nobody'] });
      expect(changes).toEqual([]);
      expect((await store.timeline.changes({}))[0]?.coAuthors).toBe(null);
      await store.close();
    }));

  it('removes only the damaged one of two cancellations of a change', () =>
    withStore(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      const changes = [
        changeOf(4, 'a', { before: fileOf(TWO), after: fileOf(ONE) }),
        changeOf(5, 'a', { before: fileOf(ONE), after: fileOf(TWO) }),
      ];
      const cancellations = [
        { by: 4, change: 3, inPart: false },
        { by: 5, change: 3, inPart: false },
      ];
      await store.timeline.commit({ base: 3, changes, cancellations });
      await store.close();
      execute(folder, 'UPDATE cancellations SET seal = seal + 1 WHERE by_seq = 5');
      const { rows } = await repairStore(folder);
      const again = await sqliteStore({ directory: folder });
      expect([rows, await again.timeline.cancellations([3])]).toEqual([
        1,
        [{ by: 4, change: 3, inPart: false }],
      ]);
      await again.close();
    }));

  it(
    'replaces nothing when somebody else holds the database, and says so',
    () =>
      withStore(async (folder) => {
        const before = readFileSync(join(folder, 'store.db'));
        const holder = new DatabaseSync(join(folder, 'store.db'));
        holder.exec('PRAGMA locking_mode = EXCLUSIVE');
        holder.exec('BEGIN EXCLUSIVE');
        await rejectsWith(repairStore(folder), 'store-locked');
        holder.close();
        expect(readFileSync(join(folder, 'store.db')).equals(before)).toBe(true);
      }),
    30_000,
  );

  it('fails where the new database is full, and does not take that for damage', () =>
    withStore(async (folder) => {
      const layout = layoutOf(folder);
      const source = new DatabaseSync(layout.database);
      const target = new Connection(buildFresh(layout));
      target.exec('PRAGMA foreign_keys = OFF; PRAGMA max_page_count = 1');
      source.exec("UPDATE checkpoints SET description = printf('%.*c', 99999, 'x')");
      expect(() => copyTable(target, source, 'checkpoints')).toThrow(/full/);
      target.close();
      source.close();
    }));

  it('begins an empty store where the database is gone, which no other command does', () =>
    withStore(async (folder) => {
      const aside = join(folder, 'damaged', '1');
      mkdirSync(aside, { recursive: true });
      renameSync(join(folder, 'store.db'), join(aside, 'store.db'));
      await rejectsWith(sqliteStore({ directory: folder }), 'store-corrupt');
      expect(existsSync(join(folder, 'store.db'))).toBe(false);
      expect(await repairStore(folder)).toMatchObject({
        lost: [{ message: 'no row of the database could be read' }],
        folder: null,
      });
      expect(readdirSync(aside)).toEqual(['store.db']);
      await (await sqliteStore({ directory: folder })).close();
    }));

  it('goes on when a file of the log vanishes, as it does when another process lets go of it', () =>
    withStore(async (folder) => {
      execute(folder, 'UPDATE changes SET created_at = created_at + 1 WHERE seq = 2');
      // A reader keeps the files of the log in their place; at the last moment it ends.
      const reader = new DatabaseSync(join(folder, 'store.db'));
      reader.exec('BEGIN; SELECT count(*) FROM changes');
      const real = fs.renameSync;
      let vanished = 0;
      fs.renameSync = (from, to) => {
        if (String(from).endsWith('store.db-shm')) {
          reader.close();
          fs.rmSync(String(from), { force: true });
          vanished += 1;
        }
        real(from, to);
      };
      syncBuiltinESMExports();
      try {
        expect(await repairStore(folder)).toMatchObject({ left: { readable: true } });
      } finally {
        fs.renameSync = real;
        syncBuiltinESMExports();
      }
      expect(vanished).toBe(1);
      await (await sqliteStore({ directory: folder })).close();
    }));

  it('leaves the old database in its place, and no half of a new one, when it fails', () =>
    withStore(async (folder) => {
      execute(folder, 'UPDATE changes SET created_at = created_at + 1 WHERE seq = 2');
      const before = readFileSync(join(folder, 'store.db'));
      writeFileSync(join(folder, 'damaged'), 'not a folder');
      await rejectsWith(repairStore(folder), 'store-failed');
      expect(readFileSync(join(folder, 'store.db')).equals(before)).toBe(true);
      expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
    }));

  it.each(['size = 1099511627776', 'data = -7', 'data = 9007199254740991'])(
    'gives up a large content whose row says that %s, and nothing else',
    (damage) =>
      withStore(async (folder) => {
        const store = await sqliteStore({ directory: folder });
        const large = noiseBlob(300_000);
        const change = changeOf(4, 'b', { after: fileOf(large) });
        await store.timeline.commit({ base: 3, blobs: [large], changes: [change] });
        await store.close();
        execute(folder, `UPDATE blobs SET ${damage} WHERE encoding = 'arrived'`);
        const { left, lost } = await repairStore(folder);
        expect(left.problems.map(({ kind }) => kind)).toEqual(['leftover']);
        expect(lost.some(({ paths }) => paths.includes(pathOf('b')))).toBe(true);
        expect(lost.some(({ paths }) => paths.includes(pathOf('a')))).toBe(false);
      }),
  );

  it.each(["heads SET path = 'text'", "blobs SET hash = 'text ' || id"])(
    'works where damage has made a text of bytes: %s',
    (damage) =>
      withBaseline(async (folder) => {
        execute(folder, `UPDATE ${damage}`);
        const { left, lost } = await repairStore(folder);
        expect(left.problems.map(({ kind }) => kind)).toEqual(['leftover']);
        expect(lost[0]?.message).toMatch(/^0 of \d rows of \w+ could be read$/);
        const store = await sqliteStore({ directory: folder });
        expect((await store.state()).baseline).toBe(null);
        await store.close();
      }),
  );

  it('does not let new large contents overwrite others when the end of the arrivals is lost', () =>
    withStore(async (folder) => {
      const [large, next] = [noiseBlob(300_000, 1), noiseBlob(300_000, 2)];
      const store = await sqliteStore({ directory: folder });
      const change = changeOf(4, 'b', { after: fileOf(large) });
      await store.timeline.commit({ base: 3, blobs: [large], changes: [change] });
      await store.close();
      execute(folder, "UPDATE meta SET value = 5 WHERE key = 'arrivals'");
      await repairStore(folder);
      const again = await sqliteStore({ directory: folder });
      const other = changeOf(5, 'c', { after: fileOf(next) });
      await again.timeline.commit({ base: 4, blobs: [next], changes: [other] });
      for (const blob of [large, next]) await assertReadable(again, blob);
      await again.close();
    }));

  it('keeps what a change did when its session is lost', () =>
    withStore(async (folder) => {
      execute(folder, 'DELETE FROM sessions');
      expect((await repairStore(folder)).kept.changes).toBe(2);
      const store = await sqliteStore({ directory: folder });
      expect(await store.timeline.changes({})).toMatchObject([
        { seq: 2, sessionId: null, after: fileOf(ONE) },
        { seq: 3, sessionId: null, before: fileOf(ONE), after: fileOf(TWO) },
      ]);
      await store.close();
    }));

  it('keeps an execution with its steps when its session is lost, or they would run again', () =>
    withStore(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      const execution = executionOf('e', { sessionId: 'e' });
      const sessions = [sessionOf(execution.sessionId)];
      await store.timeline.commit({ base: 3, sessions, executions: [execution] });
      await store.close();
      execute(folder, `DELETE FROM sessions WHERE id = '${execution.sessionId}'`);
      await repairStore(folder);
      const again = await sqliteStore({ directory: folder });
      expect(await again.timeline.executions()).toEqual([execution]);
      await again.close();
    }));

  it('does not report a pack that only rows need as a leftover', () =>
    withStore(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      const packed = noiseBlob(5_000);
      await store.blobs.putMany(groupsOf([packed]));
      const unused = (await checkStore(folder)).problems.map(({ message }) => message);
      expect(unused).toEqual(['a file that nothing names', 'a file that nothing names']);
      await store.timeline.commit({
        base: 3,
        references: [{ id: packed.id, size: 5_000, source: 'pack', key: null }],
        changes: [changeOf(4, 'b', { after: fileOf(packed) })],
      });
      await store.close();
      expect((await checkStore(folder)).problems).toEqual([]);
    }));

  it('keeps what the first scan found where only a pack has it that nothing names', () =>
    withStore(async (folder) => {
      const [list, packed] = [manifestOf(['b'], TWO), TWO];
      const store = await sqliteStore({ directory: folder });
      const { packs } = await store.blobs.putMany(groupsOf([packed]));
      await store.timeline.commit({ base: 3, blobs: [list], baseline: baselineOf(4, list, packs) });
      await store.blobs.putMany(groupsOf([packed]));
      await store.close();
      writeFileSync(join(folder, 'packs', `${packs[0]}.pack`), 'damaged');
      execute(folder, `DELETE FROM changes; DELETE FROM heads; DELETE FROM blobs WHERE size = 3`);
      const { problems } = await checkStore(folder);
      expect(problems.map(({ kind }) => kind)).toContain('pack');
      await repairStore(folder);
      const again = await sqliteStore({ directory: folder });
      await again.maintain('prune', 0);
      await assertReadable(again, packed);
      await again.close();
    }));

  it('makes the sequence number anew where it is not a number', () =>
    withStore(async (folder) => {
      const connection = new Connection(join(folder, 'store.db'));
      connection.run("UPDATE meta SET value = 'x', seal = seal_of(key, 'x') WHERE key = 'seq'");
      connection.close();
      await repairStore(folder);
      const store = await sqliteStore({ directory: folder });
      expect((await store.state()).seq).toBe(3);
      await store.close();
    }));

  it('takes the right name of a path from the index of names', () =>
    withBaseline(async (folder) => {
      damageName(folder);
      const { kept } = await repairStore(folder);
      const store = await sqliteStore({ directory: folder });
      const changes = await store.timeline.changes({});
      expect([kept.changes, changes.map(({ path }) => path)]).toEqual([2, ['a', 'a']]);
      expect(changes[1]?.after).toEqual(fileOf(TWO));
      expect((await store.state()).baseline).not.toBe(null);
      await store.close();
    }));

  it('drops the baseline when it cannot tell which path has lost its last known state', () =>
    withBaseline(async (folder) => {
      execute(folder, "UPDATE heads SET path = x'63', seq = seq + 1");
      expect((await repairStore(folder)).left.problems.map(({ kind }) => kind)).toEqual([
        'leftover',
      ]);
      const store = await sqliteStore({ directory: folder });
      expect((await store.state()).baseline).toBe(null);
      await store.close();
    }));

  it('restores a last known state from the last change of its path', () =>
    withBaseline(async (folder) => {
      execute(folder, 'UPDATE heads SET blob = NULL, mode = 0');
      await repairStore(folder);
      const store = await sqliteStore({ directory: folder });
      expect((await store.timeline.changes({})).map(({ after }) => after)).toEqual(
        [ONE, TWO].map((one) => fileOf(one)),
      );
      expect((await store.state()).baseline).not.toBe(null);
      await store.close();
    }));

  it('drops the baseline when its row is not what was written', () =>
    withBaseline(async (folder) => {
      execute(folder, "UPDATE meta SET value = replace(value, '4', '3') WHERE key = 'baseline'");
      expect((await repairStore(folder)).left.problems.map(({ kind }) => kind)).toEqual([
        'leftover',
      ]);
      const store = await sqliteStore({ directory: folder });
      expect((await store.state()).baseline).toBe(null);
      await store.close();
    }));
});

/** Two paths were there at the first scan; one of them has changed. */
function withBaseline(work: (folder: string) => Promise<void>): Promise<void> {
  return withStore(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    const list = manifestOf(['a', 'b']);
    await store.timeline.commit({ base: 3, blobs: [list], baseline: baselineOf(4, list) });
    await store.close();
    await work(folder);
  });
}

function manifestOf(paths: readonly string[], content = ONE): Blob {
  const writer = new ManifestWriter(paths.length);
  for (const at of paths.keys()) writer.set(at, fileOf(content));
  return blobOf(writer.finish((at) => pathOf(paths[at] ?? '')));
}

/** With two changes of one path, by a session. */
async function withStore(work: (folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    const more = { sessionId: 's', checkpointId: checkpointOf(1).id };
    await store.timeline.commit({
      base: 0,
      blobs: [ONE, TWO],
      sessions: [sessionOf('s')],
      checkpoints: [checkpointOf(1, { sessionId: 's' })],
      changes: [
        changeOf(2, 'a', { ...more, after: fileOf(ONE) }),
        changeOf(3, 'a', { ...more, before: fileOf(ONE), after: fileOf(TWO) }),
      ],
    });
    await store.close();
    await work(folder);
  });
}

function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}

/** Changes the name of the only path in its row, and not in the index. */
function damageName(folder: string): void {
  const file = join(folder, 'store.db');
  const database = new DatabaseSync(file, { readOnly: true });
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'heads'";
  const page = Number(database.prepare(sql).get()?.rootpage);
  database.close();
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf('a', page * 4096);
  expect(at).toBeGreaterThan((page - 1) * 4096);
  bytes.write('c', at);
  writeFileSync(file, bytes);
}
