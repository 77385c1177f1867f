import { expect, it } from 'vitest';
import type { CheckpointId, ListedCheckpoint, Session } from '../index.ts';
import { checkpointOf, sessionOf } from '../testing/store/samples.ts';
import { groupBySession } from './timeline-text.ts';

const listed = (seq: number, more: Partial<ListedCheckpoint>): ListedCheckpoint => ({
  ...checkpointOf(seq),
  id: `c${seq}` as CheckpointId,
  agent: null,
  files: 0,
  folders: 0,
  takenBack: 'no',
  ...more,
});

const groups = (checkpoints: ListedCheckpoint[], sessions: Session[]) =>
  groupBySession(checkpoints, sessions, 1_000).map(({ heading, checkpoints: members }) => [
    heading,
    ...members.map(({ seq }) => seq),
  ]);

it('puts sessions that took turns together, and what was made by hand above what was before it', () => {
  const found = groups(
    [
      listed(6, { kind: 'manual' }),
      listed(5, { sessionId: 'a' }),
      listed(4, { kind: 'manual' }),
      listed(3, { sessionId: 'b' }),
      listed(2, { sessionId: 'a' }),
      listed(1, { sessionId: 'r', agent: 'run' }),
      listed(0, { kind: 'manual' }),
    ],
    [sessionOf('a'), sessionOf('b', { archivedAt: 5 }), sessionOf('r', { agent: 'run' })],
  );
  expect(found).toEqual([
    ['test-agent  a  active just now', 6, 5, 2],
    ['test-agent  b  active just now, archived', 4, 3],
    ['savepoint run', 1, 0],
  ]);
  expect(groups([listed(1, { kind: 'manual' })], [])).toEqual([['by hand', 1]]);
});

it('is not led astray by what sessions and agents are called', () => {
  const names = ['Symbol(by hand)', 'a, b', '\u001b[2J'];
  const found = groups(
    names.map((id, i) => listed(i + 1, { sessionId: id })),
    names.map((id) => sessionOf(id, { agent: id })),
  );
  expect(found.map(([heading]) => heading)).toEqual([
    'Symbol(by hand)  Symbol(b  active just now',
    'a, b  a, b  active just now',
    '\\x1b[2J  \\x1b[2J  active just now',
  ]);
});
