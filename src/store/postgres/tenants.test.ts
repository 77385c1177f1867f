import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { makeTenants, onDatabase, type Tenants } from '../../../test/setup/postgres-tenants.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { openSavepoint, type Savepoint } from '../../index.ts';
import { pathOf, rejectsWith } from '../../testing/store/samples.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { postgresStore } from './postgres-store.ts';

// What a role gets that may not, by a policy or for lack of a right. Nothing else may come out: a row that is there
// and one that is not must look the same.
const REFUSED = '42501';

describe('a tenant', () => {
  let place: Tenants;
  let mine = '';
  let theirs = '';
  let stranger = '';
  let tables: readonly string[];
  beforeAll(async () => {
    place = await makeTenants(3);
    [mine = '', theirs = '', stranger = ''] = place.tenants;
    await fillEveryTable(theirs);
    const [found] = await onDatabase(
      place.url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'savepoint'::regnamespace AND relkind = 'r'`,
    );
    // It holds nothing but the number of the format.
    tables = found?.rows.map(({ relname }) => relname).filter((name) => name !== 'format') ?? [];
  });

  it('is held apart in every table, the owner of the tables as well', async () => {
    const [found] = await onDatabase(
      place.url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'savepoint'::regnamespace AND relkind = 'r'
         AND NOT (relrowsecurity AND relforcerowsecurity)`,
    );
    expect(found?.rows).toEqual([{ relname: 'format' }]);
    const all = await counts(place.url, tables);
    expect(all.filter((rows) => rows === 0)).toEqual([]);
    expect(await counts(theirs, tables)).toEqual(all);
    const none = tables.map(() => 0);
    expect(await counts(mine, tables)).toEqual(none);
    expect(await counts(place.owner, tables)).toEqual(none);
  });

  it('cannot change, remove, lock or copy a row of another, nor learn that it is there', async () => {
    const before = await contents(place.url, tables);
    const outcomes: Record<string, string | number | null> = {};
    for (const table of tables) {
      const columns = await columnsOf(place.url, table);
      // One that a role may write at all.
      const any = columns.find((name) => name !== 'id' && name !== 'role') ?? '';
      const row = await firstRow(place.url, table);
      const names = columns.join(', ');
      const copy = `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
        SELECT ${names} FROM json_populate_record(NULL::${table}, '${row.replaceAll("'", "''")}')`;
      const tries: Record<string, string> = {
        update: `UPDATE ${table} SET ${any} = ${any}`,
        delete: `DELETE FROM ${table}`,
        lock: `SELECT 1 FROM ${table} FOR UPDATE`,
        truncate: `TRUNCATE ${table} CASCADE`,
        insert: copy,
        replace: `${copy} ON CONFLICT DO NOTHING`,
      };
      for (const [what, sql] of Object.entries(tries))
        outcomes[`${what} ${table}`] = await outcomeOf(mine, sql);
    }
    const told = Object.entries(outcomes).filter(
      ([, outcome]) => outcome !== 0 && outcome !== REFUSED,
    );
    expect(told).toEqual([]);
    // What tries to write has not just found nothing.
    for (const table of tables) expect(outcomes[`insert ${table}`], table).toBe(REFUSED);
    expect(await contents(place.url, tables)).toEqual(before);
  });

  it('cannot put a row below a project or a worktree of another', async () => {
    const [numbers] = await onDatabase(place.url, 'SELECT id, project FROM worktrees');
    const { id, project } = numbers?.rows[0] ?? {};
    for (const number of [id, 999_999]) {
      const sql = `INSERT INTO private_paths (worktree, path, seal) VALUES (${number}, 'x', 0)`;
      expect(await outcomeOf(mine, sql)).toBe(REFUSED);
    }
    const own = await open(mine, 'pack');
    await own.close();
    for (const number of [id, 999_999]) {
      const sql = `
        WITH own AS (SELECT project FROM worktrees LIMIT 1), b AS (
          INSERT INTO blobs SELECT project, 'x', 1, 1, true FROM own)
        INSERT INTO packed SELECT project, 'x', ${number}, 'p' FROM own`;
      expect(await outcomeOf(mine, sql)).toBe(REFUSED);
    }
    for (const number of [project, 999_999]) {
      const sql = `INSERT INTO worktrees (project, uuid, machine, active_at)
        VALUES (${number}, gen_random_uuid(), 'm', 0)`;
      expect(await outcomeOf(mine, sql)).toBe(REFUSED);
    }
    const stolen = [
      `UPDATE projects SET tenant = ${project} >> 20`,
      `UPDATE projects SET id = ${project}`,
      `UPDATE worktrees SET id = ${id}`,
      'UPDATE tenants SET id = DEFAULT',
      `INSERT INTO tenants (role) VALUES ('${new URL(theirs).username}')`,
      "INSERT INTO tenants (role) VALUES ('somebody')",
    ];
    for (const sql of stolen) expect(await outcomeOf(mine, sql), sql).toBe(REFUSED);
    await onDatabase(mine, 'DELETE FROM projects');
  });

  it('cannot become another, nor switch the rules off', async () => {
    const names = [place.owner, theirs, place.url].map((url) => new URL(url).username);
    for (const name of names) {
      expect(await outcomeOf(mine, `SET ROLE "${name}"`)).toBe(REFUSED);
      expect(await outcomeOf(mine, `SET SESSION AUTHORIZATION "${name}"`)).toBe(REFUSED);
    }
    const off = 'SET row_security = off; SELECT count(*) FROM changes';
    expect(await outcomeOf(mine, off)).toBe(REFUSED);
    expect(await outcomeOf(mine, 'ALTER TABLE changes DISABLE ROW LEVEL SECURITY')).toBe(REFUSED);
    expect(await outcomeOf(mine, 'DROP POLICY tenant ON changes')).toBe(REFUSED);
    expect(await outcomeOf(mine, 'CREATE TABLE savepoint.mine (x integer)')).toBe(REFUSED);
    const drawn = 'SELECT * FROM savepoint.tenants_id_seq';
    expect(await outcomeOf(mine, drawn)).toBe(REFUSED);
  });

  it('sees nothing through functions of its own, through statistics or other connections', async () => {
    await onDatabase(place.url, 'ANALYZE');
    const client = new pg.Client({
      connectionString: stranger,
      options: '-c search_path=savepoint',
    });
    await client.connect();
    onTestFinished(() => client.end());
    const heard: string[] = [];
    client.on('notice', ({ message }) => heard.push(`${message}`));
    await client.query(`
      CREATE FUNCTION pg_temp.tell(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
      BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$`);
    for (const table of tables) {
      const { rows } = await client.query(
        `SELECT 1 FROM ${table} WHERE pg_temp.tell(${table}.tableoid)`,
      );
      expect(rows, table).toEqual([]);
    }
    expect(heard).toEqual([]);
    const sql =
      "SELECT tablename FROM pg_stats WHERE schemaname = 'savepoint' AND tablename <> 'format'";
    expect((await client.query(sql)).rows).toEqual([]);
  });

  it('has a project of its own under a name that another has, too', async () => {
    const [a, b] = [await open(mine, 'website'), await open(theirs, 'website')];
    await a.checkpoint({ sessionId: 'mine', messageId: '1' });
    await b.checkpoint({ sessionId: 'theirs', messageId: '1' });
    expect((await a.list()).map(({ sessionId }) => sessionId)).toEqual(['mine']);
    expect((await b.list()).map(({ sessionId }) => sessionId)).toEqual(['theirs']);
    const storages = [mine, theirs].map((url) => new PostgresStorage({ url, project: 'website' }));
    for (const storage of storages) onTestFinished(() => storage.close());
    await storages[0]?.save('state', 'key', 'mine');
    expect(await storages[1]?.load('state', 'key')).toBe(null);
    const missing = postgresStore({
      url: mine,
      project: 'full',
      directory: folder(),
      create: 'worktree',
    });
    await rejectsWith(missing, 'store-missing');
  });

  it('has one number, however many projects it makes', async () => {
    const lastNumber = async (): Promise<unknown> => {
      const [found] = await onDatabase(place.url, 'SELECT last_value FROM tenants_id_seq');
      return found?.rows[0].last_value;
    };
    await open(mine, 'first');
    const before = await lastNumber();
    for (const name of ['second', 'third']) await open(mine, name);
    expect(await lastNumber()).toBe(before);
  });

  it('is told when its numbers are used up', async () => {
    const { url, tenants } = await makeTenants(1);
    const [tenant = ''] = tenants;
    await open(tenant, 'first');
    await onDatabase(url, 'UPDATE tenants SET last = (1 << 20) - 1');
    const full = postgresStore({ url: tenant, project: 'second', directory: folder() });
    await expect(full).rejects.toMatchObject({
      code: 'store-full',
      message: expect.stringContaining('used up its numbers'),
    });
  });

  it('finds by an index: a condition on rows of others comes after the one on paths', async () => {
    const client = new pg.Client({ connectionString: theirs, options: '-c search_path=savepoint' });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query(
      "EXPLAIN SELECT * FROM changes WHERE worktree = 1 AND path > 'a' AND path < 'b'",
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Cond: \(\(worktree = 1\) AND \(path >/);
  });
});

describe('a role that owns the tables and has no others beside it', () => {
  it('makes and uses them by itself', async () => {
    const { url } = await makeTenants(0);
    const owner = new URL(url);
    const role = `alone_${owner.pathname.slice(1)}`;
    await onDatabase(url, `CREATE ROLE ${role} LOGIN PASSWORD 'dummy'`);
    const database = `CREATE DATABASE ${role} OWNER ${role}`;
    await onDatabase(await sharedPostgres(), database);
    Object.assign(owner, { username: role, pathname: role });
    const savepoint = await fillEveryTable(owner.href);
    expect((await savepoint.list()).length).toBeGreaterThan(0);
  });

  it('is told what it lacks where it may make nothing', async () => {
    const { url, tenants } = await makeTenants(1);
    const [role = ''] = tenants;
    await onDatabase(url, 'DROP SCHEMA savepoint CASCADE');
    const opened = postgresStore({ url: role, project: 'p', directory: folder() });
    await expect(opened).rejects.toMatchObject({
      code: 'store-failed',
      hint: expect.stringContaining('docs/postgres.md'),
    });
  });
});

const folders: string[] = [];
const opened: Savepoint[] = [];
afterAll(async () => {
  for (const savepoint of opened) await savepoint.close();
  folders.forEach(removeScratch);
});

function folder(): string {
  const made = makeScratch();
  folders.push(made);
  return made;
}

async function open(url: string, project: string): Promise<Savepoint> {
  const store = await postgresStore({ url, project, directory: folder() });
  const savepoint = await openSavepoint({ project: folder(), store });
  opened.push(savepoint);
  return savepoint;
}

/** A project with a row in every table. */
async function fillEveryTable(url: string): Promise<Savepoint> {
  const root = folder();
  const store = await postgresStore({ url, project: 'full', directory: folder() });
  const savepoint = await openSavepoint({ project: root, store, scan: true });
  opened.push(savepoint);
  writeFileSync(join(root, 'there.txt'), 'from the beginning');
  const request = { sessionId: 'session', messageId: '1' };
  const { id } = await savepoint.checkpoint(request);
  await savepoint.scan();
  const capture = await savepoint.captureBefore({ ...request, paths: ['a.txt'] });
  writeFileSync(join(root, 'a.txt'), 'new');
  await savepoint.captureAfter(capture);
  await savepoint.rewind({ to: id });
  await savepoint.openWindow({ ...request, description: 'a command' });
  const run = await savepoint.execution('steps', { state: { list: [] as number[] } });
  await run.step('one', ({ state }) => void state.list.push(1));
  await run.close();
  await (await savepoint.storage()).save('category', 'key', { value: 1 });
  const { seq: base } = await store.state();
  await store.timeline.commit({ base, privatePaths: [pathOf('private.txt')] });
  return savepoint;
}

async function counts(url: string, tables: readonly string[]): Promise<number[]> {
  const statements = tables.map((table) => `SELECT count(*)::integer AS n FROM ${table}`);
  return (await onDatabase(url, ...statements)).map(({ rows }) => rows[0].n);
}

async function columnsOf(url: string, table: string): Promise<string[]> {
  const sql = `SELECT column_name FROM information_schema.columns
    WHERE table_schema = 'savepoint' AND table_name = '${table}' ORDER BY ordinal_position`;
  return (await onDatabase(url, sql))[0]?.rows.map((row) => row.column_name) ?? [];
}

async function firstRow(url: string, table: string): Promise<string> {
  const [result] = await onDatabase(
    url,
    `SELECT row_to_json(t)::text AS row FROM ${table} AS t LIMIT 1`,
  );
  return result?.rows[0].row;
}

/** Every row, as text. */
async function contents(url: string, tables: readonly string[]): Promise<object[]> {
  const statements = tables.map((table) => `SELECT t::text FROM ${table} AS t ORDER BY 1`);
  return (await onDatabase(url, ...statements)).flatMap(({ rows }) => rows);
}

const clients = new Map<string, pg.Client>();
afterAll(async () => {
  for (const client of clients.values()) await client.end();
});

/** The rows that a statement found or wrote, or the code with which it was refused. */
async function outcomeOf(url: string, sql: string): Promise<string | number | null> {
  const known = clients.get(url);
  const options = '-c search_path=savepoint';
  const client = known ?? new pg.Client({ connectionString: url, options });
  clients.set(url, client);
  if (known === undefined) await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } catch (error) {
    return (error as { code: string }).code;
  }
}
