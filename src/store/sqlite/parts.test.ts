import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectStorage } from '../documents/project-storage.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const OPTIONS = { now: () => 1, lockTimeoutMs: 1_000 };
// So long that its first part, which is in the row of the document, holds some that hold others.
const LIST = Array.from({ length: 3_000 }, (_, at) => ({ at, text: `entry ${at} `.repeat(5) }));

let folder: string;
let store: Store;
let documents: ProjectStorage;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-')));
  store = await sqliteStore({ directory: folder });
  documents = new ProjectStorage({ store, ...OPTIONS });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function execute(sql: string): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  database.exec(sql);
  database.close();
}

describe('parts that are not what was stored', () => {
  const corrupt = {
    code: 'document-corrupt',
    cause: { code: expect.stringMatching(/^part-(corrupt|missing)$/) },
  };

  const damages: [string, string][] = [
    ['a text', "UPDATE parts SET data = replace(data, 'entry 7 ', 'entry 8 ')"],
    ['a kind', 'UPDATE parts SET kind = 1 - kind'],
    ...['parts', 'documents'].flatMap((table): [string, string][] => [
      [
        `the order of what one holds, of ${table}`,
        `UPDATE ${table} SET children = json_set(children,
          '$[0]', children -> '$[1]', '$[1]', children -> '$[0]') WHERE children IS NOT NULL`,
      ],
      [
        `what one holds, of ${table}`,
        `UPDATE ${table} SET children = 'no list' WHERE children IS NOT NULL`,
      ],
      [
        `a list that is none, of ${table}`,
        `UPDATE ${table} SET children = '5' WHERE children IS NOT NULL`,
      ],
      [`a list that is gone, of ${table}`, `UPDATE ${table} SET children = NULL`],
    ]),
    ['a number for a text', 'UPDATE parts SET data = 5'],
    ['a row that is gone', 'DELETE FROM parts WHERE id = 1'],
    [
      'two that changed places',
      'UPDATE parts SET id = -1 WHERE id = 1; UPDATE parts SET id = 1 WHERE id = 2; UPDATE parts SET id = 2 WHERE id = -1',
    ],
  ];
  it.each(damages)('are refused: %s', async (_, sql) => {
    await documents.save('state', 'large', LIST);
    expect(await documents.load('state', 'large')).toEqual(LIST);
    execute(sql);
    await expect(documents.load('state', 'large')).rejects.toMatchObject(corrupt);
  });

  it('are mended by whoever stores the same again', async () => {
    await documents.save('state', 'large', LIST);
    execute("UPDATE parts SET data = replace(data, 'entry 7 ', 'entry 8 '), children = NULL");
    const other = await sqliteStore({ directory: folder });
    await new ProjectStorage({ store: other, ...OPTIONS }).save('state', 'again', LIST);
    await other.close();
    expect(await documents.load('state', 'again')).toEqual(LIST);
    expect(await documents.load('state', 'large')).toEqual(LIST);
  });

  it('are refused in a document of one row', async () => {
    await documents.save('state', 'small', { text: 'right' });
    execute("UPDATE documents SET data = replace(data, 'right', 'wrong')");
    await expect(documents.load('state', 'small')).rejects.toMatchObject(corrupt);
  });
});

it('keeps what two documents have in common once', async () => {
  await documents.save('state', 'a', { list: LIST });
  const count = () => {
    const database = new DatabaseSync(join(folder, 'store.db'));
    const row = database.prepare('SELECT count(*) AS count FROM parts').get();
    database.close();
    return Number(row?.count);
  };
  const before = count();
  // Another process knows nothing of what this one has stored.
  const other = await sqliteStore({ directory: folder });
  await new ProjectStorage({ store: other, ...OPTIONS }).save('state', 'b', {
    list: [...LIST, 'more'],
  });
  await other.close();
  expect(count() - before).toBeLessThan(5);
  expect(await documents.load('state', 'b')).toEqual({ list: [...LIST, 'more'] });
});
