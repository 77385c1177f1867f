import { describe, expect, it } from 'vitest';
import { fieldRows } from '../../terminal/interactive/field-rows.ts';
import { type Key, KeyDecoder } from '../../terminal/interactive/keys.ts';
import { textOf } from '../../terminal/interactive/text-field.ts';
import { NO_PROMPT, type PromptState, pressedPrompt, withText } from './prompt.ts';

const LEFT = '\x1b[D';
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const COMMANDS = ['/checkpoint', '/clear', '/undo'];
const room = {
  columns: 10,
  complete: (text: string) =>
    COMMANDS.filter((name) => name.startsWith(text)).map((name) => ({ text: name, summary: '' })),
};

/** Types what a terminal would send; gives the state and what was submitted. */
function type(keys: string, from: PromptState = NO_PROMPT): { state: PromptState; sent: string[] } {
  const sent: string[] = [];
  let state = from;
  const press = (key: Key): void => {
    const step = pressedPrompt(state, key, room);
    state = step.state;
    if (step.submitted !== null) sent.push(step.submitted.text);
  };
  new KeyDecoder({ lineBreaks: true }).push(Buffer.from(keys)).forEach(press);
  return { state, sent };
}

const text = (keys: string, from?: PromptState): string => textOf(type(keys, from).state.field);

describe('the text', () => {
  it.each([
    ['inserts where the cursor is', `ac${LEFT}b`, 'abc'],
    [
      'steps over a character of several code points at once',
      `👩‍💻e\u0301${LEFT}${LEFT}x`,
      'x👩‍💻e\u0301',
    ],
    ['takes a whole character back', '你好👩‍💻\x7f', '你好'],
    ['joins a combining mark with the letter before it', `ne\u0301${LEFT}\u0302`, 'n\u0302e\u0301'],
    ['deletes what is behind the cursor', `abc${LEFT}${LEFT}\x1b[3~`, 'ac'],
    ['deletes a word and the spaces behind it', 'fix the  bug  \x17', 'fix the  '],
    ['goes to the beginning and the end of the line', 'one\ntwo\x01>\x05<', 'one\n>two<'],
    [
      'breaks lines by Ctrl-J, Alt-Enter and a backslash before Enter',
      'a\nb\x1b\rc\\\rd',
      'a\nb\nc\nd',
    ],
    ['takes everything away', 'abc\x15', ''],
  ])('%s', (_what, keys, expected) => {
    expect(text(keys)).toBe(expected);
  });

  it('submits what was typed, and nothing where there is nothing', () => {
    expect(type('你好，世界\r').sent).toEqual(['你好，世界']);
    expect(type(' \r\r').sent).toEqual([]);
    expect(textOf(type('a\r').state.field)).toBe('');
  });
});

describe('a long paste', () => {
  const long = `${'0123456789'.repeat(999)}\n${'x'.repeat(9)}`;
  const paste = `\x1b[200~${long}\x1b[201~`;

  it('is shown folded and submitted whole', () => {
    const { state } = type(`see ${paste} ok`);
    const { rows } = fieldRows(state.field, 80);
    expect(rows).toEqual(['see [Pasted 2 lines] ok']);
    expect(type('\r', state).sent).toEqual([`see ${long} ok`]);
  });

  it('is one thing to step over and to take away', () => {
    expect(text(`a${paste}${LEFT}b`)).toBe(`ab${long}`);
    expect(text(`a${paste}\x7f`)).toBe('a');
  });

  it('is one thing too where the terminal sends it unmarked and in pieces', () => {
    const piece = 'y'.repeat(2_000);
    const { state } = type(piece, type(piece).state);
    expect(fieldRows(state.field, 80).rows).toEqual(['[Pasted 4,000 characters]']);
  });

  it('stays as it is when it is short', () => {
    const { state } = type('\x1b[200~two\nlines\x1b[201~');
    expect(fieldRows(state.field, 80).rows).toEqual(['two', 'lines']);
  });
});

describe('the rows', () => {
  it('break by columns, wide characters whole, with a place for the cursor at the end', () => {
    const rows = (keys: string) => fieldRows(type(keys).state.field, 10);
    expect(rows('012345678')).toEqual({ rows: ['012345678'], cursor: { row: 0, column: 9 } });
    expect(rows('0123456789')).toEqual({ rows: ['0123456789', ''], cursor: { row: 1, column: 0 } });
    expect(rows('一二三四x五六')).toEqual({
      rows: ['一二三四x', '五六'],
      cursor: { row: 1, column: 4 },
    });
    expect(rows(`你好${LEFT}`).cursor).toEqual({ row: 0, column: 2 });
  });

  it('show control characters instead of sending them to the terminal', () => {
    const { field } = withText(NO_PROMPT, 'a\x1b[2J\u202e', room);
    expect(fieldRows(field, 80).rows).toEqual(['a\\x1b[2J\\u{202e}']);
  });

  it('are gone through by the arrows before the history is', () => {
    const { state } = type('first\r');
    expect(text(`0123456789ab${UP}x`, state)).toBe('01x23456789ab');
    expect(text(`one\ntwo${UP}${UP}`, state)).toBe('first');
  });
});

describe('the history', () => {
  const { state } = type('one\rtwo\rtwo\r');

  it('gives back what was submitted, the same twice only once', () => {
    expect(text(UP, state)).toBe('two');
    expect(text(UP + UP, state)).toBe('one');
    expect(text(UP + UP + UP, state)).toBe('one');
  });

  it('gives back what was being typed before', () => {
    expect(text(`dra${UP}${UP}${DOWN}${DOWN}ft`, state)).toBe('draft');
  });

  it('leaves what was submitted as it was when that is edited', () => {
    const edited = type(`${UP}!`, state).state;
    expect(textOf(edited.field)).toBe('two!');
    expect(text(UP, edited)).toBe('two');
  });

  it('goes on through slash commands, which have offers of their own', () => {
    const commands = type('one\r/undo\r/c\r').state;
    expect(text(UP + UP + UP, commands)).toBe('one');
  });
});

describe('slash commands', () => {
  it('are completed by Tab, which takes the first offer', () => {
    expect(type('/c').state.completions.map((one) => one.text)).toEqual(['/checkpoint', '/clear']);
    expect(text('/c\t')).toBe('/checkpoint');
    expect(type('/c\t').state.completions).toEqual([]);
  });

  it('are chosen by the arrows; Enter takes the offer, and only then submits', () => {
    expect(text(`/c${DOWN}${DOWN}\t`)).toBe('/clear');
    expect(type(`/c${UP}\r`).sent).toEqual([]);
    expect(type(`/c${UP}\r\r`).sent).toEqual(['/clear']);
  });

  it('are submitted as they were typed when no offer was chosen', () => {
    expect(type('/c\r').sent).toEqual(['/c']);
    expect(type('say /c').state.completions).toEqual([]);
  });
});

describe('modes and mentions', () => {
  const paste = (words: string): string => `\x1b[200~${words}\x1b[201~`;
  const withPaths: typeof room = {
    columns: 40,
    complete: (word) =>
      word.startsWith('@')
        ? [
            { text: '@src/', summary: '' },
            { text: '@src/a.ts', summary: '' },
          ]
        : [],
  };
  const typeWith = (keys: string, from: PromptState = NO_PROMPT): PromptState => {
    let state = from;
    for (const key of new KeyDecoder({ lineBreaks: true }).push(Buffer.from(keys))) {
      state = pressedPrompt(state, key, withPaths).state;
    }
    return state;
  };

  it('marks a command and a note by their first key, and never a paste or a recalled text', () => {
    expect(type('!').state).toMatchObject({ mode: 'command' });
    expect(type('#').state).toMatchObject({ mode: 'note' });
    expect(type('a!').state.mode).toBe('prompt');
    expect(type('!ls').state.mode).toBe('prompt');
    expect(type(paste('!ls')).state.mode).toBe('prompt');
    const bang = type('!').state;
    expect(type(paste('ls'), bang).state).toMatchObject({ mode: 'command', hasPaste: true });
    expect(type('\x7f', bang).state.mode).toBe('prompt');
    const sent = type('rm -rf x\r').state;
    expect(type('\x1b[A', type('!', sent).state).state.mode).toBe('prompt');
    expect(withText(bang, 'rm', room).mode).toBe('prompt');
  });

  it('takes the name of what every object has for a text like any other', () => {
    for (const word of ['constructor', 'toString', '__proto__']) {
      expect(type(word).state.mode).toBe('prompt');
      expect(text(word)).toBe(word);
    }
  });

  it('offers no path in a command: a file would choose what the shell runs, and Enter runs it as typed', () => {
    const state = typeWith('see @s', typeWith('!'));
    expect(state).toMatchObject({ mode: 'command', completions: [], offered: null });
    expect(typeWith('see @s', typeWith('#')).completions).not.toEqual([]);
  });

  it('completes the word before the cursor, a file with a blank and a folder without', () => {
    const state = typeWith('see @s');
    expect(state).toMatchObject({ offered: 0, offeredFor: 4 });
    expect(textOf(typeWith('\t', state).field)).toBe('see @src/');
    expect(textOf(typeWith('\x1b[B\t', state).field)).toBe('see @src/a.ts ');
    expect(typeWith('me@home').completions).toEqual([]);
    expect(typeWith('@a b').completions).toEqual([]);
    expect(typeWith('@"a b').completions).toHaveLength(2);
  });
});

describe('a search through the history', () => {
  const { state } = type('fix the parser\rrun the tests\rfix the lexer\rfix the lexer\r /secret\r');
  const CTRL_R = '\x12';
  const step = (keys: string) => type(`draft${keys}`, state);

  it.each([
    ['finds the newest text that holds what is typed', `${CTRL_R}FIX`, 'fix the lexer'],
    ['goes on to older ones', `${CTRL_R}fix${CTRL_R}`, 'fix the parser'],
    ['stays at the oldest', `${CTRL_R}fix${CTRL_R}${CTRL_R}`, 'fix the parser'],
    ['comes back to newer ones', `${CTRL_R}fix${CTRL_R}${DOWN}`, 'fix the lexer'],
    ['looks again when a letter is taken away', `${CTRL_R}tex\x7f\x7f`, 'fix the lexer'],
    ['shows the own text where nothing is found', `${CTRL_R}zzz`, 'draft'],
    ['does not find what began with a blank', `${CTRL_R}secret`, 'draft'],
    ['goes on editing with Tab', `${CTRL_R}pars\t!`, 'fix the parser!'],
    ['goes on editing with a key that moves', `${CTRL_R}pars\x01!`, '!fix the parser'],
    ['gives the own text back by Ctrl-C', `${CTRL_R}pars\x03`, 'draft'],
    ['ends by Backspace in an empty query', `${CTRL_R}p\x7f\x7f!`, 'draft!'],
  ])('%s', (_what, keys, expected) => {
    expect(textOf(step(keys).state.field)).toBe(expected);
  });

  it('sends what was found by Enter, and nothing where nothing was found', () => {
    expect(step(`${CTRL_R}run\r`).sent).toEqual(['run the tests']);
    expect(step(`${CTRL_R}zzz\r`).sent).toEqual([]);
    expect(textOf(step(`${CTRL_R}zzz\r`).state.field)).toBe('draft');
  });
});
