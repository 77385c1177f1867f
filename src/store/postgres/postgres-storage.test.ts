import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sampled } from '../../../test/setup/sampled-runner.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { testStorage } from '../../testing/index.ts';
import type { BaseStorage } from '../documents/base-storage.ts';
import { Database } from './database.ts';
import { PostgresStorage } from './postgres-storage.ts';

interface Place {
  readonly project: string;
  readonly opened: PostgresStorage[];
}

const places = new WeakMap<BaseStorage, Place>();

testStorage({
  name: 'PostgresStorage',
  create: () => open({ project: randomUUID(), opened: [] }),
  reopen: (storage) => open(placeOf(storage)),
  destroy: async (storage) => {
    for (const one of placeOf(storage).opened) await one.close();
  },
  damage: async (storage, category, key) => {
    const database = await Database.open({ url: await sharedPostgres() });
    const sql = `
      UPDATE parts SET data = 'damaged' WHERE (project, hash) IN (
        SELECT documents.project, root FROM documents JOIN projects ON projects.id = documents.project
        WHERE name = $1 AND category = $2 AND key = $3)`;
    const names = [placeOf(storage).project, JSON.stringify(category), JSON.stringify(key)];
    await database.transaction((session) => session.run(sql, names));
    await database.close();
  },
  runner: sampled({ describe, it }),
});

async function open(place: Place): Promise<PostgresStorage> {
  const { project, opened } = place;
  const storage = new PostgresStorage({ url: await sharedPostgres(), project });
  opened.push(storage);
  places.set(storage, place);
  return storage;
}

function placeOf(storage: BaseStorage): Place {
  const place = places.get(storage);
  if (place === undefined) throw new Error('not a storage of this test');
  return place;
}

describe('PostgresStorage', () => {
  it('removes by itself what values that were replaced have left', async () => {
    const project = randomUUID();
    const storage = await open({ project, opened: [] });
    const list = (turn: number) =>
      Array.from({ length: 1_500 }, (_, n) => `${turn} ${n} `.repeat(60));
    for (let turn = 0; turn < 12; turn += 1) await storage.save('state', 'a', { list: list(turn) });
    expect(await storage.load('state', 'a')).toEqual({ list: list(11) });
    await storage.close();
    const database = await Database.open({ url: await sharedPostgres() });
    const sql = `
      SELECT sum(octet_length(data)) / 1000 AS kilobytes FROM parts
      JOIN projects ON projects.id = parts.project WHERE name = $1`;
    const [row] = await database.query<{ kilobytes: string }>(sql, [project]);
    await database.close();
    const saved = JSON.stringify(list(11)).length / 1000;
    expect(Number(row?.kilobytes)).toBeLessThan(saved * 8);
  });
});
