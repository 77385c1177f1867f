import { describe, expect, it } from 'vitest';
import {
  afterPause,
  type Chooser,
  type ChooserView,
  chooserOf,
  pressed,
  type Step,
  searchable,
  selectedValue,
  withOptions,
} from './chooser.ts';
import { KeyDecoder } from './keys.ts';
import { EMPTY_FIELD, textOf } from './text-field.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const RIGHT = '\x1b[C';
const LEFT = '\x1b[D';
const PAGE_UP = '\x1b[5~';
const PAGE_DOWN = '\x1b[6~';
const HOME = '\x1b[H';
const END = '\x1b[F';
// Two in a row: with the second, the first is known to be no part of a longer sequence.
const ESCAPE = '\x1b\x1b';
const ROWS = 22;

const rows = (): string[] => [''];

/** Types until something is decided. */
function type<Value>(chooser: Chooser<Value>, keys: string, view: ChooserView): Step<Value> {
  let step: Step<Value> = { chooser, outcome: { kind: 'stay' } };
  for (const key of new KeyDecoder().push(Buffer.from(keys))) {
    step = pressed(step.chooser, key, view);
    if (step.outcome.kind === 'chosen' || step.outcome.kind === 'leave') break;
  }
  return step;
}

describe('a chooser by numbers', () => {
  const numbered = (count: number): Chooser<number> =>
    chooserOf({
      title: 'Which?',
      options: Array.from({ length: count }, (_, i) => ({
        value: i + 1,
        label: String(i + 1),
        rows,
      })),
    });
  const view = (bodyRows = 0) => ({ bodyRows, bodyRoom: Math.min(4, bodyRows), listRoom: 5 });
  const outcome = (chooser: Chooser<number>, keys: string) => type(chooser, keys, view()).outcome;
  const chose = (value: number) => ({ kind: 'chosen', value });

  it.each([
    ['a number', '2', chose(2)],
    ['Enter on the first', '\r', chose(1)],
    ['arrows and Enter', `${DOWN}${DOWN}${UP}\r`, chose(2)],
    ['arrows that stop at the last', `${DOWN.repeat(9)}\r`, chose(3)],
    ['arrows to the side, around', `${RIGHT.repeat(4)}\r`, chose(2)],
  ])('is answered by %s', (_what, keys, expected) => {
    expect(outcome(numbered(3), keys)).toEqual(expected);
  });

  it.each([['0'], ['\x03'], ['\x04'], [ESCAPE]])('is left by %j', (keys) => {
    expect(outcome(numbered(12), keys)).toEqual({ kind: 'leave' });
  });

  it.each([['4'], ['x'], ['j'], ['\x1b[200~2\x1b[201~']])('takes %j for no answer', (keys) => {
    expect(outcome(numbered(3), keys)).toEqual({ kind: 'stay' });
  });

  it('is answered by letters where it has them, large or small', () => {
    const options = [
      { value: 1, label: '1', letter: 'y', rows },
      { value: 2, label: '3', letter: 'n', rows },
    ];
    expect(outcome(chooserOf({ title: '', options }), 'N')).toEqual(chose(2));
    // The number is the option's own, not its place.
    expect(outcome(chooserOf({ title: '', options }), '3')).toEqual(chose(2));
  });

  it('waits for the next digit, Enter or a pause where a number may go on', () => {
    const menu = numbered(25);
    const step = type(menu, '2', view());
    expect(step.outcome).toEqual({ kind: 'pause' });
    expect(step.chooser.selected).toBe(1);
    expect(afterPause(step.chooser)).toEqual(chose(2));
    expect(outcome(menu, '2\r')).toEqual(chose(2));
    expect(outcome(menu, '25')).toEqual(chose(25));
    expect(outcome(menu, '10')).toEqual(chose(10));
    expect(outcome(menu, '3')).toEqual(chose(3));
  });

  it('forgets digits at an arrow, and at a digit that makes no number', () => {
    const menu = numbered(25);
    expect(afterPause(type(menu, `1${DOWN}`, view()).chooser)).toEqual({ kind: 'stay' });
    expect(afterPause(type(menu, '29', view()).chooser)).toEqual({ kind: 'stay' });
  });

  it('scrolls what is above the answers to its end before the arrows go through them', () => {
    const at = (keys: string) => {
      const { bodyTop, selected } = type(numbered(3), keys, view(6)).chooser;
      return [bodyTop, selected];
    };
    expect(at(DOWN)).toEqual([1, 0]);
    expect(at(DOWN.repeat(3))).toEqual([2, 1]);
    expect(at(DOWN.repeat(3) + UP)).toEqual([2, 0]);
    expect(at(DOWN.repeat(3) + UP + UP)).toEqual([1, 0]);
    expect(at(PAGE_DOWN)).toEqual([2, 0]);
    expect(at(PAGE_DOWN + PAGE_UP)).toEqual([0, 0]);
    expect(at(END)).toEqual([2, 0]);
    expect(at(END + HOME)).toEqual([0, 0]);
  });
});

describe('a chooser with a filter', () => {
  const NAMES = ['Fix the parser', '修复解析器 [Good]', 'the café codex'];
  const VIEW: ChooserView = { bodyRows: 100, bodyRoom: ROWS, listRoom: ROWS };

  function filtering(names: readonly string[]): Chooser<string> {
    const options = names.map((name) => ({
      value: name,
      label: '',
      search: searchable(name),
      rows,
    }));
    return chooserOf({ title: '', options, filter: EMPTY_FIELD, bodyIs: 'beside' });
  }
  const many = (count: number) =>
    filtering(Array.from({ length: count }, (_, i) => `message ${i}`));
  const stateAfter = (chooser: Chooser<string>, keys: string, view = VIEW) =>
    type(chooser, keys, view).chooser;
  const typed = ({ filter }: Chooser<string>) => textOf(filter ?? EMPTY_FIELD);

  it.each([
    ['PARS the', [0]],
    ['解析', [1]],
    ['good', [1]],
    ['cafe\u0301', [2]],
    ['the', [0, 2]],
    ['nowhere', []],
    ['  ', [0, 1, 2]],
  ])('finds by %j', (text, found) => {
    const { matches } = stateAfter(filtering(NAMES), text);
    expect(matches.map(({ value }) => NAMES.indexOf(value))).toEqual(found);
  });

  it('finds by more, once more is known', () => {
    const chooser = stateAfter(filtering(NAMES), 'src/b');
    expect(chooser.matches).toEqual([]);
    const known = chooser.options.map((one) => ({ ...one, search: `${one.search} src/b.ts` }));
    expect(withOptions(chooser, known).matches).toHaveLength(3);
  });

  it('keeps what was selected while the filter still finds it', () => {
    const last = stateAfter(filtering(NAMES), END);
    expect(selectedValue(stateAfter(last, 'the'))).toBe(NAMES[2]);
    expect(stateAfter(last, 'parser').selected).toBe(0);
    expect(stateAfter(last, `the${ESCAPE}`).selected).toBe(2);
  });

  it('takes letters back whole, words, and everything', () => {
    const chooser = stateAfter(filtering(NAMES), 'one e\u0301👩‍💻');
    expect(typed(stateAfter(chooser, '\x7f'))).toBe('one e\u0301');
    expect(typed(stateAfter(chooser, '\x7f\x7f'))).toBe('one ');
    expect(typed(stateAfter(chooser, '\x17'))).toBe('one ');
    expect(typed(stateAfter(chooser, '\x15\x7f'))).toBe('');
  });

  it('is edited as every text is: by words, with cuts, yanks and undo', () => {
    const chooser = stateAfter(filtering(NAMES), 'the parser');
    expect(typed(stateAfter(chooser, '\x1bbx'))).toBe('the xparser');
    expect(typed(stateAfter(chooser, `${LEFT}${LEFT}x`))).toBe('the parsxer');
    expect(typed(stateAfter(chooser, '\x01a '))).toBe('a the parser');
    expect(typed(stateAfter(chooser, '\x1b\x7f\x15\x19\x1by'))).toBe('the parser');
    expect(typed(stateAfter(chooser, '\x15\x1f'))).toBe('the parser');
    expect(stateAfter(chooser, '\x15\x1f').matches).toHaveLength(1);
    // Escape empties it, and that can be undone.
    expect(typed(stateAfter(chooser, `${ESCAPE}\x1f`))).toBe('the parser');
    // At its end, the arrow to the right is for the body.
    expect(stateAfter(chooser, `${LEFT}${RIGHT}`).focus).toBe('list');
    expect(stateAfter(chooser, `${LEFT}${RIGHT}${RIGHT}`).focus).toBe('body');
  });

  it('goes through the list and stops at its ends', () => {
    const state = many(100);
    expect(stateAfter(state, UP).selected).toBe(0);
    expect(stateAfter(state, DOWN + DOWN + UP).selected).toBe(1);
    expect(stateAfter(state, PAGE_DOWN).selected).toBe(ROWS);
    expect(stateAfter(state, END + DOWN).selected).toBe(99);
    expect(stateAfter(state, END + PAGE_UP + HOME).selected).toBe(0);
    expect(stateAfter(many(0), DOWN + END + PAGE_DOWN).selected).toBe(0);
  });

  it('scrolls the body once that has the focus, no further than to its end', () => {
    const state = stateAfter(many(3), `\t${DOWN}${DOWN}`);
    expect(state).toMatchObject({ selected: 0, bodyTop: 2, focus: 'body' });
    expect(stateAfter(state, END).bodyTop).toBe(100 - ROWS);
    expect(stateAfter(state, LEFT + DOWN)).toMatchObject({
      selected: 1,
      bodyTop: 0,
      focus: 'list',
    });
    expect(stateAfter(state, END, { ...VIEW, bodyRows: 5 }).bodyTop).toBe(0);
  });

  it('gives the body no focus where it is not shown', () => {
    const hidden = { bodyRows: 0, bodyRoom: 0, listRoom: ROWS };
    expect(stateAfter(many(3), RIGHT, hidden).focus).toBe('list');
    expect(stateAfter(many(0), '\t').focus).toBe('list');
    // It was shown when it got the focus, and the terminal became narrow since.
    expect(stateAfter(stateAfter(many(3), '\t'), DOWN, hidden).selected).toBe(1);
  });

  it('takes one step out with Escape: of the body, of the filter, of the chooser', () => {
    const list = stateAfter(many(3), `message\t${ESCAPE}`);
    expect(list.focus).toBe('list');
    expect(typed(list)).toBe('message');
    const all = type(list, ESCAPE, VIEW);
    expect(all.outcome).toEqual({ kind: 'stay' });
    expect(type(all.chooser, ESCAPE, VIEW).outcome).toEqual({ kind: 'leave' });
  });

  it('chooses with Enter, but not what is not there', () => {
    expect(type(many(3), '\r', VIEW).outcome).toEqual({ kind: 'chosen', value: 'message 0' });
    expect(type(many(3), '\t\r', VIEW).outcome.kind).toBe('chosen');
    expect(type(many(3), 'nowhere\r', VIEW).outcome).toEqual({ kind: 'stay' });
  });
});

describe('a chooser with an option that takes a line', () => {
  const view = { bodyRows: 0, bodyRoom: 0, listRoom: ROWS };
  const question: Chooser<string> = chooserOf({
    title: 'Run it?',
    options: [
      { value: 'yes', label: '1', letter: 'y', rows },
      { value: 'no', label: '2', rows, write: (text) => `no: ${text}` },
    ],
  });
  const stepAfter = (keys: string): Step<string> => type(question, keys, view);

  it.each([
    ['its number', '2use pnpm\r'],
    ['Enter at it', `${DOWN}\ruse pnpm\r`],
    ['any letter that is no answer', 'use pnpm\r'],
    ['a paste', '\x1b[200~use pn\x1b[201~pm\r'],
  ])('begins the line with %s, and chooses with it', (_, keys) => {
    expect(stepAfter(keys).outcome).toEqual({ kind: 'chosen', value: 'no: use pnpm' });
  });

  it('edits the line, sends no empty one, and goes back to the answers with Escape', () => {
    expect(stepAfter('2\r').outcome).toEqual({ kind: 'stay' });
    expect(stepAfter('usx\x7fe\r').outcome).toEqual({ kind: 'chosen', value: 'no: use' });
    const back = stepAfter(`use${ESCAPE}`);
    expect(back.chooser.writing).toBeNull();
    expect(type(back.chooser, 'y', view).outcome).toEqual({ kind: 'chosen', value: 'yes' });
    expect(stepAfter('use\x03').outcome).toEqual({ kind: 'leave' });
  });
});
