import type { Todo } from '../commands/command.ts';
import { fieldsOf } from './message-router.ts';

type Input = Readonly<Record<string, unknown>>;

const STATES: ReadonlyMap<unknown, Todo['state']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'in-progress'],
  ['completed', 'done'],
]);

const TASK_TOOLS: ReadonlySet<string> = new Set(['TaskCreate', 'TaskUpdate', 'TaskList']);

/** The agent's list of things to do, pieced together from the tools that it keeps it with. */
export class TodoList {
  readonly #tasks = new Map<string, Todo>();
  /** Calls without a result yet: only the result says whether a task was made or changed. */
  readonly #asked = new Map<string, { readonly name: string; readonly input: Input }>();

  /** The new list where the call is one that writes all of it; null otherwise. */
  called(id: string, name: string, input: Input): readonly Todo[] | null {
    if (name === 'TodoWrite' && Array.isArray(input.todos)) return input.todos.flatMap(todoOf);
    if (TASK_TOOLS.has(name)) this.#asked.set(id, { name, input });
    return null;
  }

  /** The new list where the result changed it; null otherwise. */
  answered(id: string, output: unknown): readonly Todo[] | null {
    const asked = this.#asked.get(id);
    if (asked === undefined) return null;
    this.#asked.delete(id);
    const isChanged = this.#change(asked.name, asked.input, fieldsOf(output));
    return isChanged ? [...this.#tasks.values()] : null;
  }

  #change(name: string, input: Input, output: Input): boolean {
    if (name === 'TaskCreate') return this.#add(output.task);
    if (name === 'TaskUpdate') return output.success !== false && this.#update(input);
    if (!Array.isArray(output.tasks)) return false;
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
