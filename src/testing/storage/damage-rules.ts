import assert from 'node:assert/strict';
import type { StorageTests } from '../storage-suite.ts';

export function damageRules({ testDamage }: StorageTests): void {
  testDamage('says that a value is damaged, and where it is', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await assert.rejects(storage.load('session', 'bad'), (error: Error & { path?: string }) => {
      assert.equal((error as { code?: string }).code, 'document-corrupt');
      assert.equal(typeof error.path, 'string');
      return true;
    });
  });

  testDamage(
    'lists and loads the others, and lists the damaged one too',
    async (storage, damage) => {
      for (const key of ['a', 'bad', 'z']) await storage.save('session', key, { key });
      await damage('session', 'bad');
      assert.deepEqual((await storage.list('session')).sort(), ['a', 'bad', 'z']);
      assert.deepEqual(await storage.load('session', 'a'), { key: 'a' });
      assert.deepEqual(await storage.load('session', 'z'), { key: 'z' });
    },
  );

  testDamage('replaces a damaged value', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await storage.save('session', 'bad', { n: 2 });
    assert.deepEqual(await storage.load('session', 'bad'), { n: 2 });
  });

  testDamage('does not take a damaged value for none', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await assert.rejects(storage.save('session', 'bad', { n: 2 }, { onlyNew: true }), {
      code: 'document-exists',
    });
  });

  testDamage('deletes a damaged value', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    assert.equal(await storage.delete('session', 'bad'), true);
    assert.equal(await storage.load('session', 'bad'), null);
    assert.deepEqual(await storage.list('session'), []);
  });
}
