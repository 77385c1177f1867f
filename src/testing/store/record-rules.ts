import assert from 'node:assert/strict';
import { type State, UNKNOWN_REASONS, unknown } from '../../model/state.ts';
import { partOf } from '../../store/parts/part.ts';
import type { Batch, Store } from '../../store/store.ts';
import {
  CHANGES,
  CHECKPOINTS,
  EXECUTIONS,
  type FieldShape,
  OPERATIONS,
  SESSIONS,
  STEPS,
  type Table,
  WINDOWS,
} from '../../store/tables.ts';
import type { Tests } from '../suite.ts';
import { commit, executionOf, fileOf, pathOf, sessionOf, textBlob } from './samples.ts';

const PART = partOf('json', [], '1');
const CONTENT = textBlob('content');

const STATES: readonly State[] = [
  { kind: 'absent' },
  fileOf(CONTENT, 0o600),
  { kind: 'captured', type: 'symlink', mode: 0o777, blob: CONTENT.id, size: 7 },
  { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 },
  { kind: 'captured', type: 'file', mode: 0, blob: textBlob('').id, size: 0 },
  ...UNKNOWN_REASONS.map(unknown),
];

export function recordRules({ test }: Tests<Store>): void {
  keeps(test, SESSIONS, 'sessions', (store) => store.timeline.sessions());
  keeps(test, CHECKPOINTS, 'checkpoints', (store) => store.timeline.checkpoints({}));
  keeps(test, CHANGES, 'changes', (store) => store.timeline.changes({}));
  keeps(test, OPERATIONS, 'operations', (store) => store.timeline.operations());
  keeps(test, WINDOWS, 'windows', (store) => store.timeline.windows());
  keeps(test, EXECUTIONS, 'executions', (store) => store.timeline.executions());
  keeps(test, STEPS, 'steps', (store) => store.timeline.steps('e'));
}

/** Records with every word and every state that their fields can hold, with nulls and without. */
function keeps<Row extends object>(
  test: Tests<Store>['test'],
  table: Table<Row>,
  rows: keyof Batch,
  list: (store: Store) => Promise<readonly Row[]>,
): void {
  const fields = Object.entries<FieldShape>(table.fields);
  const records = Array.from({ length: STATES.length * 2 }, (_, turn) => {
    const values = fields.map(([name, field], at) => [name, sampleValue(name, field, turn, at)]);
    return Object.fromEntries(values) as Row;
  });
  const keyOf = (row: Row): string => JSON.stringify(table.key.map((name) => row[name]));
  const inOrder = (all: readonly Row[]): Row[] =>
    all.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

  test(`keeps every field of ${table.name}`, async (store) => {
    const needed = { sessions: [sessionOf('s')], executions: [executionOf('e')], parts: [PART] };
    await commit(store, needed);
    if (rows === 'sessions') await commit(store, { removedSessions: ['s'] });
    if (rows === 'executions') await commit(store, { removedExecutions: ['e'] });
    await commit(store, { [rows]: records });
    assert.deepEqual(inOrder(await list(store)), inOrder(records));
  });
}

/** `at` is the place of the field in its record: numbers of the timeline grow from field to field. */
function sampleValue(name: string, field: FieldShape, turn: number, at: number): unknown {
  if (field.isNullable && turn % 2 === 1) return null;
  const half = field.isNullable ? turn / 2 : turn;
  switch (field.kind) {
    case 'session':
      return 's';
    case 'execution':
      return 'e';
    case 'part':
      return PART.id;
    case 'seq':
      return turn * 20 + at + 1;
    case 'count':
      return turn;
    case 'time':
      return 1_700_000_000_123 + turn;
    case 'boolean':
      return turn % 3 === 0;
    case 'word':
      return field.words?.[half % field.words.length];
    case 'path':
      return pathOf(`folder/${turn}`);
    case 'state':
      return STATES[half % STATES.length];
    case 'json':
      return [{ name, turn }];
    default:
      return `${name}\n${turn}`;
  }
}
