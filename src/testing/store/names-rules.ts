import assert from 'node:assert/strict';
import type { Change } from '../../model/change.ts';
import { outsidePath } from '../../model/path.ts';
import { findCheckpoint, findHead, findOperation, findSession } from '../../store/find.ts';
import type { Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  commit,
  FOLDER,
  operationId,
  operationOf,
  PROCESS,
  pathOf,
  seqsOf,
  sessionOf,
  times,
} from './samples.ts';

export const ODD_TEXTS: readonly string[] = [
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

export function namesRules({ test }: Tests<Store>): void {
  for (const odd of ODD_TEXTS) {
    test(`keeps and finds what is called ${JSON.stringify(odd.slice(0, 30))}`, async (store) => {
      const [checkpoint, operation] = [checkpointId(odd), operationId(odd)];
      const texts = { sessionId: odd, messageId: odd, description: odd, label: odd };
      const named = { sessionId: odd, checkpointId: checkpoint, operationId: operation };
      const rows = {
        sessions: [sessionOf(odd, { rootId: odd, agent: odd })],
        checkpoints: [checkpointOf(1, { id: checkpoint, ...texts })],
        changes: [
          changeOf(2, 'a', {
            ...named,
            after: FOLDER,
            toolCallId: odd,
            owner: { ...PROCESS, host: odd },
          }),
        ],
        operations: [operationOf(3, { id: operation, description: odd })],
      };
      await commit(store, rows);
      assert.deepEqual(await findSession(store, odd), rows.sessions[0]);
      assert.deepEqual(await findCheckpoint(store, checkpoint), rows.checkpoints[0]);
      assert.deepEqual(await findOperation(store, operation), rows.operations[0]);
      for (const query of [
        { sessionIds: [odd], messageId: odd },
        { prefix: odd, limit: 9 },
      ]) {
        assert.deepEqual(await store.timeline.checkpoints(query), rows.checkpoints);
      }
      const query = { sessionIds: [odd], checkpointIds: [checkpoint], operationId: operation };
      assert.deepEqual(await store.timeline.changes(query), rows.changes);
      assert.deepEqual(
        [...(await store.timeline.changedPaths([checkpoint]))],
        [[odd, { files: 0, folders: 1, changes: 1, cancelled: [] }]],
      );
      await commit(store, { removedSessions: [odd], removedOperations: [operation] });
      assert.deepEqual(await store.timeline.checkpoints({}), []);
      assert.deepEqual(await store.timeline.operations(), []);
    });
  }

  test('does not mix up texts that differ only after a NUL', async (store) => {
    await commit(store, { sessions: [sessionOf('a\0b'), sessionOf('a\0c'), sessionOf('a')] });
    await commit(store, { removedSessions: ['a\0b'] });
    assert.deepEqual((await store.timeline.sessions()).map(({ id }) => id).sort(), ['a', 'a\0c']);
  });

  test('keeps paths apart byte by byte, text or not', async (store) => {
    const changes = ODD_PATHS.map((path, at): Change => ({ ...changeOf(at + 1, 'a'), path }));
    await commit(store, { changes });
    assert.deepEqual(await store.timeline.changes({}), changes);
    assert.deepEqual(await store.timeline.changes({ paths: ODD_PATHS }), changes);
    for (const change of changes) {
      assert.deepEqual(await store.timeline.changes({ paths: [change.path] }), [change]);
      const { seq, path } = (await findHead(store, change.path)) ?? {};
      assert.deepEqual({ seq, path }, { seq: change.seq, path: change.path });
    }
  });

  test(`answers questions about ${MANY} paths, checkpoints and sessions at once`, async (store) => {
    const numbers = times(MANY, (at) => at + 1);
    const ids = numbers.map((number) => checkpointId(`c${number}`));
    const sessions = numbers.map((number) => sessionOf(`s${number}`));
    const changes = numbers.map((number) => {
      const named = {
        after: FOLDER,
        sessionId: `s${number}`,
        checkpointId: checkpointId(`c${number}`),
      };
      return changeOf(number, `folder/${number}`, named);
    });
    const cancellations = numbers.map((change) => ({ by: MANY + change, change, inPart: false }));
    await commit(store, { sessions, changes, cancellations });
    const paths = changes.map(({ path }) => path);
    const sessionIds = sessions.map(({ id }) => id);
    for (const query of [{ paths }, { paths, sessionIds, checkpointIds: ids }]) {
      assert.deepEqual(seqsOf(await store.timeline.changes(query)), numbers);
    }
    assert.deepEqual(await store.timeline.cancellations(numbers), cancellations);
    assert.equal((await store.timeline.changedPaths(ids)).size, MANY);
    assert.deepEqual(await store.timeline.checkpoints({ sessionIds }), []);
  });
}
