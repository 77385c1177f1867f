import { describe, expect, it } from 'vitest';
import type { CheckpointId, ListedCheckpoint } from '../../index.ts';
import type { Key, KeyName } from '../../terminal/keys.ts';
import { entriesOf } from './entries.ts';
import {
  asking,
  initialState,
  type Outcome,
  type PickerState,
  pressed,
  resized,
  selectedEntry,
  withEntries,
} from './state.ts';

const SIZE = { columns: 80, rows: 24 };
const ROWS = SIZE.rows - 2;

function checkpoint(n: number, more: Partial<ListedCheckpoint> = {}): ListedCheckpoint {
  return {
    id: `id${String(n).padStart(14, '0')}` as CheckpointId,
    seq: n,
    sessionId: 's1',
    messageId: `m${n}`,
    kind: 'message',
    description: `message ${n}`,
    label: null,
    createdAt: 0,
    gitHead: null,
    coverage: 'named',
    agent: 'test-agent',
    files: 1,
    ...more,
  };
}

const many = (count: number): PickerState =>
  initialState(entriesOf(Array.from({ length: count }, (_, n) => checkpoint(n))), SIZE);

function typing(state: PickerState, ...keys: readonly (KeyName | { text: string })[]): PickerState {
  return keys.reduce((now, key) => pressed(now, keyOf(key), 100).state, state);
}

function keyOf(key: KeyName | { text: string }): Key {
  return typeof key === 'string' ? { name: key } : { name: 'text', ...key };
}

function outcome(state: PickerState, name: KeyName): Outcome | null {
  return pressed(state, { name }, 100).outcome;
}

const shown = (state: PickerState): string[] =>
  state.matches.map((entry) => entry.checkpoint.description);

describe('the question', () => {
  const asked = asking(many(3));

  it('takes a plain yes, and goes back with no, Enter and Escape', () => {
    for (const text of ['y', 'Y']) {
      expect(pressed(asked, { name: 'text', text }, 100).outcome).toBe('agree');
    }
    for (const key of [{ text: 'n' }, { text: 'N' }, 'enter', 'escape'] as const) {
      expect(pressed(asked, keyOf(key), 100)).toEqual({ state: many(3), outcome: null });
    }
  });

  it('stays for whatever else is pressed, and changes nothing by it', () => {
    for (const key of [{ text: 'x' }, { text: 'yes' }, 'down', 'tab', 'backspace'] as const) {
      expect(pressed(asked, keyOf(key), 100)).toEqual({ state: asked, outcome: null });
    }
    expect(outcome(asked, 'interrupt')).toBe('interrupt');
  });
});

describe('moving', () => {
  it('goes through the list and stops at its ends', () => {
    const state = many(100);
    expect(typing(state, 'up').selected).toBe(0);
    expect(typing(state, 'down', 'down', 'up').selected).toBe(1);
    expect(typing(state, 'page-down').selected).toBe(ROWS);
    expect(typing(state, 'end', 'down').selected).toBe(99);
    expect(typing(state, 'end', 'page-up', 'home').selected).toBe(0);
    expect(typing(many(0), 'down', 'end', 'page-down').selected).toBe(0);
  });

  it('keeps what is selected on the screen, and scrolls no more than it must', () => {
    const state = many(100);
    const bottom = typing(state, 'end');
    expect(bottom.top).toBe(100 - ROWS);
    expect(typing(bottom, 'up').top).toBe(bottom.top);
    const small = resized(typing(state, 'page-down'), { columns: 80, rows: 7 });
    expect(small.selected - small.top).toBeLessThan(5);
    expect(small.selected).toBeGreaterThanOrEqual(small.top);
    const large = resized(bottom, { columns: 80, rows: 200 });
    expect(large.top).toBe(0);
  });

  it('scrolls the diff once that has the focus, no further than to its end', () => {
    const state = typing(many(3), 'tab', 'down', 'down');
    expect(state).toMatchObject({ selected: 0, diffTop: 2, focus: 'diff' });
    expect(typing(state, 'end').diffTop).toBe(100 - ROWS);
    expect(typing(state, 'left', 'down')).toMatchObject({ selected: 1, diffTop: 0, focus: 'list' });
    expect(pressed(state, { name: 'end' }, 5).state.diffTop).toBe(0);
  });

  it('gives the diff no focus where it is not shown', () => {
    const narrow = resized(typing(many(3), 'tab'), { columns: 40, rows: 24 });
    expect(narrow.focus).toBe('list');
    expect(typing(narrow, 'right').focus).toBe('list');
    expect(typing(many(0), 'tab').focus).toBe('list');
  });
});

describe('filtering', () => {
  const entries = entriesOf([
    checkpoint(1, { description: 'Fix the parser' }),
    checkpoint(2, { description: '修复解析器', label: 'Good' }),
    checkpoint(3, { description: 'the café', sessionId: 'other-session', agent: 'codex' }),
  ]);
  const state = initialState(entries, SIZE);

  it.each([
    ['PARS the', ['Fix the parser']],
    ['解析', ['修复解析器']],
    ['good', ['修复解析器']],
    ['cafe\u0301', ['the café']],
    ['other', ['the café']],
    ['codex', ['the café']],
    ['id00000000000002', ['修复解析器']],
    ['nowhere', []],
    ['  ', ['Fix the parser', '修复解析器', 'the café']],
  ])('finds by %j', (text, found) => {
    expect(shown(typing(state, { text }))).toEqual(found);
  });

  it('finds by a path, once the paths are known', () => {
    const typed = typing(state, { text: 'src/b' });
    expect(shown(typed)).toEqual([]);
    const paths = new Map([['id00000000000003' as CheckpointId, ['src/B.ts']]]);
    const known = entriesOf(
      entries.map((entry) => entry.checkpoint),
      paths,
    );
    expect(shown(withEntries(typed, known))).toEqual(['the café']);
  });

  it('keeps what was selected while the filter still finds it', () => {
    const last = typing(state, 'end');
    expect(selectedEntry(typing(last, { text: 'the' }))?.checkpoint.description).toBe('the café');
    expect(typing(last, { text: 'parser' }).selected).toBe(0);
    expect(typing(last, { text: 'the' }, 'escape').selected).toBe(2);
  });

  it('takes letters back whole, words, and everything', () => {
    const typed = typing(state, { text: 'one e\u0301👩‍💻' });
    expect(typing(typed, 'backspace').filter).toBe('one e\u0301');
    expect(typing(typed, 'backspace', 'backspace').filter).toBe('one ');
    expect(typing(typed, 'delete-word').filter).toBe('one ');
    expect(typing(typed, 'delete-all', 'backspace').filter).toBe('');
  });
});

describe('leaving', () => {
  it('takes one step out with Escape: of the diff, of the filter, of the picker', () => {
    const deep = typing(many(3), { text: 'message' }, 'tab');
    const list = typing(deep, 'escape');
    expect(list).toMatchObject({ focus: 'list', filter: 'message' });
    expect(outcome(list, 'escape')).toBeNull();
    expect(outcome(typing(list, 'escape'), 'escape')).toBe('leave');
  });

  it('chooses with Enter, but not what is not there', () => {
    expect(outcome(many(3), 'enter')).toBe('choose');
    expect(outcome(typing(many(3), 'tab'), 'enter')).toBe('choose');
    expect(outcome(typing(many(3), { text: 'nowhere' }), 'enter')).toBeNull();
  });

  it('hands on Ctrl-C, Ctrl-Z and Ctrl-L', () => {
    const state = typing(many(3), { text: 'x' });
    expect(outcome(state, 'interrupt')).toBe('interrupt');
    expect(outcome(state, 'suspend')).toBe('suspend');
    expect(outcome(state, 'redraw')).toBe('redraw');
  });
});
