import { expect, it } from 'vitest';
import type { CheckpointId, ListedCheckpoint, Session } from '../index.ts';
import { checkpointOf, sessionOf } from '../testing/store/samples.ts';
import { groupBySession } from './timeline-text.ts';

const listed = (seq: number, more: Partial<ListedCheckpoint>): ListedCheckpoint => ({
  ...checkpointOf(seq),
  id: `c${seq}` as CheckpointId,
  agent: null,
  files: 0,
  ...more,
});

const groups = (checkpoints: ListedCheckpoint[], sessions: Session[]) =>
  groupBySession(checkpoints, sessions, 1_000).map(({ heading, checkpoints: members }) => [
    heading,
    ...members.map(({ seq }) => seq),
  ]);

it('puts sessions that took turns together, and what rewinds kept last', () => {
  const found = groups(
    [
      listed(6, { kind: 'safety' }),
      listed(5, { sessionId: 'a' }),
      listed(4, { kind: 'manual' }),
      listed(3, { sessionId: 'b' }),
      listed(2, { sessionId: 'a' }),
      listed(1, { sessionId: 'r', agent: 'run' }),
    ],
    [sessionOf('a'), sessionOf('b', { archivedAt: 5 }), sessionOf('r', { agent: 'run' })],
  );
  expect(found).toEqual([
    ['test-agent  a  active just now', 5, 2],
    ['by hand', 4],
    ['test-agent  b  active just now, archived', 3],
    ['savepoint run', 1],
    ['kept before rewinds', 6],
  ]);
});

it('is not led astray by what sessions and agents are called', () => {
  const names = ['Symbol(by hand)', 'a, b', '\u001b[2J'];
  const found = groups(
    [listed(9, { kind: 'manual' }), ...names.map((id, i) => listed(i + 1, { sessionId: id }))],
    names.map((id) => sessionOf(id, { agent: id })),
  );
  expect(found.map(([heading]) => heading)).toEqual([
    'by hand',
    'Symbol(by hand)  Symbol(b  active just now',
    'a, b  a, b  active just now',
    '\\x1b[2J  \\x1b[2J  active just now',
  ]);
});
