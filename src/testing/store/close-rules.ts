import { partOf } from '../../store/parts/part.ts';
import type { Store } from '../../store/store.ts';
import { checkpointId, operationId, pathOf, rejectsWith, textBlob } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const IDENTITY = { root: '/', inode: '1', birthtimeNs: '1' };

const METHODS: { [Name in Exclude<keyof Store, 'close'>]: (store: Store) => Promise<unknown> } = {
  project: (store) => store.project(),
  setProject: (store) => store.setProject(IDENTITY),
  lock: (store) => store.lock({ timeoutMs: 10 }),
  seq: (store) => store.seq(),
  commit: (store) => store.commit({ base: 0 }),
  readBlob: (store) => store.readBlob(textBlob('').id),
  putBlobs: (store) => store.putBlobs((async function* () {})()),
  readPacked: (store) => store.readPacked(textBlob('').id),
  objectsFolder: async (store) => store.objectsFolder(),
  readGitObject: (store) => store.readGitObject(new Uint8Array(20)),
  session: (store) => store.session('s'),
  sessions: (store) => store.sessions(),
  checkpoint: (store) => store.checkpoint(checkpointId('c')),
  checkpointsByPrefix: (store) => store.checkpointsByPrefix('c', 1),
  idsBeside: (store) => store.idsBeside([]),
  checkpoints: (store) => store.checkpoints({}),
  oldestCheckpointSeq: (store) => store.oldestCheckpointSeq(),
  changedPathCounts: (store) => store.changedPathCounts([checkpointId('c')]),
  head: (store) => store.head(pathOf('a')),
  heads: (store) => store.heads(),
  changes: (store) => store.changes({}),
  cancellationsOf: (store) => store.cancellationsOf([1]),
  operation: (store) => store.operation(operationId('o')),
  operations: (store) => store.operations(),
  journal: (store) => store.journal(),
  windows: (store) => store.windows(),
  baseline: (store) => store.baseline(),
  execution: (store) => store.execution('e'),
  executions: (store) => store.executions(),
  steps: (store) => store.steps('e'),
  putDocument: (store) => {
    const root = partOf('json', [], '1');
    const write = { category: 'category', key: 'key', savedAt: 1, root, parts: [] };
    return store.putDocument(write, { timeoutMs: 1 });
  },
  removeDocument: (store) => store.removeDocument('category', 'key', { timeoutMs: 1 }),
  document: (store) => store.document('category', 'key'),
  documents: (store) => store.documents('category'),
  readDocument: (store) => store.readDocument('category', 'key'),
  readParts: (store) => store.readParts(partOf('json', [], '1').id),
  prune: (store) => store.prune(0),
  verify: (store) => store.verify(null, null),
  purge: (store) => store.purge([]),
  needsScrub: (store) => store.needsScrub(),
  scrub: (store) => store.scrub(),
  prunable: (store) => store.prunable(0),
  diskBytes: (store) => store.diskBytes(),
  compact: (store) => store.compact(0),
  stats: (store) => store.stats(),
};

export function closeRules({ test }: StoreTests): void {
  test('can be closed more than once', async (store) => {
    await store.close();
    await store.close();
  });

  for (const [name, call] of Object.entries(METHODS)) {
    test(`refuses ${name} when it is closed`, async (store) => {
      await store.close();
      await rejectsWith(call(store), 'store-closed');
    });
  }
}
