import { fieldsOf } from '../sdk/message-router.ts';

/** Tools that write the one file that they name. */
export const EDITORS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);
export const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);
/** The agent keeps its list of things to do with these. */
export const TODO_TOOLS: ReadonlySet<string> = new Set([
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
]);
/** The agent's way out of planning; each plan is another one, and is asked about. */
export const PLAN_TOOL = 'ExitPlanMode';

/** The file that a call of an editor names; null for calls of other tools. */
export function editedPath(toolName: string, input: unknown): string | null {
  if (!EDITORS.has(toolName)) return null;
  const notebook = toolName === 'NotebookEdit' ? textAt(input, 'notebook_path') : null;
  return notebook ?? textAt(input, 'file_path');
}

/** A field of a value that may be anything; null where it is no text. */
export function textAt(value: unknown, name: string): string | null {
  const text = fieldsOf(value)[name];
  return typeof text === 'string' ? text : null;
}
