import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { sampled } from '../../../test/setup/sampled-runner.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { testStore } from '../../testing/index.ts';
import type { Store } from '../store.ts';
import { postgresStore } from './postgres-store.ts';

const projects = new WeakMap<Store, string>();

async function open(project: string): Promise<Store> {
  const store = await postgresStore({ url: await sharedPostgres(), project });
  projects.set(store, project);
  return store;
}

testStore({
  name: 'postgresStore',
  create: () => open(randomUUID()),
  reopen: (store) => open(projects.get(store) ?? ''),
  destroy: (store) => store.close(),
  runner: sampled({ describe, it }),
});
