import assert from 'node:assert/strict';
import type { Change } from '../../model/change.ts';
import { outsidePath } from '../../model/path.ts';
import { findCheckpoint, findHead, findOperation, findSession } from '../../store/find.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  operationId,
  operationOf,
  PROCESS,
  pathOf,
  seqsOf,
  sessionOf,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

const ODD_TEXTS = [
  "'; DROP TABLE changes; --",
  '"double" \'single\' `back`',
  '👩‍👩‍👧 e\u0301 \u202e',
  '__proto__',
  'constructor',
  'NUL \0 inside',
  '\0',
  ' ',
  'line\nbreak\ttab\\',
  '%_*?[a-z]',
  'null',
  '007',
  'x'.repeat(10_000),
];

const ODD_PATHS = [
  pathOf(Uint8Array.of(0xff)),
  pathOf(Uint8Array.of(0x61, 0x80, 0x2f, 0xc3, 0x28)),
  // A surrogate in UTF-8 is not UTF-8: its three bytes are not the byte that it would stand for.
  pathOf(Uint8Array.of(0xed, 0xb2, 0x80)),
  pathOf(Uint8Array.of(0x80)),
  pathOf('\ufeffmark'),
  pathOf('\ufffd'),
  pathOf('__proto__'),
  pathOf('it\'s/a "path"\n'),
  pathOf('👩‍👩‍👧'),
  // The same letter, written in two ways, names two files.
  pathOf('\u00e9'),
  pathOf('e\u0301'),
  outsidePath('/etc/hosts'),
];

const MANY = 5_000;

export function namesRules({ test }: StoreTests): void {
  for (const odd of ODD_TEXTS) {
    test(`keeps and finds what is called ${JSON.stringify(odd.slice(0, 30))}`, async (store) => {
      const [checkpoint, operation] = [checkpointId(odd), operationId(odd)];
      const rows = {
        sessions: [sessionOf(odd, { rootId: odd, agent: odd })],
        checkpoints: [
          checkpointOf(1, {
            id: checkpoint,
            sessionId: odd,
            messageId: odd,
            description: odd,
            label: odd,
          }),
        ],
        changes: [
          changeOf(2, 'a', {
            sessionId: odd,
            checkpointId: checkpoint,
            operationId: operation,
            toolCallId: odd,
            owner: { ...PROCESS, host: odd },
          }),
        ],
        operations: [operationOf(3, { id: operation, description: odd })],
      };
      await store.timeline.commit({ base: 0, ...rows });
      assert.deepEqual(await findSession(store, odd), rows.sessions[0]);
      assert.deepEqual(await findCheckpoint(store, checkpoint), rows.checkpoints[0]);
      assert.deepEqual(await findOperation(store, operation), rows.operations[0]);
      assert.deepEqual(
        await store.timeline.checkpoints({ sessionIds: [odd], messageId: odd }),
        rows.checkpoints,
      );
      assert.deepEqual(
        await store.timeline.checkpoints({ prefix: odd, limit: 9 }),
        rows.checkpoints,
      );
      const query = { sessionIds: [odd], checkpointIds: [checkpoint], operationId: operation };
      assert.deepEqual(await store.timeline.changes(query), rows.changes);
      assert.deepEqual([...(await store.timeline.changedPaths([checkpoint]))], [[odd, 1]]);
      await store.timeline.commit({
        base: 3,
        removedSessions: [odd],
        removedOperations: [operation],
      });
      assert.deepEqual(await store.timeline.checkpoints({}), []);
      assert.deepEqual(await store.timeline.operations(), []);
    });
  }

  test('does not mix up texts that differ only after a NUL', async (store) => {
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('a\0b'), sessionOf('a\0c'), sessionOf('a')],
    });
    await store.timeline.commit({ base: 0, removedSessions: ['a\0b'] });
    assert.deepEqual((await store.timeline.sessions()).map(({ id }) => id).sort(), ['a', 'a\0c']);
  });

  test('keeps paths apart byte by byte, text or not', async (store) => {
    const changes = ODD_PATHS.map((path, at): Change => ({ ...changeOf(at + 1, 'a'), path }));
    await store.timeline.commit({ base: 0, changes });
    assert.deepEqual(await store.timeline.changes({}), changes);
    assert.deepEqual(await store.timeline.changes({ paths: ODD_PATHS }), changes);
    for (const change of changes) {
      assert.deepEqual(await store.timeline.changes({ paths: [change.path] }), [change]);
      assert.equal((await findHead(store, change.path))?.seq, change.seq);
      assert.equal((await findHead(store, change.path))?.path, change.path);
    }
  });

  test(`answers questions about ${MANY} paths, checkpoints and sessions at once`, async (store) => {
    const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
    const ids = numbers.map((number) => checkpointId(`c${number}`));
    const sessions = numbers.map((number) => sessionOf(`s${number}`));
    const changes = numbers.map((number) =>
      changeOf(number, `folder/${number}`, {
        sessionId: `s${number}`,
        checkpointId: checkpointId(`c${number}`),
      }),
    );
    const cancellations = numbers.map((change) => ({ by: MANY + change, change }));
    await store.timeline.commit({ base: 0, sessions, changes, cancellations });
    const paths = changes.map(({ path }) => path);
    const sessionIds = sessions.map(({ id }) => id);
    assert.deepEqual(seqsOf(await store.timeline.changes({ paths })), numbers);
    assert.deepEqual(
      seqsOf(await store.timeline.changes({ paths, sessionIds, checkpointIds: ids })),
      numbers,
    );
    assert.deepEqual(await store.timeline.cancellations(numbers), cancellations);
    assert.equal((await store.timeline.changedPaths(ids)).size, MANY);
    assert.deepEqual(await store.timeline.checkpoints({ sessionIds }), []);
  });
}
