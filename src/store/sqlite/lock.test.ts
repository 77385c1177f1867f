import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { waitsAside } from '../../../test/setup/waits-aside.ts';
import { rejectsWith } from '../../testing/store/samples.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const STORE_MODULE = new URL('./sqlite-store.ts', import.meta.url).href;

const HOLDER = `
  const { sqliteStore } = await import(process.argv[1]);
  const store = await sqliteStore({ directory: process.argv[2] });
  await store.lock({ timeoutMs: 0 });
  console.log('held');
  setInterval(() => {}, 1000);
`;

describe('the project lock over processes', () => {
  it('keeps another process out, and is free when its holder is killed', () =>
    withHolder(async (store, holder) => {
      await rejectsWith(store.lock({ timeoutMs: 50 }), 'store-locked');
      const waiting = store.lock({ timeoutMs: 20_000 });
      await holder.kill();
      (await waiting).release();
    }));

  it('does not stop the event loop while it waits', () =>
    withHolder(async (store, holder) => {
      const waiting = store.lock({ timeoutMs: 20_000 });
      assert.ok(await waitsAside(waiting));
      await holder.kill();
      (await waiting).release();
    }));

  it('stops waiting for another process when told to, or when closed', () =>
    withHolder(async (store) => {
      const signal = AbortSignal.timeout(30);
      await rejectsWith(store.lock({ timeoutMs: 20_000, signal }), 'aborted');
      const waiting = rejectsWith(store.lock({ timeoutMs: 20_000 }), 'store-closed');
      await store.close();
      await waiting;
    }));

  it('lets the second in line try when the first gives up', () =>
    withHolder(async (store, holder) => {
      const first = rejectsWith(store.lock({ timeoutMs: 50 }), 'store-locked');
      const second = store.lock({ timeoutMs: 20_000 });
      await first;
      await holder.kill();
      (await second).release();
    }));
});

describe('the project lock within a process', () => {
  it('is one for a folder, by whatever name it is reached', () =>
    withTemporaryFolder(async (folder) => {
      mkdirSync(join(folder, 'real'));
      symlinkSync('real', join(folder, 'link'));
      const one = await sqliteStore({ directory: join(folder, 'real') });
      const two = await sqliteStore({ directory: join(folder, 'link') });
      const held = await one.lock({ timeoutMs: 0 });
      const order: string[] = [];
      const waiting = [two, one, two].map(async (store, at) => {
        const lock = await store.lock({ timeoutMs: 5_000 });
        order.push(String(at));
        lock.release();
      });
      held.release();
      await Promise.all(waiting);
      assert.equal(order.join(), '0,1,2');
      await one.close();
      await two.close();
    }));
});

describe('the project lock of a store whose database was replaced', () => {
  it('is refused, so that nothing is committed to a file that nobody opens again', () =>
    withTemporaryFolder(async (folder) => {
      const [file, aside] = [join(folder, 'store.db'), join(folder, 'aside.db')];
      const store = await sqliteStore({ directory: folder });
      copyFileSync(file, aside);
      renameSync(aside, file);
      await rejectsWith(store.lock({ timeoutMs: 0 }), 'store-closed');
      await rejectsWith(store.lock({ timeoutMs: 0 }), 'store-closed');
      const again = await sqliteStore({ directory: folder });
      (await again.lock({ timeoutMs: 0 })).release();
      await again.close();
      await store.close();
    }));
});

function withHolder(body: (store: Store, holder: ChildScript) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    const holder = new ChildScript(HOLDER, STORE_MODULE, folder);
    try {
      await holder.says('held');
      await body(store, holder);
    } finally {
      await holder.kill();
      await store.close();
    }
  });
}
