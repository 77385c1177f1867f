import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../test/property/runs.ts';
import { graphemes } from '../text-width.ts';
import { KeyDecoder } from './keys.ts';
import { EMPTY_FIELD, edited, insert, replaced, type TextField, textOf } from './text-field.ts';

const LEFT = '\x1b[D';
const HOME = '\x1b[H';
const UNDO = '\x1f';
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

/** Types what a terminal would send. */
function type(keys: string, from: TextField = EMPTY_FIELD): TextField {
  let field = from;
  for (const key of new KeyDecoder({ lineBreaks: true }).push(Buffer.from(keys))) {
    field =
      key.name === 'text'
        ? insert(field, key.text, key.pasted)
        : (edited(field, key.name) ?? field);
  }
  return field;
}

/** The text with `|` where the cursor is. */
function shown({ cells, cursor }: TextField): string {
  return `${textOf({ cells: cells.slice(0, cursor) })}|${textOf({ cells: cells.slice(cursor) })}`;
}

describe('keys that move', () => {
  it.each([
    ['Ctrl-left', '\x1b[1;5D', 'see src/main.|ts'],
    ['Alt-left twice', '\x1b[1;3D\x1b[1;3D', 'see src/|main.ts'],
    ['Alt-B over a dot', '\x1bb', 'see src/main.|ts'],
    ['Alt-F from the beginning', `${HOME}\x1bf`, 'see| src/main.ts'],
    ['Ctrl-right twice', `${HOME}\x1b[1;5C\x1b[1;5C`, 'see src|/main.ts'],
    ['Ctrl-A', '\x01', '|see src/main.ts'],
    ['Ctrl-A and Ctrl-E', '\x01\x05', 'see src/main.ts|'],
  ])('%s', (_what, keys, expected) => {
    expect(shown(type(`see src/main.ts${keys}`))).toBe(expected);
  });

  it('Home and End are about the line, words go over lines', () => {
    const lines = type('one two\nthree');
    expect(shown(type('\x1b[H', lines))).toBe('one two\n|three');
    expect(shown(type('\x1b[H\x1bb', lines))).toBe('one |two\nthree');
    expect(shown(type('\x1b[H\x1bb\x1b[F', lines))).toBe('one two|\nthree');
  });

  it('step over a folded paste as over a word', () => {
    const field = type(`a ${paste('line\n'.repeat(20))} b`);
    expect(type('\x1bb\x1bb', field).cursor).toBe(2);
  });
});

describe('keys that cut', () => {
  it.each([
    ['Ctrl-W, to the blank', 'see src/main.ts\x17', 'see |'],
    ['Alt-Backspace, one word', 'see src/main.ts\x1b\x7f', 'see src/main.|'],
    ['Ctrl-Backspace as kitty tells it', 'see src/main.ts\x1b[127;5u', 'see src/main.|'],
    ['Alt-D', `see src/main.ts${HOME}\x1bd`, '| src/main.ts'],
    ['Ctrl-U, to the beginning of the line', `one\ntwo three${LEFT}\x15`, 'one\n|e'],
    ['Ctrl-U again, the line break', `one\ntwo${'\x15'.repeat(2)}`, 'one|'],
    ['Ctrl-K, to the end of the line', `one\ntwo\x1b[A${'\x1bb'.repeat(2)}\x0b`, '|\ntwo'],
    ['Ctrl-K again, the line break', `one\ntwo${'\x1bb'.repeat(2)}\x0b\x0b`, '|two'],
    ['Backspace and Delete, which cut nothing', `ab${LEFT}\x7f\x1b[3~\x19`, '|'],
  ])('%s', (_what, keys, expected) => {
    expect(shown(type(keys))).toBe(expected);
  });

  it.each([
    ['gives back what was cut', 'one two\x17x\x19', 'one xtwo|'],
    ['takes cuts that follow each other for one', 'one two three\x17\x17\x19', 'one two three|'],
    ['in the order of the text, from both sides', `ab cd${'\x1bb'}\x17\x0b\x19`, 'ab cd|'],
    ['gives back an older one by Alt-Y', 'one\x17two\x17x\x19\x1by', 'xone|'],
    ['goes around by Alt-Y', 'one\x17two\x17x\x19\x1by\x1by', 'xtwo|'],
    ['has Alt-Y do nothing but after a yank', 'one\x17x\x1by', 'x|'],
    ['gives back lines', 'one\ntwo\x15\x15\x15\x19\x19', 'one\ntwoone\ntwo|'],
  ])('and a yank %s', (_what, keys, expected) => {
    expect(shown(type(keys))).toBe(expected);
  });

  it('a yank keeps a paste folded', () => {
    const text = 'line\n'.repeat(20);
    const field = type(`${paste(text)}\x17\x19\x19`);
    expect(field.cells).toEqual([
      { text, folded: true },
      { text, folded: true },
    ]);
  });
});

describe('undo', () => {
  const byKeys = (text: string): TextField => {
    let field = EMPTY_FIELD;
    for (const one of text) field = type(one, field);
    return field;
  };

  it('takes back a word at a time of what was typed key by key', () => {
    const field = byKeys('fix the bug');
    expect(textOf(type(UNDO, field))).toBe('fix the ');
    expect(textOf(type(UNDO + UNDO, field))).toBe('fix ');
    expect(textOf(type(UNDO.repeat(5), field))).toBe('');
  });

  it.each([
    ['a cut', 'one two\x17'],
    ['a yank', 'one two\x17\x19'],
    ['a paste', `one two${paste(' three')}`],
    ['a row of Backspaces', 'one two\x7f\x7f\x7f'],
    ['a line break', 'one two\n'],
  ])('takes back %s, and the cursor with it', (_what, keys) => {
    const before = keys.includes('\x19') ? 'one |' : 'one two|';
    for (const undo of [UNDO, '\x1b[45;6u', '\x18\x15']) {
      const field = type(keys + undo);
      expect(shown(field)).toBe(before);
    }
  });

  it('takes back another text that was put in place of this one', () => {
    const pasted = type(`see ${paste('line\n'.repeat(20))}`);
    const other = replaced(pasted, `look: ${textOf(pasted)}!`);
    expect(other.cells.filter(({ folded }) => folded)).toHaveLength(1);
    expect(textOf(type(UNDO, other))).toBe(textOf(pasted));
  });
});

const KEY = fc.constantFrom(
  ...['\x1b[D', '\x1b[C', '\x1bb', '\x1bf', '\x01', '\x05', '\x1b[H', '\x1b[F'],
  ...['\x7f', '\x1b[3~', '\x17', '\x1b\x7f', '\x1bd', '\x15', '\x0b', '\x19', '\x1by', '\n'],
);
// Pieces that join: accents, flags, families, Hangul, a joiner alone, and a line break between them.
const TYPED = fc.constantFrom(
  ...[
    'a',
    'bc ',
    ' ',
    'e',
    '\u0301',
    '\u{1f1e9}',
    '\u{1f1ea}',
    '👩',
    '\u200d',
    '💻',
    'ᄀ',
    'ᅡ',
    '你好',
  ],
  paste('\u0301x'),
  paste('line\n'.repeat(20)),
);
const KEYS = fc.array(fc.oneof(KEY, TYPED), { maxLength: 40 });

describe('any keys', () => {
  it('leave whole characters, and a cursor between two of them', () => {
    fc.assert(
      fc.property(KEYS, fc.array(fc.constant(UNDO)), (keys, undos) => {
        const { cells, cursor } = type([...keys, ...undos].join(''));
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(cells.length);
        expect(cells.map(({ text }) => text)).toEqual(
          runsOf(cells).flatMap((run) => (run.folded ? [run.text] : graphemes(run.text))),
        );
      }),
      propertyRuns(2),
    );
  });

  it('can be undone, each to a text that was there, in reverse, and all to the first', () => {
    fc.assert(
      fc.property(KEYS, (keys) => {
        let field = EMPTY_FIELD;
        const texts = [''];
        for (const key of keys) {
          field = type(key, field);
          texts.push(textOf(field));
        }
        for (let at = texts.length - 1; field.past.length > 0; ) {
          field = type(UNDO, field);
          at = texts.lastIndexOf(textOf(field), at);
          expect(at).not.toBe(-1);
        }
        expect(textOf(field)).toBe('');
      }),
      propertyRuns(2),
    );
  });
});

/** Texts between folded pastes. */
function runsOf(cells: TextField['cells']): { text: string; folded: boolean }[] {
  const runs: { text: string; folded: boolean }[] = [];
  for (const { text, folded } of cells) {
    const last = runs.at(-1);
    if (last === undefined || folded || last.folded) runs.push({ text, folded });
    else last.text += text;
  }
  return runs;
}
