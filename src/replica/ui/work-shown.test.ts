import { beforeEach, expect, it } from 'vitest';
import type { ToolResultShown } from './interactive-ui.ts';
import type { Entry } from './transcript.ts';
import { UIStore } from './ui-state.ts';
import { WorkShown } from './work-shown.ts';

let store: UIStore;
let entries: Entry[];
let now: number;
let work: WorkShown;
beforeEach(() => {
  store = new UIStore(() => undefined);
  entries = [];
  now = 0;
  work = new WorkShown(
    store,
    (entry) => void entries.push(entry),
    () => now,
  );
});

const call = (id: string, name = 'Bash') => ({ id, name, input: {} });
const result = (id: string): ToolResultShown => ({ id, text: '', isError: false });
const running = (): string[] => store.get().running.map((one) => one.call.id);

it('keeps a call in place until its result is there, and prints them in that order', () => {
  work.begins(call('a'));
  work.begins(call('b'));
  work.prints('a', 'so far');
  expect(store.get().running).toMatchObject([{ output: 'so far' }, { output: '' }]);
  now = 700;
  work.ends(result('b'));
  expect(running()).toEqual(['a']);
  work.ends(result('a'));
  expect(entries).toMatchObject([
    { ended: { call: { id: 'b' }, elapsedMs: 700 } },
    { ended: { call: { id: 'a' } } },
  ]);
  // Nothing is known of such a call.
  work.ends(result('c'));
  expect(entries).toHaveLength(2);
});

it('does not count the time that a person took to answer', () => {
  work.begins(call('a'));
  now = 60_000;
  work.restartClock('a');
  now = 60_400;
  work.ends(result('a'));
  expect(entries).toMatchObject([{ ended: { elapsedMs: 400 } }]);
});

it('prints calls without a result when the turn ends, and the result when it comes after all', () => {
  work.begins(call('a'));
  work.turnEnds();
  expect(running()).toEqual([]);
  expect(entries).toMatchObject([{ ended: { result: null } }]);
  work.ends(result('a'));
  expect(entries).toMatchObject([{}, { ended: { result: { id: 'a' } } }]);
});

it('prints the list of things to do once: at the end of the turn, or when all is done', () => {
  work.begins(call('a', 'TaskCreate'));
  work.ends(result('a'));
  expect(entries).toEqual([]);
  const first = [{ text: 'one', state: 'pending' as const }];
  work.todos(first);
  work.turnEnds();
  work.turnEnds();
  expect(entries).toEqual([{ kind: 'todos', todos: first }]);
  const done = [{ text: 'one', state: 'done' as const }];
  work.todos(done);
  work.turnEnds();
  expect(entries.slice(1)).toEqual([{ kind: 'todos', todos: done }]);
  work.todos([]);
  work.turnEnds();
  expect(entries).toHaveLength(2);
});
