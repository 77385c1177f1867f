import type { Todo } from '../commands/command.ts';

type Input = Readonly<Record<string, unknown>>;

const STATES: ReadonlyMap<unknown, Todo['state']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'in-progress'],
  ['completed', 'done'],
]);

/** The agent's list of things to do, pieced together from the tools that it keeps it with. */
export class TodoList {
  readonly #tasks = new Map<string, Todo>();
  /** Creations and changes that wait for their result: only that says whether they were made. */
  readonly #asked = new Map<string, { readonly name: string; readonly input: Input }>();

  /** The new list where the call is one that writes all of it; null otherwise. */
  called(id: string, name: string, input: Input): readonly Todo[] | null {
    if (name === 'TodoWrite' && Array.isArray(input.todos)) return input.todos.flatMap(todoOf);
    if (name === 'TaskCreate' || name === 'TaskUpdate') this.#asked.set(id, { name, input });
    return null;
  }

  /** The new list where the result changed it; null otherwise. */
  answered(id: string, output: unknown): readonly Todo[] | null {
    const asked = this.#asked.get(id);
    if (asked === undefined) return null;
    this.#asked.delete(id);
    const isChanged =
      asked.name === 'TaskCreate' ? this.#create(fieldsOf(output)) : this.#update(asked.input);
    return isChanged ? [...this.#tasks.values()] : null;
  }

  #create(output: Input): boolean {
    const { id, subject } = fieldsOf(output.task);
    if (typeof id !== 'string' || typeof subject !== 'string') return false;
    this.#tasks.set(id, { text: subject, state: 'pending' });
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

function fieldsOf(value: unknown): Input {
  return typeof value === 'object' && value !== null ? (value as Input) : {};
}
