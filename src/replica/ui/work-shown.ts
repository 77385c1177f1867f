import type { Todo } from '../commands/command.ts';
import { fieldsOf } from '../sdk/message-router.ts';
import { TODO_TOOLS } from '../tools/known-tools.ts';
import { isAllDone } from '../tools/tool-rows.ts';
import type { ToolResultShown, ToolUseShown } from './interactive-ui.ts';
import type { Entry } from './transcript.ts';
import type { UIStore } from './ui-state.ts';

/** As many calls are known of that had no result when their turn ended. */
const MOST_LATE = 100;

/**
 * The agent at work: calls and the list of things to do stay in place as long as they change, and go into the
 * scroll once they do not.
 */
export class WorkShown {
  readonly #store: UIStore;
  readonly #add: (entry: Entry) => void;
  readonly #now: () => number;
  /** Calls whose result may still come, such as those of a sub-agent in the background. */
  readonly #late = new Map<string, ToolUseShown>();
  #printedTodos = '[]';

  constructor(store: UIStore, add: (entry: Entry) => void, now: () => number = Date.now) {
    this.#store = store;
    this.#add = add;
    this.#now = now;
  }

  begins(call: ToolUseShown): void {
    const running = this.#store.get().running.filter((one) => one.call.id !== call.id);
    const one = { call, startedAt: this.#now(), output: '' };
    this.#store.update({ running: [...running, one] });
  }

  /** The person has answered: the time before was not the tool's. */
  restartClock(id: string): void {
    this.#change(id, { startedAt: this.#now() });
  }

  prints(id: string, output: string): void {
    this.#change(id, { output });
  }

  ends(result: ToolResultShown): void {
    const { running } = this.#store.get();
    const found = running.find(({ call }) => call.id === result.id);
    const call = found?.call ?? this.#late.get(result.id);
    // A result of a call that was never shown.
    if (call === undefined) return;
    this.#late.delete(result.id);
    this.#store.update({ running: running.filter((one) => one !== found) });
    const elapsedMs = found === undefined ? 0 : this.#now() - found.startedAt;
    // The list itself is shown instead.
    if (TODO_TOOLS.has(call.name) && !result.isError) return;
    const printed = found?.output ?? '';
    this.#add({
      kind: 'tool',
      ended: { call, result: withoutOldFile(result), elapsedMs, printed },
    });
  }

  todos(todos: readonly Todo[]): void {
    this.#store.update({ todos });
    if (todos.length === 0) this.#printedTodos = '[]';
    else if (isAllDone(todos)) this.#printTodos();
  }

  /** Nothing changes any more until the next prompt. */
  turnEnds(): void {
    for (const { call } of this.#store.get().running) {
      this.#add({ kind: 'tool', ended: { call, result: null, elapsedMs: 0 } });
      if (this.#late.size < MOST_LATE) this.#late.set(call.id, call);
    }
    this.#store.update({ running: [] });
    this.#printTodos();
  }

  #printTodos(): void {
    const { todos } = this.#store.get();
    const printed = JSON.stringify(todos);
    if (printed === this.#printedTodos) return;
    this.#printedTodos = printed;
    this.#add({ kind: 'todos', todos });
  }

  #change(id: string, part: { readonly startedAt?: number; readonly output?: string }): void {
    const { running } = this.#store.get();
    if (!running.some(({ call }) => call.id === id)) return;
    this.#store.updateSoon({
      running: running.map((one) => (one.call.id === id ? { ...one, ...part } : one)),
    });
  }
}

/** The whole file as it was before an edit is never drawn, and entries are kept for long. */
function withoutOldFile(result: ToolResultShown): ToolResultShown {
  if (!Object.hasOwn(fieldsOf(result.output), 'originalFile')) return result;
  const { originalFile: _, ...output } = fieldsOf(result.output);
  return { ...result, output };
}
