import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { makeTenants } from '../../../test/setup/postgres-tenants.ts';
import { sampled } from '../../../test/setup/sampled-runner.ts';

import { testStore } from '../../testing/index.ts';
import type { Store } from '../store.ts';
import { postgresStore } from './postgres-store.ts';

const folder = makeScratch();
afterAll(() => removeScratch(folder));

// As a role that owns nothing: whatever the store does, it may do.
let url = '';
beforeAll(async () => {
  [url = ''] = (await makeTenants(1)).tenants;
});

const projects = new WeakMap<Store, string>();

async function open(project: string): Promise<Store> {
  const directory = join(folder, project);
  const store = await postgresStore({ url, project, directory });
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
