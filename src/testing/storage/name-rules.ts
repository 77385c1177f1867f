import assert from 'node:assert/strict';
import type { StorageTests } from '../storage-suite.ts';

/** Names that have hurt somebody as a path, as SQL, as a pattern or as a key of an object. */
const ODD_NAMES: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../../escaped',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a.json',
  '.json',
  '.lock',
  '.hidden',
  'a.',
  '~',
  '~root',
  '%2e%2e',
  '%',
  '^a',
  'NUL \0 inside',
  'NUL \0 other',
  '\0',
  'line\nbreak\ttab',
  "'; DROP TABLE documents; --",
  '"double" \'single\' `back` $(id)',
  '%_*?[a-z]',
  '__proto__',
  'constructor',
  'null',
  '007',
  '7',
  'con',
  '👩‍👩‍👧',
  '检查点',
  // One letter in two ways, and in two cases.
  '\u00e9',
  'e\u0301',
  'É',
  'exec-1',
  'Exec-1',
  'EXEC-1',
  'ß',
  'SS',
  'ss',
  '\u202e',
  '\ufeffmark',
  '\ufffd',
  '\ud800',
  '\udfff',
  'x\ud83d',
  'k'.repeat(255),
  'k'.repeat(400),
  `${'k'.repeat(400)}2`,
  'K'.repeat(400),
  '../'.repeat(150),
  '检'.repeat(400),
  'x'.repeat(10_000),
];

export function nameRules({ test, testTwo }: StorageTests): void {
  test('keeps any text as a key, and all of them apart', async (storage) => {
    for (const name of ODD_NAMES) await storage.save('session', name, { name });
    assert.deepEqual((await storage.list('session')).sort(), [...ODD_NAMES].sort());
    for (const name of ODD_NAMES) {
      assert.deepEqual(await storage.load('session', name), { name }, JSON.stringify(name));
    }
    for (const [at, name] of ODD_NAMES.entries()) {
      assert.equal(await storage.delete('session', name), true, JSON.stringify(name));
      assert.equal((await storage.list('session')).length, ODD_NAMES.length - at - 1);
    }
  });

  test('keeps any text as a category, and all of them apart', async (storage) => {
    for (const name of ODD_NAMES) await storage.save(name, 'key', { name });
    for (const name of ODD_NAMES) {
      assert.deepEqual(await storage.load(name, 'key'), { name }, JSON.stringify(name));
      assert.deepEqual(await storage.list(name), ['key'], JSON.stringify(name));
    }
  });

  test('takes no name for the beginning of another', async (storage) => {
    await storage.save('checkpoint', 'ckpt-exec-10-1', { n: 10 });
    assert.equal(await storage.load('checkpoint', 'ckpt-exec-1'), null);
    assert.equal(await storage.delete('checkpoint', 'ckpt-exec-1'), false);
    assert.deepEqual(await storage.list('check'), []);
    assert.deepEqual(await storage.list('checkpoint'), ['ckpt-exec-10-1']);
  });

  test('does not mix up a category and a key that read the same together', async (storage) => {
    await storage.save('a', 'b/c', { n: 1 });
    await storage.save('a/b', 'c', { n: 2 });
    assert.deepEqual(await storage.load('a', 'b/c'), { n: 1 });
    assert.deepEqual(await storage.load('a/b', 'c'), { n: 2 });
  });

  test('refuses what is no text', async (storage) => {
    const wrong = 7 as unknown as string;
    const refusal = { code: 'argument-invalid' };
    await assert.rejects(storage.save(wrong, 'key', {}), refusal);
    await assert.rejects(storage.save('category', wrong, {}), refusal);
    await assert.rejects(storage.load('category', wrong), refusal);
    await assert.rejects(storage.load(wrong, 'key'), refusal);
    await assert.rejects(storage.delete('category', wrong), refusal);
    await assert.rejects(storage.list(wrong), refusal);
  });

  testTwo('gives the true keys back to others', async (storage, other) => {
    for (const name of ODD_NAMES) await storage.save('session', name, { name });
    assert.deepEqual((await other.list('session')).sort(), [...ODD_NAMES].sort());
  });
}
