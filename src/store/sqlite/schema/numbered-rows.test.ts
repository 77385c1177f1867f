import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { describe, it } from 'vitest';
import type { Change } from '../../../model/change.ts';
import { pathToBytes } from '../../../model/path.ts';
import { ABSENT, type State, type UnknownReason, unknown } from '../../../model/state.ts';
import {
  assertReadable,
  baselineOf,
  changeOf,
  checkpointId,
  checkpointOf,
  fileOf,
  journalOf,
  noiseBlob,
  operationId,
  operationOf,
  pathOf,
  rejectsWith,
  sessionOf,
  textBlob,
  windowOf,
} from '../../../testing/store/samples.ts';
import { withTemporaryFolder } from '../../../testing/temporary-folder.ts';
import type { Blob, Store } from '../../store.ts';
import { Connection } from '../connection.ts';
import { layoutOf } from '../layout.ts';
import { MIGRATIONS } from '../migrations.ts';
import { createDatabase } from '../open-database.ts';
import { sqliteStore } from '../sqlite-store.ts';

const OLD_VERSION = 4;
const RAW = textBlob('raw');
const BASE = textBlob('a text that another leans on, word for word');
const LEANING = textBlob('a text that another leans on, word by word');
const IN_FILE = noiseBlob(300 * 1024);
const NOT_THERE = textBlob('never put');
const REASONS: readonly UnknownReason[] = [
  'too-large',
  'unreadable',
  'unstable',
  'not-seen',
  'past-limit',
  'special-file',
  'protected',
  'purged',
];
const FOLDER: State = { kind: 'captured', type: 'directory', mode: 0o750, blob: null, size: 0 };
const LINK: State = { ...fileOf(RAW, 0o777), type: 'symlink' };
const MESSAGE = { sessionId: 's', checkpointId: checkpointId('checkpoint-1') };

const CHANGES: readonly Change[] = [
  changeOf(2, 'a', { after: fileOf(RAW, 0o755) }),
  changeOf(3, 'a', { before: fileOf(RAW, 0o755), after: fileOf(BASE), attribution: 'shared' }),
  changeOf(4, 'a', { ...MESSAGE, before: fileOf(BASE), after: fileOf(LEANING), origin: 'tool' }),
  changeOf(5, 'folder', { after: FOLDER, origin: 'shell', attribution: 'inferred' }),
  changeOf(6, 'folder/link', { before: FOLDER, after: LINK }),
  changeOf(7, 'large', { ...MESSAGE, before: fileOf(IN_FILE), after: null, origin: 'tool' }),
  changeOf(8, 'lost', { before: fileOf(NOT_THERE), after: ABSENT }),
  changeOf(9, '\u00e9', { sessionId: 't', toolCallId: 'call', owner: 'process' }),
  changeOf(10, 'b', { operationId: operationId('operation-11'), origin: 'operation' }),
  ...REASONS.map((reason, at) => changeOf(20 + at, `u${at}`, { after: unknown(reason) })),
];

describe('a store of the fourth version', () => {
  it('has all its rows after the migration, and its blobs', () =>
    withMigrated(async (store) => {
      assert.deepEqual(await store.changes({}), CHANGES);
      for (const blob of [RAW, BASE, LEANING, IN_FILE]) await assertReadable(store, blob);
      await rejectsWith(store.readBlob(NOT_THERE.id), 'blob-missing');
      assert.equal((await store.stats()).blobs, 4);
      assert.deepEqual(await store.sessions(), [sessionOf('s'), sessionOf('t')]);
      assert.deepEqual(await store.checkpoints({}), [
        checkpointOf(1, { sessionId: 's', messageId: 'm', coverage: 'scanned' }),
      ]);
      assert.deepEqual(await store.operations(), [operationOf(11)]);
      assert.deepEqual(await store.windows(), [windowOf(12)]);
      assert.deepEqual(await store.cancellationsOf([2]), [{ by: 10, change: 2 }]);
      assert.deepEqual(await store.baseline(), baselineOf(1, RAW));
      assert.deepEqual(await store.journal(), journalOf());
      assert.equal(await store.seq(), 27);
    }));

  it('has its heads, also of paths whose changes are gone', () =>
    withMigrated(async (store) => {
      const heads = new Map((await store.heads()).map((head) => [head.path, head]));
      for (const { path, seq, before, after } of CHANGES) {
        const newest = CHANGES.findLast((change) => change.path === path);
        if (newest?.seq !== seq) continue;
        const head = { path, seq, state: after ?? before, open: after === null };
        assert.deepEqual(heads.get(path), head);
      }
      const path = pathOf('pruned');
      assert.deepEqual(heads.get(path), { path, seq: 1, state: fileOf(RAW), open: false });
    }));

  it('answers each query by its index as before', () =>
    withMigrated(async (store) => {
      const seqs = async (query: Parameters<Store['changes']>[0]): Promise<number[]> =>
        (await store.changes(query)).map(({ seq }) => seq);
      assert.deepEqual(await seqs({ paths: [pathOf('a')] }), [2, 3, 4]);
      assert.deepEqual(await seqs({ sessionIds: ['s'] }), [4, 7]);
      assert.deepEqual(await seqs({ sessionIds: ['t', 's'], after: 4 }), [7, 9]);
      assert.deepEqual(await seqs({ checkpointIds: [checkpointId('checkpoint-1')] }), [4, 7]);
      assert.deepEqual(await seqs({ operationId: operationId('operation-11') }), [10]);
      assert.deepEqual(await seqs({ open: true }), [7]);
    }));

  it('goes on from there', () =>
    withMigrated(async (store, folder) => {
      const next = changeOf(30, 'a', { ...MESSAGE, before: fileOf(LEANING), after: ABSENT });
      const closed = [{ seq: 7, after: fileOf(IN_FILE) }];
      await store.commit({ base: 27, changes: [next], closed });
      await store.commit({ base: 30, removedSessions: ['t'] });
      assert.equal((await store.changes({})).find(({ seq }) => seq === 9)?.sessionId, null);
      await store.compact(Number.POSITIVE_INFINITY);
      await store.prune(4);
      for (const blob of [RAW, BASE, LEANING, IN_FILE]) await assertReadable(store, blob);
      const database = new DatabaseSync(join(folder, 'store.db'));
      const rows = database.prepare('SELECT * FROM file_checkpoints ORDER BY created_at').all();
      database.close();
      assert.deepEqual(
        rows.map(({ id, session_id, message_id }) => [id, session_id, message_id]),
        [
          ['change-4', 's', 'm'],
          ['change-7', 's', 'm'],
        ],
      );
    }));
});

function withMigrated(body: (store: Store, folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    writeOldStore(folder);
    const store = await sqliteStore({ directory: folder });
    try {
      await body(store, folder);
    } finally {
      await store.close();
      assertSound(folder);
    }
  });
}

/** With the tables, and the rows, that the fourth version made. */
function writeOldStore(folder: string): void {
  const layout = layoutOf(folder);
  createDatabase(layout, MIGRATIONS.slice(0, OLD_VERSION));
  const connection = new Connection(layout.database);
  connection.exec(`
    UPDATE meta SET value = 27 WHERE key = 'seq';
    INSERT INTO sessions VALUES ('s', 's', 'test-agent', 1000, 1000, NULL);
    INSERT INTO sessions VALUES ('t', 't', 'test-agent', 1000, 1000, NULL);
    INSERT INTO checkpoints VALUES (1, 'checkpoint-1', 's', 'm', 'message', 'checkpoint 1', NULL,
      1001, NULL, 'scanned');
    INSERT INTO operations VALUES (11, 'operation-11', 'rewind', NULL, NULL, 1, 'safety',
      'operation 11', 1011);
    INSERT INTO windows VALUES (12, 'window-12', 's', 'checkpoint', 'call', 'process', 'window 12',
      NULL, 1012);
    INSERT INTO cancellations VALUES (2, 10)`);
  const put = (sql: string, text: unknown) => connection.run(sql, JSON.stringify(text));
  put("INSERT INTO meta VALUES ('baseline', ?)", baselineOf(1, RAW));
  put('INSERT INTO journal VALUES (1, ?)', journalOf());
  writeOldBlobs(connection);
  mkdirSync(layout.blobs, { recursive: true });
  writeFileSync(join(layout.blobs, IN_FILE.id), IN_FILE.bytes);
  for (const change of CHANGES) writeOldChange(connection, change);
  const newest = new Map(CHANGES.map((change) => [change.path, change]));
  for (const change of newest.values()) writeOldHead(connection, change);
  writeOldHead(connection, changeOf(1, 'pruned', { after: fileOf(RAW) }));
  connection.close();
}

function writeOldBlobs(connection: Connection): void {
  const insert = (blob: Blob, encoding: string, base: number | null, data: Uint8Array | null) =>
    connection.run(
      `INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data)
       VALUES (unhex(?), ?, ?, ?, ?, ?, ?, ?)`,
      blob.id,
      blob.bytes.length,
      data?.length ?? blob.bytes.length,
      encoding,
      encoding === 'raw' ? 1 : 0,
      base,
      base === null ? 0 : 1,
      data,
    );
  insert(RAW, 'raw', null, RAW.bytes);
  insert(BASE, 'zstd', null, zstdCompressSync(BASE.bytes));
  const leaning = zstdCompressSync(LEANING.bytes, { dictionary: BASE.bytes } as object);
  insert(LEANING, 'zstd', 2, leaning);
  insert(IN_FILE, 'raw', null, null);
}

function writeOldChange(connection: Connection, change: Change): void {
  const isTool = change.origin === 'tool';
  connection.run(
    `INSERT INTO changes (seq, path,
      before_type, before_mode, before_blob, before_size, before_reason,
      after_type, after_mode, after_blob, after_size, after_reason, origin, attribution,
      session_id, checkpoint_id, operation_id, tool_call_id, owner, created_at, message_id)
    VALUES (${Array(21).fill('?').join(', ')})`,
    change.seq,
    pathToBytes(change.path),
    ...oldColumns(change.before),
    ...oldColumns(change.after),
    change.origin,
    change.attribution,
    change.sessionId,
    change.checkpointId,
    change.operationId,
    change.toolCallId,
    change.owner,
    change.createdAt,
    isTool ? 'm' : null,
  );
}

function writeOldHead(connection: Connection, { path, seq, before, after }: Change): void {
  connection.run(
    `INSERT INTO heads (path, seq, open, type, mode, blob, size, reason)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    pathToBytes(path),
    seq,
    after === null ? 1 : 0,
    ...oldColumns(after ?? before),
  );
}

/** Type, mode, blob, size, reason. */
function oldColumns(state: State | null): (string | number | Uint8Array | null)[] {
  if (state === null) return [null, null, null, null, null];
  if (state.kind === 'absent') return ['absent', null, null, null, null];
  if (state.kind === 'unknown') return ['unknown', null, null, null, state.reason];
  const blob = state.blob === null ? null : Buffer.from(state.blob, 'hex');
  return [state.type, state.mode, blob, state.size, null];
}

function assertSound(folder: string): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    const [integrity] = database.prepare('PRAGMA integrity_check').all();
    assert.equal(integrity?.integrity_check, 'ok');
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), []);
    assert.equal(database.prepare('PRAGMA user_version').get()?.user_version, MIGRATIONS.length);
  } finally {
    database.close();
  }
}
