import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { testStorage } from '../../../testing/index.ts';
import type { BaseStorage } from '../base-storage.ts';
import { fileNameOf } from './file-name.ts';
import { JSONStorage } from './json-storage.ts';

const places = new WeakMap<BaseStorage, string>();

testStorage({
  name: 'JSONStorage',
  create: async () => open(mkdtempSync(join(tmpdir(), 'savepoint-json-'))),
  reopen: async (storage) => open(placeOf(storage)),
  destroy: async (storage) => rmSync(placeOf(storage), { recursive: true }),
  damage: async (storage, category, key) => {
    const { directory } = storage as JSONStorage;
    writeFileSync(join(directory, fileNameOf(category), fileNameOf(key, '.json')), '{"half": ');
  },
  runner: { describe, it },
});

function open(baseDir: string): BaseStorage {
  const storage = new JSONStorage('test_project', baseDir);
  places.set(storage, baseDir);
  return storage;
}

function placeOf(storage: BaseStorage): string {
  return places.get(storage) ?? '';
}
