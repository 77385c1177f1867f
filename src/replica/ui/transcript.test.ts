import { beforeEach, expect, it } from 'vitest';
import { paintFor } from '../../terminal/paint.ts';
import { type Entry, entryRows, Transcript } from './transcript.ts';
import { UIStore } from './ui-state.ts';

const plain = (_style: string, text: string): string => text;

let store: UIStore;
let printed: string[];
let restarts: number;
let keeper: Transcript;
beforeEach(() => {
  store = new UIStore(() => undefined);
  store.update({ size: { columns: 20, rows: 10 } });
  printed = [];
  restarts = 0;
  const scroll = {
    print: (rows: readonly string[]) => void printed.push(...rows),
    restart: () => {
      printed = [];
      restarts += 1;
    },
  };
  keeper = new Transcript(store, scroll, { paint: plain, cwd: null });
});

const scrolled = (): string[] => printed;

it('keeps thinking and answers in the order in which they came', () => {
  keeper.streamThinking('hm');
  keeper.streamAnswer('one');
  keeper.streamThinking('hm again');
  keeper.streamAnswer('two');
  expect(store.get().answer).toBe('two');
  keeper.end();
  const thought = ['thinking … (Ctrl-O …'];
  expect(scrolled()).toEqual([...thought, '', 'one', ...thought, '', 'two']);
  expect(store.get().answer).toBe('');
});

it('says nothing of an answer that is empty', () => {
  keeper.streamThinking(' ');
  keeper.streamAnswer('\n');
  keeper.end();
  expect(scrolled()).toEqual([]);
});

it('does not break the line that a prompt comes in the middle of', () => {
  keeper.streamAnswer('whole line\nhalf a ');
  keeper.addPrompt('next');
  keeper.streamAnswer('line');
  keeper.end();
  expect(scrolled()).toEqual(['', 'whole line', '', '> next', '', 'half a line']);
});

it('draws again as much as fits, rows that the terminal breaks counted as they are seen', () => {
  keeper.add({ kind: 'info', text: 'long gone' });
  keeper.add({ kind: 'block', lines: ['first', `\x1b[31m${'x'.repeat(30)}\x1b[39m`] });
  keeper.add({ kind: 'info', text: 'last' });
  keeper.replay(3);
  expect(scrolled()).toEqual([`\x1b[31m${'x'.repeat(30)}\x1b[39m`, 'last']);
  expect(restarts).toBe(1);
  keeper.replay(2);
  expect(scrolled()).toEqual(['last']);
});

it('draws the last turn again, whole where that is wanted', () => {
  keeper.addPrompt('old');
  keeper.addPrompt('new');
  keeper.streamThinking('why\nnot');
  keeper.end();
  store.update({ verbose: true });
  keeper.replayTurn();
  expect(scrolled()).toEqual(['', '> new', '  why', '  not']);
});

it('forgets what was cleared', () => {
  keeper.add({ kind: 'info', text: 'gone' });
  keeper.clear();
  keeper.replay(9);
  expect(scrolled()).toEqual([]);
});

it('cuts lines that nobody would read to their end', () => {
  keeper.add({ kind: 'block', lines: [`\x1b[31m${'x'.repeat(1_000_000)}\x1b[39m`] });
  const [line = ''] = scrolled();
  expect(line.length).toBeLessThan(11_000);
  expect(line.endsWith('…\x1b[0m')).toBe(true);
});

const room = { columns: 40, verbose: false, paint: plain, cwd: '/project' };
const rows = (entry: Entry, verbose = false) => entryRows(entry, { ...room, verbose });

it('folds thinking to a line, and shows it whole when asked', () => {
  const entry: Entry = { kind: 'thinking', text: 'First this.\nThen that.' };
  expect(rows(entry)).toEqual(['thinking … (Ctrl-O shows it)']);
  expect(rows(entry, true)).toEqual(['  First this.', '  Then that.']);
});

it('folds a prompt of many lines', () => {
  const shown = rows({
    kind: 'user',
    text: Array.from({ length: 40 }, (_, i) => `${i}`).join('\n'),
  });
  expect(shown.slice(0, 3)).toEqual(['', '> 0', '  1']);
  expect(shown.at(-1)).toContain('28 more lines');
});

it('colours warnings yellow, errors red, success green, where colours are wanted', () => {
  const paint = paintFor({ env: {}, terminal: true }, false);
  const painted = (kind: 'warning' | 'error' | 'success') =>
    entryRows({ kind, text: 'x' }, { ...room, paint })[0];
  expect(painted('warning')).toContain('\x1b[33mx');
  expect(painted('error')).toContain('\x1b[31mx');
  expect(painted('success')).toContain('\x1b[32mx');
  expect(rows({ kind: 'error', text: 'x' })).toEqual(['x']);
});
