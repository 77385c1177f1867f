import { describe, expect, it } from 'vitest';
import type { CheckpointId } from '../model/ids.ts';
import type { ProcessOwner } from '../model/owner.ts';
import type { Window } from '../model/window.ts';
import { memoryStore } from '../store/sqlite/memory-store.ts';
import { checkpointOf } from '../testing/store/samples.ts';
import { authorOfFinds, hasGapSince, lostWindows } from './attribution.ts';
import { currentOwner } from './process-owner.ts';

const NOW = 1_000;
const NONE: ReadonlySet<string> = new Set();
// No process has it: ids are far smaller.
const DEAD: ProcessOwner = { ...currentOwner(), processId: 999_999_999 };

function windowOf(id: string, more: Partial<Window> = {}): Window {
  return {
    id,
    kind: 'command',
    change: null,
    sessionId: 'agent',
    checkpointId: 'c1' as CheckpointId,
    toolCallId: `call-${id}`,
    owner: null,
    description: '',
    opened: 1,
    closed: null,
    createdAt: 0,
    ...more,
  };
}

/** Whose doing it is, in short. */
function attributed(
  windows: readonly Window[],
  more: { lost?: ReadonlySet<string>; late?: boolean } = {},
) {
  const { lost = NONE, late = false } = more;
  return authorOfFinds({ windows, lost, late, now: NOW });
}

describe('a change that a scan finds', () => {
  it('belongs to somebody outside while no window is open', () => {
    expect(attributed([])).toMatchObject({
      origin: 'outside',
      sessionId: null,
      checkpointId: null,
      createdAt: NOW,
    });
  });

  it('belongs to somebody outside after a gap too, while no window is open', () => {
    expect(attributed([], { late: true })).toMatchObject({ origin: 'outside', sessionId: null });
  });

  it('belongs to the command of the one open window', () => {
    expect(attributed([windowOf('a')])).toEqual({
      origin: 'shell',
      attribution: 'inferred',
      sessionId: 'agent',
      checkpointId: 'c1',
      operationId: null,
      toolCallId: 'call-a',
      owner: null,
      createdAt: NOW,
    });
  });

  it('belongs to the message, but to no tool call, in two windows of one message', () => {
    expect(attributed([windowOf('a'), windowOf('b')])).toMatchObject({
      attribution: 'inferred',
      checkpointId: 'c1',
      toolCallId: null,
    });
  });

  it('is shared in windows of two sessions, and listed under the newest', () => {
    const other = { sessionId: 'other', checkpointId: 'c2' as CheckpointId };
    expect(attributed([windowOf('a'), windowOf('b', other)])).toMatchObject({
      attribution: 'shared',
      sessionId: 'other',
      checkpointId: 'c2',
    });
  });

  it('is shared in windows of two messages of one session', () => {
    const later = { checkpointId: 'c2' as CheckpointId };
    expect(attributed([windowOf('a'), windowOf('b', later)]).attribution).toBe('shared');
  });

  it('is shared after a window was closed in a gap, because it can be older or newer', () => {
    expect(attributed([windowOf('a', { closed: 5 })]).attribution).toBe('shared');
    expect(attributed([windowOf('a', { closed: 5 }), windowOf('b')]).attribution).toBe('shared');
  });

  it('is shared in a window whose end nobody saw', () => {
    expect(attributed([windowOf('a')], { lost: new Set(['a']) }).attribution).toBe('shared');
    const both = attributed([windowOf('a'), windowOf('b')], { lost: new Set(['a']) });
    expect(both.attribution).toBe('shared');
  });

  it('is shared after a gap, even in the one open window', () => {
    expect(attributed([windowOf('a')], { late: true }).attribution).toBe('shared');
  });
});

describe('a window must be over', () => {
  it('when its process has ended', () => {
    const windows = [
      windowOf('dead', { owner: DEAD }),
      windowOf('here', { owner: currentOwner() }),
    ];
    expect([...lostWindows(windows, null)]).toEqual(['dead']);
  });

  it('when its session has moved on, no matter which process runs it', () => {
    const windows = [
      windowOf('mine'),
      windowOf('running', { owner: currentOwner() }),
      windowOf('other', { sessionId: 'other' }),
    ];
    expect([...lostWindows(windows, 'agent')]).toEqual(['mine', 'running']);
  });

  it('but not if its process is unknown or on another machine', () => {
    const elsewhere = { ...DEAD, host: 'another-machine' };
    expect(lostWindows([windowOf('a'), windowOf('b', { owner: elsewhere })], null).size).toBe(0);
  });
});

describe('a gap', () => {
  it('is not hidden by the checkpoints of an import, however many there are', async () => {
    const store = memoryStore();
    const imported = Array.from({ length: 30 }, (_, at) => checkpointOf(at + 3, { importedAt: 2 }));
    const gap = checkpointOf(1, { coverage: 'deadline' });
    await store.timeline.commit({ base: 0, checkpoints: [gap, ...imported] });
    expect(await hasGapSince(store, 0)).toBe(true);
    await store.close();
  });
});
