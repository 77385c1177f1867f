import type { Todo } from '../commands/command.ts';
import { TODO_TOOLS } from '../tools/known-tools.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';
import { fieldsOf } from './message-router.ts';

type Input = Readonly<Record<string, unknown>>;

const STATES: ReadonlyMap<unknown, Todo['state']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'in-progress'],
  ['completed', 'done'],
]);

/** The agent's list of things to do, pieced together from the tools that it keeps it with. */
export class TodoList {
  readonly #tasks = new Map<string, Todo>();
  /** Calls without a result yet: only the result says whether a task was made or changed. */
  readonly #asked = new Map<string, ToolUseShown>();

  called(call: ToolUseShown): void {
    if (TODO_TOOLS.has(call.name)) this.#asked.set(call.id, call);
  }

  /** The new list where the result changed it; null otherwise. */
  answered({ id, isError, output }: ToolResultShown): readonly Todo[] | null {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (asked === undefined || isError) return null;
    const { name, input } = asked;
    // Such a call has the whole list.
    if (name === 'TodoWrite')
      return Array.isArray(input.todos) ? input.todos.flatMap(todoOf) : null;
    return this.#change(name, input, fieldsOf(output)) ? [...this.#tasks.values()] : null;
  }

  #change(name: string, input: Input, output: Input): boolean {
    if (name === 'TaskCreate') return this.#add(output.task);
    if (name === 'TaskUpdate') return output.success !== false && this.#update(input);
    if (name !== 'TaskList' || !Array.isArray(output.tasks)) return false;
    this.#tasks.clear();
    for (const task of output.tasks) this.#add(task);
    return true;
  }

  #add(task: unknown): boolean {
    const { id, subject, status } = fieldsOf(task);
    if (typeof id !== 'string' || typeof subject !== 'string') return false;
    this.#tasks.set(id, { text: subject, state: STATES.get(status) ?? 'pending' });
    return true;
  }

  #update({ taskId, subject, status }: Input): boolean {
    const task = typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined;
    if (typeof taskId !== 'string' || task === undefined) return false;
    if (status === 'deleted') return this.#tasks.delete(taskId);
    const text = typeof subject === 'string' ? subject : task.text;
    this.#tasks.set(taskId, { text, state: STATES.get(status) ?? task.state });
    return true;
  }
}

function todoOf(entry: unknown): Todo[] {
  const { content, status } = fieldsOf(entry);
  return typeof content === 'string'
    ? [{ text: content, state: STATES.get(status) ?? 'pending' }]
    : [];
}
