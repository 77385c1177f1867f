import { describe, expect, it } from 'vitest';
import { KeyDecoder } from '../../../terminal/keys.ts';
import {
  afterPause,
  type ChoiceDialog,
  type ChoiceStep,
  choiceDialog,
  pressedChoice,
} from './choice-dialog.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const RIGHT = '\x1b[C';
const PAGE_DOWN = '\x1b[6~';
const PAGE_UP = '\x1b[5~';

const numbered = (count: number): ChoiceDialog =>
  choiceDialog({
    title: 'Which?',
    options: Array.from({ length: count }, (_, i) => ({ number: i + 1, rows: () => [`${i + 1}`] })),
  });

/** Types until something is decided. `body`: how many rows there are to read, of which four fit. */
function type(dialog: ChoiceDialog, keys: string, body = 0): ChoiceStep {
  let step: ChoiceStep = { dialog, outcome: { kind: 'stay' } };
  for (const key of new KeyDecoder({ lineBreaks: true }).push(Buffer.from(keys))) {
    step = pressedChoice(step.dialog, key, { bodyRows: body, bodyRoom: Math.min(4, body) });
    if (step.outcome.kind === 'chosen' || step.outcome.kind === 'leave') break;
  }
  return step;
}
const outcome = (dialog: ChoiceDialog, keys: string) => type(dialog, keys).outcome;
const chose = (number: number) => ({ kind: 'chosen', index: number - 1 });

describe('a question', () => {
  it.each([
    ['a number', '2', chose(2)],
    ['Enter on the first', '\r', chose(1)],
    ['arrows and Enter', `${DOWN}${DOWN}${UP}\r`, chose(2)],
    ['arrows that stop at the last', `${DOWN.repeat(9)}\r`, chose(3)],
    ['arrows to the side, around', `${RIGHT.repeat(4)}\r`, chose(2)],
  ])('is answered by %s', (_what, keys, expected) => {
    expect(outcome(numbered(3), keys)).toEqual(expected);
  });

  it.each([['0'], ['\x03'], ['\x04'], ['\x1b\x1b']])('is left by %j', (keys) => {
    expect(outcome(numbered(12), keys)).toEqual({ kind: 'leave' });
  });

  it.each([['4'], ['x'], ['j'], ['\x1b[200~2\x1b[201~']])('takes %j for no answer', (keys) => {
    expect(outcome(numbered(3), keys)).toEqual({ kind: 'stay' });
  });

  it('is answered by letters where it has them, large or small', () => {
    const rows = (): string[] => [''];
    const options = [
      { number: 1, letter: 'y', rows },
      { number: 3, letter: 'n', rows },
    ];
    expect(outcome(choiceDialog({ title: '', options }), 'N')).toEqual(chose(2));
    // The number is the option's own, not its place.
    expect(outcome(choiceDialog({ title: '', options }), '3')).toEqual(chose(2));
  });
});

describe('numbers of more than one digit', () => {
  const menu = numbered(25);

  it('wait for the next digit, Enter or a pause where they may go on', () => {
    const step = type(menu, '2');
    expect(step.outcome).toEqual({ kind: 'pause' });
    expect(step.dialog.selected).toBe(1);
    expect(afterPause(step.dialog)).toEqual(chose(2));
    expect(outcome(menu, '2\r')).toEqual(chose(2));
    expect(outcome(menu, '25')).toEqual(chose(25));
    expect(outcome(menu, '10')).toEqual(chose(10));
  });

  it('do not wait where they cannot go on', () => {
    expect(outcome(menu, '3')).toEqual(chose(3));
  });

  it('are forgotten by an arrow, and by a digit that makes no number', () => {
    expect(afterPause(type(menu, `1${DOWN}`).dialog)).toEqual({ kind: 'stay' });
    expect(afterPause(type(menu, '29').dialog)).toEqual({ kind: 'stay' });
  });
});

describe('what is to be read above the answers', () => {
  const at = (keys: string) => {
    const { bodyTop, selected } = type(numbered(3), keys, 6).dialog;
    return [bodyTop, selected];
  };

  it('scrolls to its end before the arrow down goes through the answers, and back', () => {
    expect(at(DOWN)).toEqual([1, 0]);
    expect(at(DOWN.repeat(3))).toEqual([2, 1]);
    expect(at(DOWN.repeat(3) + UP)).toEqual([2, 0]);
    expect(at(DOWN.repeat(3) + UP + UP)).toEqual([1, 0]);
  });

  it('scrolls by pages, never past its ends', () => {
    expect(at(PAGE_DOWN)).toEqual([2, 0]);
    expect(at(PAGE_DOWN + PAGE_UP)).toEqual([0, 0]);
    expect(at('\x1b[F')).toEqual([2, 0]);
    expect(at('\x1b[F\x1b[H')).toEqual([0, 0]);
  });
});
