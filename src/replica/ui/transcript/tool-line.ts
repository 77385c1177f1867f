import { relative } from 'node:path';
import { displayText } from '../../../index.ts';
import type { ToolUseShown } from '../interactive-ui.ts';

/** The fields that say what a tool is about to do, the most telling first. */
const MAIN_FIELDS = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'path',
  'url',
  'query',
  'description',
  'skill',
  'prompt',
];
const PATH_FIELDS: ReadonlySet<string> = new Set(['file_path', 'notebook_path', 'path']);

/** A call in a few words: `Write notes.txt`, `Bash $ npm test`. */
export function toolLine({ name, input }: Omit<ToolUseShown, 'id'>, cwd: string | null): string {
  const field = MAIN_FIELDS.find((one) => typeof input[one] === 'string' && input[one] !== '');
  if (field === undefined) return displayText(name);
  const value = String(input[field]);
  const argument = PATH_FIELDS.has(field) ? shortened(value, cwd) : value.trim();
  return displayText(`${name} ${field === 'command' ? '$ ' : ''}${argument}`);
}

/** Paths within the project are shown from there, as a person would write them. */
function shortened(path: string, cwd: string | null): string {
  if (cwd === null || !path.startsWith('/')) return path;
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}
