import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeDirectory } from '../../src/index.ts';
import { FileCheckpointService } from '../../src/integrations/file-checkpoint/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let service: FileCheckpointService;
let database: DatabaseSync;

beforeEach(async () => {
  bed = await makeBed();
  service = new FileCheckpointService(bed.savepoint);
  bed.put('file', 'before', 0o755);
  for (const [session, message, path] of [
    ['s1', 'm1', 'file'],
    ['s1', 'm2', 'new'],
    ['s2', 'n1', 'file'],
  ] as const) {
    const capture = await service.captureBefore(session, message, bed.at(path));
    bed.put(path, message);
    await service.captureAfter(capture);
  }
  database = new DatabaseSync(join(storeDirectory(bed.home, bed.root), 'store.db'));
});
afterEach(async () => {
  database.close();
  await bed.remove();
});

function all(sql: string, ...values: string[]): Record<string, unknown>[] {
  return database
    .prepare(sql)
    .all(...values)
    .map((row) => ({ ...row }));
}

describe('the store, read with SQL as the seed names it', () => {
  it('has the sessions', () => {
    expect(all('SELECT id FROM sessions ORDER BY id')).toEqual([{ id: 's1' }, { id: 's2' }]);
  });

  it('has the file checkpoints, each with session, message, path and whether it existed', async () => {
    const columns = 'id, session_id, message_id, file_path, file_existed';
    const found = all(`SELECT ${columns} FROM file_checkpoints ORDER BY created_at, id`);
    expect(found).toMatchObject([
      { session_id: 's1', message_id: 'm1', file_path: 'file', file_existed: 1 },
      { session_id: 's1', message_id: 'm2', file_path: 'new', file_existed: 0 },
      { session_id: 's2', message_id: 'n1', file_path: 'file', file_existed: 1 },
    ]);
    const ids = (await service.getCheckpoints('s1')).map((row) => row.id);
    expect(found.slice(0, 2).map((row) => row.id)).toEqual(ids);
  });

  it('has no rows for folders that were made on the way to a file', async () => {
    const capture = await service.captureBefore('s3', 'o1', bed.at('deep/new/file'));
    bed.put('deep/new/file', 'x');
    await service.captureAfter(capture);
    const sql = "SELECT file_path FROM file_checkpoints WHERE session_id = 's3'";
    expect(all(sql)).toEqual([{ file_path: 'deep/new/file' }]);
  });

  it('names the content by its blob, and the mode, so that both survive', async () => {
    const [row] = all("SELECT * FROM file_checkpoints WHERE message_id = 'm1'");
    expect(row).toMatchObject({ original_mode: 0o755 });
    const bytes = await bed.savepoint.readBlob(row?.original_blob as never);
    expect(Buffer.from(bytes).toString()).toBe('before');
  });

  describe('original_content', () => {
    const CONTENTS = `SELECT message_id, original_content FROM file_checkpoints`;

    it('is the text that the file had, and NULL where there was no file', () => {
      const sql = `SELECT id, session_id, message_id, file_path, original_content, file_existed,
        created_at FROM file_checkpoints ORDER BY created_at, id`;
      expect(all(sql).map((row) => row.original_content)).toEqual(['before', null, 'm1']);
    });

    it('is the text of a file that a scan has recorded before', async () => {
      bed.put('scanned', 'as the scan found it '.repeat(2_000));
      await bed.savepoint.checkpoint({ description: 'by hand', scan: true });
      await service.createCheckpoint('s3', 'o1', bed.at('scanned'));
      expect(all(`${CONTENTS} WHERE message_id = 'o1'`)).toEqual([
        { message_id: 'o1', original_content: 'as the scan found it '.repeat(2_000) },
      ]);
    });

    it('stays readable after compaction, and rewinds restore it', async () => {
      const long = 'a line that compresses well\n'.repeat(10_000);
      bed.put('long', long);
      const capture = await service.captureBefore('s3', 'o1', bed.at('long'));
      bed.put('long', `${long}more`);
      await service.captureAfter(capture);
      await bed.savepoint.prune();
      expect(all(`${CONTENTS} WHERE message_id = 'o1'`)).toEqual([
        { message_id: 'o1', original_content: long },
      ]);
      expect((await service.rewindFiles('s3', 'o1')).success).toBe(true);
      expect(bed.text('long')).toBe(long);
    });

    it('is NULL for bytes that are no text, and for rows of other programs', async () => {
      bed.put('binary', Uint8Array.of(0xff, 0xfe));
      await service.createCheckpoint('s3', 'o1', bed.at('binary'));
      bed.put('theirs', 'theirs');
      await bed.write('o2', 'theirs', 'changed');
      expect(all(`${CONTENTS} WHERE message_id IN ('o1', 'o2')`)).toEqual([
        { message_id: 'o1', original_content: null },
        { message_id: 'o2', original_content: null },
      ]);
    });

    it('is NULL for private files, which rewinds bring back all the same', async () => {
      bed.put('.gitignore', '.env\n');
      bed.put('.env', 'KEY=1');
      for (const message of ['o1', 'o2']) {
        const capture = await service.captureBefore('s3', message, bed.at('.env'));
        bed.put('.env', `KEY=${message}`);
        await service.captureAfter(capture);
      }
      expect(all(`${CONTENTS} WHERE session_id = 's3' ORDER BY message_id`)).toEqual([
        { message_id: 'o1', original_content: null },
        { message_id: 'o2', original_content: null },
      ]);
      expect((await service.rewindFiles('s3', 'o1')).success).toBe(true);
      expect(bed.text('.env')).toBe('KEY=1');
    });

    it('is NULL for files that git ignores, also where .savepointignore has a rule for them', async () => {
      bed.put('.gitignore', '.env\n.env2\nbuild/\n');
      bed.put('.savepointignore', '.env\n!.env2\n');
      for (const path of ['.env', '.env2', 'build/key']) {
        bed.put(path, 'KEY=1');
        const capture = await service.captureBefore('s3', path, bed.at(path));
        bed.put(path, 'KEY=2');
        await service.captureAfter(capture);
      }
      expect(all(`${CONTENTS} WHERE session_id = 's3' ORDER BY message_id`)).toEqual([
        { message_id: '.env', original_content: null },
        { message_id: '.env2', original_content: null },
        { message_id: 'build/key', original_content: null },
      ]);
    });

    it('is NULL for a file that .git/info/exclude has named only since', async () => {
      execFileSync('git', ['init', '--quiet'], { cwd: bed.root });
      bed.put('public', 'text');
      await service.createCheckpoint('s3', 'o1', bed.at('public'));
      bed.put('.git/info/exclude', 'secret\n');
      bed.put('secret', 'KEY=1');
      await service.createCheckpoint('s3', 'o2', bed.at('secret'));
      expect(all(`${CONTENTS} WHERE session_id = 's3' ORDER BY message_id`)).toEqual([
        { message_id: 'o1', original_content: 'text' },
        { message_id: 'o2', original_content: null },
      ]);
    });

    it('goes with its checkpoint', async () => {
      await bed.savepoint.evict([await bed.idOf('m1', 's1')]);
      expect(all(`${CONTENTS} WHERE message_id = 'm1'`)).toEqual([]);
    });

    it('goes with a purge, which leaves no copy of it in the store', async () => {
      database.close();
      bed.put('secret', 'a password nobody may find');
      await service.createCheckpoint('s3', 'o1', bed.at('secret'));
      await bed.savepoint.purge({ paths: ['secret'] });
      const store = storeDirectory(bed.home, bed.root);
      for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' })) {
        const file = join(store, name);
        if (!statSync(file).isFile()) continue;
        expect(readFileSync(file).includes('a password nobody may find'), name).toBe(false);
      }
      database = new DatabaseSync(join(store, 'store.db'));
      expect(all(`${CONTENTS} WHERE original_content LIKE '%password%'`)).toEqual([]);
    });
  });

  it.each(['idx_checkpoints_session', 'idx_checkpoints_message', 'idx_checkpoints_created'])(
    'has the index %s',
    (name) => {
      const sql = "SELECT name FROM sqlite_master WHERE type = 'index' AND name = ?";
      expect(all(sql, name)).toEqual([{ name }]);
    },
  );

  it.each([
    ['session_id', 'idx_checkpoints_session'],
    ['message_id', 'idx_checkpoints_message'],
  ])('looks up %s by its index', (column, index) => {
    const sql = `EXPLAIN QUERY PLAN SELECT id FROM file_checkpoints WHERE ${column} = 'x'`;
    expect(
      all(sql)
        .map((row) => row.detail)
        .join('\n'),
    ).toContain(index);
  });

  it.each(['ON', 'OFF'])('loses them with their session (foreign keys %s)', (setting) => {
    database.exec(`PRAGMA foreign_keys = ${setting}`);
    database.exec("DELETE FROM sessions WHERE id = 's1'");
    expect(all('SELECT session_id FROM file_checkpoints')).toEqual([{ session_id: 's2' }]);
  });

  it('loses the checkpoints of a deleted session, and the paths of others keep their chain', async () => {
    database.exec("PRAGMA foreign_keys = ON; DELETE FROM sessions WHERE id = 's1'");
    expect(await bed.savepoint.list({ sessionIds: ['s1'] })).toEqual([]);
    expect((await service.rewindFiles('s2', 'n1')).restoredFiles).toEqual([bed.at('file')]);
    expect(bed.text('file')).toBe('m1');
  });

  it('says which schema it has', () => {
    const [version] = all('PRAGMA user_version');
    expect(version?.user_version).toBeGreaterThanOrEqual(1);
  });
});
