import { describe, expect, it } from 'vitest';
import type { CheckpointId } from '../model/ids.ts';
import type { ProcessOwner } from '../model/owner.ts';
import type { Window } from '../model/window.ts';
import { memoryStore } from '../store/sqlite/memory-store.ts';
import { checkpointOf } from '../testing/store/samples.ts';
import {
  authorOfFinds,
  type Circumstances,
  type Ended,
  hasGapSince,
  lostWindows,
} from './attribution.ts';
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
    subagentId: null,
    owner: null,
    description: '',
    coverage: 'scanned',
    opened: 1,
    closed: null,
    certain: null,
    createdAt: 0,
    ...more,
  };
}

/** Whose doing it is, in short. */
function attributed(
  windows: readonly Window[],
  more: Partial<Omit<Circumstances, 'windows' | 'now'>> = {},
) {
  return authorOfFinds({ windows, roots: new Map(), lost: NONE, late: false, now: NOW, ...more });
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
      coAuthors: null,
      operationId: null,
      toolCallId: 'call-a',
      subagentId: null,
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
      coAuthors: [{ sessionId: 'agent', checkpointId: 'c1' }],
    });
  });

  it('belongs to each of two messages of one session, or of a session and its sub-agent', () => {
    const later = { checkpointId: 'c2' as CheckpointId };
    const expected = {
      attribution: 'inferred',
      checkpointId: 'c2',
      coAuthors: [{ sessionId: 'agent', checkpointId: 'c1' }],
    };
    const windows = [windowOf('a'), windowOf('b'), windowOf('c', later)];
    expect(attributed(windows)).toMatchObject(expected);
    const helpers = [windowOf('a'), windowOf('b', { ...later, sessionId: 'helper' })];
    const roots = new Map([
      ['agent', 'agent'],
      ['helper', 'agent'],
    ]);
    expect(attributed(helpers, { roots })).toMatchObject(expected);
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
    expect([...lostWindows(windows, null, NOW)]).toEqual(['dead']);
  });

  it('when its lease has run out', () => {
    const lease = (until: number) => ({ owner: { kind: 'lease', until } as const });
    const windows = [windowOf('over', lease(NOW)), windowOf('runs', lease(NOW + 1))];
    expect([...lostWindows(windows, null, NOW)]).toEqual(['over']);
  });

  it('when its session has moved on, no matter which process runs it', () => {
    const windows = [
      windowOf('mine'),
      windowOf('running', { owner: currentOwner() }),
      windowOf('other', { sessionId: 'other' }),
    ];
    const ended = { sessionId: 'agent' };
    expect([...lostWindows(windows, ended, NOW)]).toEqual(['mine', 'running']);
  });

  it('but not if it is a sub-agent’s, or of another message than the one that has ended', () => {
    const [c1, c2] = ['c1', 'c2'] as unknown as [CheckpointId, CheckpointId];
    const windows = [
      windowOf('a'),
      windowOf('b', { checkpointId: c2 }),
      windowOf('sub', { subagentId: 'sub' }),
    ];
    const lost = (ended: Omit<Ended, 'sessionId'>) => [
      ...lostWindows(windows, { sessionId: 'agent', ...ended }, NOW),
    ];
    expect(lost({ subagentId: null })).toEqual(['a', 'b']);
    expect(lost({ subagentId: 'sub' })).toEqual(['sub']);
    expect(lost({ of: c1 })).toEqual(['a', 'sub']);
    expect(lost({ of: null })).toEqual([]);
    expect(lost({ subagentId: null, notOf: c2 })).toEqual(['a']);
  });

  it('but not if its process is unknown or on another machine', () => {
    const elsewhere = { ...DEAD, host: 'another-machine' };
    const windows = [windowOf('a'), windowOf('b', { owner: elsewhere })];
    expect(lostWindows(windows, null, NOW).size).toBe(0);
  });
});

describe('a gap', () => {
  it('is not hidden by the checkpoints of an import, however many there are', async () => {
    const store = memoryStore();
    const imported = Array.from({ length: 30 }, (_, at) => checkpointOf(at + 3, { importedAt: 2 }));
    const gap = checkpointOf(1, { coverage: 'deadline' });
    await store.timeline.commit({ base: 0, checkpoints: [gap, ...imported] });
    expect(await hasGapSince(store, [], 0)).toBe(true);
    await store.close();
  });

  it('is one too if it came right before a command', async () => {
    const store = memoryStore();
    const windows = [windowOf('a', { coverage: 'deadline', opened: 5 })];
    expect(await hasGapSince(store, windows, 4)).toBe(true);
    expect(await hasGapSince(store, windows, 5)).toBe(false);
    await store.close();
  });
});
