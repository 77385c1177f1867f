import { beforeEach, expect, it } from 'vitest';
import { UIStore } from '../ui-store.ts';
import { TranscriptKeeper } from './transcript-keeper.ts';

let store: UIStore;
let keeper: TranscriptKeeper;
beforeEach(() => {
  store = new UIStore({ columns: 20, rows: 10 });
  keeper = new TranscriptKeeper(store, (_style, text) => text, null);
});

const scrolled = (): string[] => store.get().scrolled.blocks.flat();

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
  const before = store.get().scrolled.id;
  keeper.replay(3);
  expect(scrolled()).toEqual([`\x1b[31m${'x'.repeat(30)}\x1b[39m`, 'last']);
  expect(store.get().scrolled.id).not.toBe(before);
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
  expect(line.endsWith('\x1b[0m…')).toBe(true);
});
