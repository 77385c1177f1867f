import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { Database, endClient } from './database.ts';

let url: string;
beforeAll(async () => {
  url = await sharedPostgres();
});

async function open(): Promise<Database> {
  const database = await Database.open({ url });
  onTestFinished(() => database.close());
  return database;
}

describe('a connection', () => {
  const SETTINGS = `
    SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp_keepalives_%' ORDER BY name`;
  const WITHIN_A_MINUTE = [
    { name: 'tcp_keepalives_count', setting: '3' },
    { name: 'tcp_keepalives_idle', setting: '30' },
    { name: 'tcp_keepalives_interval', setting: '10' },
  ];

  it('is one whose client the server misses within a minute', async () => {
    const database = await open();
    expect(await database.query(SETTINGS)).toEqual(WITHIN_A_MINUTE);
    const read = database.transaction((session) => session.query(SETTINGS));
    expect(await read).toEqual(WITHIN_A_MINUTE);
    const alone = await database.connect();
    expect((await alone.query(SETTINGS)).rows).toEqual(WITHIN_A_MINUTE);
    await endClient(alone);
  });
});

describe('a transaction', () => {
  it('fails where the server takes it back, also if the failure of a statement was ignored', async () => {
    const database = await open();
    const done = database.transaction(async (session) => {
      await session.run('CREATE TABLE never_committed (id int)');
      await session.run('SELECT 1 / 0').catch(() => {});
    });
    await expect(done).rejects.toMatchObject({ code: 'store-failed' });
    const [row] = await database.query<{ there: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'never_committed') AS there`,
    );
    expect(row?.there).toBe(false);
  });
});
