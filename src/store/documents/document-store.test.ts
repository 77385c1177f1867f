import { expect, it } from 'vitest';
import { MemoryPlace, memoryStore } from '../sqlite/memory-store.ts';
import type { DocumentWrite, PutDocumentOptions, Store } from '../store.ts';
import { DocumentStore } from './document-store.ts';

const OPTIONS = { now: () => 1, lockTimeoutMs: 1_000 };

function messages(count: number): object {
  return Array.from({ length: count }, (_, at) => ({ at, text: `message ${at} `.repeat(9) }));
}

it('keeps values under their names', async () => {
  const documents = new DocumentStore(memoryStore(), OPTIONS);
  await documents.save('state', 'a', { when: new Date(3), none: undefined });
  await documents.save('state', 'b', null);
  expect(await documents.load('state', 'a')).toEqual({
    value: { when: new Date(3), none: undefined },
  });
  expect(await documents.load('state', 'b')).toEqual({ value: null });
  expect(await documents.load('state', 'c')).toBeNull();
  expect(await documents.keys('state')).toEqual(['a', 'b']);
  expect(await documents.delete('state', 'a')).toBe(true);
  expect(await documents.delete('state', 'a')).toBe(false);
});

it('keeps a value as it was when it was saved', async () => {
  const documents = new DocumentStore(memoryStore(), OPTIONS);
  const list = [1];
  const saved = [documents.save('state', 'a', list)];
  list.push(2);
  saved.push(documents.save('state', 'b', list));
  list.push(3);
  await Promise.all(saved);
  expect(await documents.load('state', 'a')).toEqual({ value: [1] });
  expect(await documents.load('state', 'b')).toEqual({ value: [1, 2] });
});

it('leaves a value alone that was to be new', async () => {
  const documents = new DocumentStore(memoryStore(), OPTIONS);
  expect(await documents.save('state', 'a', 1, { onlyNew: true })).toBe(true);
  expect(await documents.save('state', 'a', 2, { onlyNew: true })).toBe(false);
  expect(await documents.load('state', 'a')).toEqual({ value: 1 });
});

it('refuses what cannot be kept as it is, and keeps what was there', async () => {
  const documents = new DocumentStore(memoryStore(), OPTIONS);
  await documents.save('state', 'a', 1);
  const refused = documents.save('state', 'a', { call: () => 1 }, { name: 'state' });
  await expect(refused).rejects.toMatchObject({ code: 'value-unsupported', path: 'state.call' });
  expect(await documents.load('state', 'a')).toEqual({ value: 1 });
});

it('stores everything again where somebody has removed what it relied on', async () => {
  const place = new MemoryPlace();
  const [store, other] = [memoryStore(place), memoryStore(place)];
  const documents = new DocumentStore(store, OPTIONS);
  await documents.save('state', 'a', { messages: messages(100) });
  await other.removeDocument('state', 'a', { timeoutMs: 1_000 });
  await other.prune(0);
  await documents.save('state', 'a', { messages: messages(100), more: 1 });
  expect(await documents.load('state', 'a')).toEqual({
    value: { messages: messages(100), more: 1 },
  });
});

it('relies on nothing that failed to be stored', async () => {
  const store = memoryStore();
  let failing = true;
  const putDocument = async (write: DocumentWrite, options: PutDocumentOptions) => {
    if (failing) throw new Error('no space left');
    return store.putDocument(write, options);
  };
  const sometimes = new Proxy(store, {
    get: (target, name: keyof Store) => {
      if (name === 'putDocument') return putDocument;
      return (target[name] as () => unknown).bind(target);
    },
  });
  const documents = new DocumentStore(sometimes, OPTIONS);
  await expect(documents.save('state', 'a', messages(100))).rejects.toThrow('no space');
  failing = false;
  await documents.save('state', 'a', messages(100));
  expect(await documents.load('state', 'a')).toEqual({ value: messages(100) });
});
