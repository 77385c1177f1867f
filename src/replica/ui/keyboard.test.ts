import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooserOf } from '../../terminal/interactive/chooser.ts';
import { KeyReader } from '../../terminal/interactive/keys.ts';
import { textOf } from '../../terminal/interactive/text-field.ts';
import { type Asked, DialogQueue } from './dialogs.ts';
import { Keyboard } from './keyboard.ts';
import { UIStore } from './ui-state.ts';

const ESC = '\x1b';
const CTRL_C = '\x03';

let store: UIStore;
let dialogs: DialogQueue;
let heard: string[];
let kept: string[];
let input: PassThrough;
let reader: KeyReader;

/** A keyboard at bytes that come at the times of a clock which the test moves. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  store = new UIStore(() => undefined);
  dialogs = new DialogQueue((dialog) => store.update({ dialog }));
  heard = [];
  kept = ['fix the parser', 'run the tests'];
  const keyboard = new Keyboard({
    store,
    dialogs,
    handlers: {
      onSubmit: async (text) => void heard.push(`submit ${text}`),
      onRewind: async () => void heard.push('rewind'),
      onOwnCommand: async () => undefined,
      onNote: async () => undefined,
      imagesIn: () => [],
      onTakeBack: () => null,
      onInterrupt: () => heard.push('interrupt'),
      onExit: () => heard.push('exit'),
      onNextMode: () => heard.push('next mode'),
      complete: () => [],
    },
    redraw: () => heard.push('redraw'),
    suspend: () => heard.push('suspend'),
    unfold: (verbose) => heard.push(`unfold ${verbose}`),
    editText: async (text) => ({ text: `${text}, edited` }),
    memory: { texts: () => kept, add: (text) => void kept.push(text) },
  });
  input = new PassThrough();
  const events = {
    onKey: keyboard.press.bind(keyboard),
    onEnd: () => heard.push('end'),
  };
  reader = new KeyReader(input as unknown as NodeJS.ReadStream, events, {
    lineBreaks: true,
  });
  reader.start();
});
afterEach(() => {
  reader.stop();
  vi.useRealTimers();
});

/** Types chunk by chunk, with pauses in milliseconds between them; then waits for lone Escapes. */
async function type(...chunks: (string | number)[]): Promise<void> {
  for (const chunk of [...chunks, 60]) {
    if (typeof chunk === 'number') vi.advanceTimersByTime(chunk);
    else input.write(chunk);
    await new Promise(setImmediate);
  }
}

function ask(count = 3): Asked<number> {
  const options = Array.from({ length: count }, (_, i) => ({
    value: i,
    label: String(i + 1),
    rows: () => ['x'],
  }));
  return dialogs.ask(chooserOf({ title: 'Which?', options }));
}

const typed = (): string => textOf(store.get().prompt.field);

describe('Esc', () => {
  it.each([
    ['300 ms apart', [ESC, 300, ESC]],
    ['within the wait for a lone Escape', [ESC, 20, ESC]],
    ['in one chunk', [ESC + ESC]],
    ['though the first is known late', [ESC, 49, 251, ESC]],
  ])('twice %s is the way back', async (_what, chunks) => {
    await type(...chunks);
    expect(heard).toEqual(['rewind']);
  });

  it('twice slower than that does nothing', async () => {
    await type(ESC, 301, ESC);
    expect(heard).toEqual([]);
  });

  it('is timed by when it came, not by when a busy program got to it', async () => {
    input.write(ESC);
    await new Promise(setImmediate);
    // The timer for the lone Escape is late.
    vi.setSystemTime(Date.now() + 200);
    await type(50, 60, ESC);
    expect(heard).toEqual([]);
  });

  it('twice is the way back while the input holds text, which stays', async () => {
    await type('half a prompt', ESC, 100, ESC);
    expect(heard).toEqual(['rewind']);
    expect(typed()).toBe('half a prompt');
  });

  it('with another key between is not twice', async () => {
    await type(ESC, 60, 'x', ESC);
    expect(heard).toEqual([]);
  });

  it('once interrupts the agent at work, and nothing otherwise', async () => {
    await type(ESC, 400);
    store.update({ activity: 'thinking' });
    await type(ESC);
    expect(heard).toEqual(['interrupt']);
  });

  it('once leaves a question, and is not the first of two', async () => {
    const { answer } = ask();
    await type(ESC, 100, ESC);
    expect(await answer).toBeNull();
    expect(heard).toEqual([]);
  });
});

describe('Ctrl-C', () => {
  it('twice within two seconds leaves, with a word about it at the first', async () => {
    await type(CTRL_C);
    expect(store.get().hint).toBe('press Ctrl-C again to leave');
    await type(1_500, CTRL_C);
    expect(heard).toEqual(['exit']);
  });

  it('twice slower than that does not', async () => {
    await type(CTRL_C, 2_100);
    expect(store.get().hint).toBeNull();
    await type(CTRL_C);
    expect(heard).toEqual([]);
  });

  it('clears the text, and is not the first of two then', async () => {
    await type('text', CTRL_C, CTRL_C);
    expect(typed()).toBe('');
    expect(heard).toEqual([]);
  });

  it('interrupts the agent at work, also with text in the input', async () => {
    store.update({ activity: 'thinking' });
    await type('text', CTRL_C);
    expect(heard).toEqual(['interrupt']);
    expect(typed()).toBe('text');
  });

  it('leaves a question', async () => {
    store.update({ activity: 'thinking' });
    const { answer } = ask();
    await type(CTRL_C);
    expect(await answer).toBeNull();
    expect(heard).toEqual([]);
  });
});

it('leaves by Ctrl-D at an empty prompt only', async () => {
  await type('ab\x1b[D\x04');
  expect(typed()).toBe('a');
  await type('\x7f\x04');
  expect(heard).toEqual(['exit']);
});

it('leaves when the terminal is gone', async () => {
  input.end();
  await type();
  expect(heard).toEqual(['end']);
});

it('asks for Ctrl-L, Ctrl-O and Ctrl-Z to be carried out, a question or not', async () => {
  ask();
  await type('\x0c\x0f\x1a');
  expect(heard).toEqual(['redraw', 'unfold true', 'suspend']);
});

describe('questions', () => {
  it('are asked one after another', async () => {
    const [first, second] = [ask(), ask()];
    await type('1', '3');
    expect([await first.answer, await second.answer]).toEqual([0, 2]);
    expect(store.get().dialog).toBeNull();
  });

  it('take a number that may go on after a pause', async () => {
    const { answer } = ask(12);
    await type('1', 900);
    expect(await answer).toBe(0);
  });

  it('are not answered by somebody who is typing when they come up', async () => {
    await type('I have ');
    const { answer } = ask();
    await type(50, '1 file', 200, ' more');
    expect(typed()).toBe('I have 1 file more');
    await type(600, '2');
    expect(await answer).toBe(1);
    expect(typed()).toBe('I have 1 file more');
  });

  it('are answered at once by somebody who opened them with text in the input', async () => {
    await type('half a prompt', ESC + ESC);
    const { answer } = ask();
    await type('\r');
    expect(await answer).toBe(0);
    expect(heard).toEqual(['rewind']);
  });

  it('can be taken back, whichever is shown', async () => {
    const [first, second] = [ask(), ask()];
    second.close();
    first.close();
    expect([await first.answer, await second.answer]).toEqual([null, null]);
    expect(store.get().dialog).toBeNull();
  });
});

describe('the input', () => {
  const SEARCH = '\x12';

  it('goes through what was sent in the project, by others too', async () => {
    await type('\x1b[A');
    expect(typed()).toBe('run the tests');
    await type('\x15');
    kept.push('by another process');
    await type('\x1b[A');
    expect(typed()).toBe('by another process');
    await type('\r');
    expect(heard).toEqual(['submit by another process']);
    expect(kept.at(-1)).toBe('by another process');
  });

  it('leaves a search by Esc or Ctrl-C, which mean nothing else then', async () => {
    store.update({ activity: 'thinking' });
    await type(`${SEARCH}pars`);
    expect(typed()).toBe('fix the parser');
    await type(ESC, 60);
    expect(store.get().prompt.search).toBeNull();
    expect(typed()).toBe('fix the parser');
    await type(`${SEARCH}run`, CTRL_C);
    expect(typed()).toBe('fix the parser');
    expect(heard).toEqual([]);
  });

  it('comes back by undo after Ctrl-C has cleared it', async () => {
    await type('text', CTRL_C, '\x1f');
    expect(typed()).toBe('text');
  });

  it('goes to the editor by Ctrl-G and by Ctrl-X Ctrl-E', async () => {
    await type('text', '\x07');
    expect(typed()).toBe('text, edited');
    await type('\x18\x05');
    expect(typed()).toBe('text, edited, edited');
  });

  it('has the next permission mode by Shift-Tab, unless a question is open', async () => {
    await type('\x1b[Z');
    ask();
    await type('\x1b[Z', '\x1b[9;2u');
    expect(heard).toEqual(['next mode']);
  });

  it('lists the keys by ? while it is empty, until the next key', async () => {
    const isShown = (): boolean => store.get().showsKeys;
    await type('?');
    expect([isShown(), typed()]).toEqual([true, '']);
    await type('?');
    expect([isShown(), typed()]).toEqual([false, '']);
    await type('?', ESC, 60);
    expect([isShown(), heard]).toEqual([false, []]);
    await type('?', 'why?');
    expect([isShown(), typed()]).toEqual([false, 'why?']);
    await type('\x15', '\x1b[200~?\x1b[201~');
    expect([isShown(), typed()]).toEqual([false, '?']);
  });
});
