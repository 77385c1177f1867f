import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
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
