import { partOf } from '../../store/parts/part.ts';
import type { Store } from '../../store/store.ts';
import { checkpointId, groupsOf, rejectsWith, textBlob } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const PART = partOf('json', [], '1');
const DOCUMENT = { category: 'category', key: 'key', savedAt: 1, root: PART, parts: [] };
const SOON = { timeoutMs: 1 };

type Call = (store: Store) => Promise<unknown> | undefined;
type Calls<Group> = { readonly [Name in keyof Group]: Call };

const TIMELINE: Calls<Store['timeline']> = {
  commit: ({ timeline }) => timeline.commit({ base: 0 }),
  sessions: ({ timeline }) => timeline.sessions(),
  checkpoints: ({ timeline }) => timeline.checkpoints({}),
  changedPaths: ({ timeline }) => timeline.changedPaths([checkpointId('c')]),
  heads: ({ timeline }) => timeline.heads(),
  changes: ({ timeline }) => timeline.changes({}),
  cancellations: ({ timeline }) => timeline.cancellations([1]),
  operations: ({ timeline }) => timeline.operations(),
  windows: ({ timeline }) => timeline.windows(),
  journal: ({ timeline }) => timeline.journal(),
  executions: ({ timeline }) => timeline.executions(),
  steps: ({ timeline }) => timeline.steps('e'),
};

const BLOBS: Calls<Store['blobs']> = {
  read: ({ blobs }) => blobs.read(textBlob('').id),
  putMany: ({ blobs }) => blobs.putMany(groupsOf()),
};

const DOCUMENTS: Calls<Store['documents']> = {
  put: ({ documents }) => documents.put(DOCUMENT, SOON),
  remove: ({ documents }) => documents.remove('category', 'key', SOON),
  list: ({ documents }) => documents.list('category'),
  read: ({ documents }) => documents.read('category', 'key'),
  readParts: ({ documents }) => documents.readParts(PART.id),
};

const STORE: Calls<Pick<Store, 'state' | 'setProject' | 'lock' | 'maintain'>> = {
  state: (store) => store.state(),
  setProject: (store) => store.setProject({ root: '/', inode: '1', birthtimeNs: '1' }),
  lock: (store) => store.lock({ timeoutMs: 10 }),
  maintain: (store) => store.maintain('stats'),
};

const GIT: Call = ({ git }) => git?.read(new Uint8Array(20));

export function closeRules({ test }: StoreTests): void {
  test('can be closed more than once', async (store) => {
    await store.close();
    await store.close();
  });

  const all = { ...STORE, ...TIMELINE, ...BLOBS, ...DOCUMENTS, 'an object of git': GIT };
  for (const [name, call] of Object.entries(all)) {
    test(`refuses ${name} when it is closed`, async (store) => {
      await store.close();
      const called = call(store);
      if (called !== undefined) await rejectsWith(called, 'store-closed');
    });
  }
}
