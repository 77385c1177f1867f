import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { Change } from '../../model/change.ts';
import { unknown } from '../../model/state.ts';
import {
  changeOf,
  checkpointOf,
  fileOf,
  sessionOf,
  textBlob,
} from '../../testing/store/samples.ts';
import { sqliteStore } from './sqlite-store.ts';

const BLOB = textBlob('before');
const CHECKPOINT = checkpointOf(1, { sessionId: 's', messageId: 'm' });

describe('the seed’s SQL', () => {
  it('shows what the tools of a session found before they wrote', () =>
    withDatabase(
      [
        tool(2, 'existed', { before: fileOf(BLOB, 0o755) }),
        tool(3, 'created', { before: { kind: 'absent' } }),
        tool(4, 'link', { before: { ...fileOf(BLOB, 0o777), type: 'symlink' } }),
      ],
      (database) => {
        const [first, second, third] = database.prepare('SELECT * FROM file_checkpoints').all();
        assert.deepEqual(
          { ...first },
          {
            id: 'change-2',
            session_id: 's',
            message_id: 'm',
            file_path: 'existed',
            original_blob: BLOB.id,
            original_mode: 0o755,
            file_existed: 1,
            created_at: 1_002,
          },
        );
        assert.deepEqual([second?.file_existed, second?.original_blob], [0, null]);
        assert.equal(third?.file_existed, 1);
      },
    ));

  it('leaves out what no tool wrote, what is unknown, folders, and what cannot be returned to', () =>
    withDatabase(
      [
        tool(2, 'a', { origin: 'shell' }),
        tool(3, 'b', { before: unknown('too-large') }),
        tool(4, 'c', {
          before: { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 },
        }),
        tool(5, 'd', { checkpointId: checkpointOf(99).id }),
        tool(6, 'e', { sessionId: null }),
        tool(7, 'f', {
          after: { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 },
        }),
      ],
      (database) => assert.deepEqual(database.prepare('SELECT * FROM file_checkpoints').all(), []),
    ));

  it('has its three indices, and uses them', () =>
    withDatabase([], (database) => {
      const sql =
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'idx_%' ORDER BY 1";
      const names = database.prepare(sql).all();
      const parts = ['created', 'message', 'session'];
      assert.deepEqual(
        names.map(({ name }) => name),
        parts.map((part) => `idx_checkpoints_${part}`),
      );
      for (const [column, table, part] of [
        ['session_id', 'changes', 'session'],
        ['message_id', 'checkpoints', 'message'],
        ['created_at', 'changes', 'created'],
      ]) {
        const query = `EXPLAIN QUERY PLAN SELECT * FROM file_checkpoints WHERE ${column} = 'x'`;
        const plan = database
          .prepare(query)
          .all()
          .map(({ detail }) => detail)
          .join();
        assert.ok(plan.includes(`SEARCH ${table} USING INDEX idx_checkpoints_${part}`), plan);
        assert.doesNotMatch(plan, /SCAN/);
      }
    }));

  for (const enforced of [true, false]) {
    it(`loses the rows of a deleted session, ${enforced ? 'with' : 'without'} foreign keys`, () =>
      withDatabase([tool(2, 'a')], (database) => {
        const count = (table: string): unknown =>
          database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;
        assert.equal(count('file_checkpoints'), 1);
        database.exec(`PRAGMA foreign_keys = ${enforced ? 'ON' : 'OFF'}`);
        database.exec("DELETE FROM sessions WHERE id = 's'");
        assert.equal(count('file_checkpoints'), 0);
        assert.equal(count('checkpoints'), enforced ? 0 : 1);
        assert.equal(count('changes'), 1);
      }));
  }

  it('gives the changes of a deleted session to no other, even without foreign keys', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      const sessions = [sessionOf('s')];
      await store.timeline.commit({
        base: 0,
        sessions,
        checkpoints: [CHECKPOINT],
        changes: [tool(2, 'a')],
      });
      const database = new DatabaseSync(join(folder, 'store.db'));
      database.exec("PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE id = 's'");
      database.close();
      await store.timeline.commit({ base: 2, sessions: [sessionOf('next')] });
      assert.deepEqual(await store.timeline.changes({ sessionIds: ['next'] }), []);
      assert.equal((await store.timeline.changes({}))[0]?.sessionId, null);
      await store.close();
    }));

  it('follows a checkpoint that gets another message', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      const sessions = [sessionOf('s')];
      await store.timeline.commit({
        base: 0,
        sessions,
        checkpoints: [CHECKPOINT],
        changes: [tool(2, 'a')],
      });
      await store.timeline.commit({
        base: 2,
        checkpoints: [{ ...CHECKPOINT, messageId: 'other' }],
      });
      await store.close();
      const database = new DatabaseSync(join(folder, 'store.db'));
      assert.equal(database.prepare('SELECT * FROM file_checkpoints').get()?.message_id, 'other');
      database.close();
    }));
});

function tool(seq: number, path: string, more: Partial<Change> = {}): Change {
  const checkpointId = CHECKPOINT.id;
  return changeOf(seq, path, { origin: 'tool', sessionId: 's', checkpointId, ...more });
}

function withDatabase(
  changes: readonly Change[],
  body: (database: DatabaseSync) => void,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints: [CHECKPOINT],
      changes,
    });
    await store.close();
    const database = new DatabaseSync(join(folder, 'store.db'));
    try {
      body(database);
    } finally {
      database.close();
    }
  });
}
