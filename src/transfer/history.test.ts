import { describe, expect, it } from 'vitest';
import type { Cancellation } from '../model/change.ts';
import { ABSENT, type State, unknown } from '../model/state.ts';
import { changeOf, checkpointOf, fileOf, sessionOf, textBlob } from '../testing/store/samples.ts';
import { makeHistory } from './history.ts';

const one = fileOf(textBlob('one'));
const two = fileOf(textBlob('two'));
const three = fileOf(textBlob('three'));

function historyOf(
  changes: ReturnType<typeof changeOf>[],
  more: Partial<Parameters<typeof makeHistory>[1]> = {},
  cancellations: Cancellation[] = [],
) {
  const collected = {
    sessions: [sessionOf('s')],
    checkpoints: [checkpointOf(15, { sessionId: 's' })],
    changes,
    operations: [],
    cancellations,
  };
  return makeHistory(collected, {
    endOf: () => ABSENT,
    moved: (state: State) => state,
    ...more,
  });
}

describe('a history of its own', () => {
  it('is numbered anew from 1 on, in the order that it had', () => {
    const { checkpoints, changes } = historyOf([changeOf(10, 'a'), changeOf(20, 'b')]);
    expect(changes.map(({ seq, path }) => [seq, path])).toEqual([
      [1, 'a'],
      [3, 'b'],
    ]);
    expect(checkpoints.map(({ seq }) => seq)).toEqual([2]);
  });

  it('ties a chain together out of which retention has dropped something', () => {
    const { changes } = historyOf([
      changeOf(10, 'a', { after: one }),
      changeOf(20, 'a', { before: two, after: three }),
    ]);
    expect(changes.map(({ seq, before, after }) => [seq, before, after])).toEqual([
      [1, ABSENT, one],
      [3, one, two],
      [4, two, three],
    ]);
    expect(changes[1]).toMatchObject({ origin: 'outside', sessionId: null });
  });

  it('names nothing that stays behind', () => {
    const change = changeOf(20, 'a', {
      origin: 'tool',
      sessionId: 'other',
      checkpointId: checkpointOf(5).id,
      owner: { kind: 'process', host: 'host', processId: 1, started: '1' },
    });
    const { changes, cancellations } = historyOf([change], {}, [
      { by: 30, change: 20, inPart: false },
    ]);
    expect(changes[0]).toMatchObject({ sessionId: null, checkpointId: null, owner: null });
    expect(cancellations).toEqual([]);
  });

  it('ends what is open, and says of lost bytes that they are unknown, on both sides alike', () => {
    const lost = unknown('unreadable');
    const { changes } = historyOf(
      [changeOf(10, 'a', { after: one }), changeOf(20, 'a', { before: one, after: null })],
      { endOf: () => two, moved: (state) => (state === one ? lost : state) },
    );
    expect(changes.map(({ before, after }) => [before, after])).toEqual([
      [ABSENT, lost],
      [lost, two],
    ]);
  });
});
