import { relative } from 'node:path';
import { displayText } from '../../index.ts';
import type { ToolUseShown } from '../ui/interactive-ui.ts';

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
export function toolLine(call: Omit<ToolUseShown, 'id'>, cwd: string | null): string {
  return (call.isOfSubAgent === true ? SUB_AGENT : '') + ownLine(call, cwd);
}

/** Stands before what a sub-agent does, or asks for. */
export const SUB_AGENT = 'Sub-agent: ';

function ownLine({ name, input }: Omit<ToolUseShown, 'id'>, cwd: string | null): string {
  const field = MAIN_FIELDS.find((one) => typeof input[one] === 'string' && input[one] !== '');
  if (field === undefined) return displayText(name);
  const value = String(input[field]);
  const argument = PATH_FIELDS.has(field) ? shownPath(value, cwd) : value.trim();
  return displayText(`${name} ${field === 'command' ? '$ ' : ''}${argument}`);
}

/** Paths within the project are shown from there, as a person would write them. */
export function shownPath(path: string, cwd: string | null): string {
  if (cwd === null || !path.startsWith('/')) return path;
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}

/** How long something took: "0.4s", "12s", "2m 05s". */
export function elapsedText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  return `${Math.floor(seconds / 60)}m ${String(Math.floor(seconds % 60)).padStart(2, '0')}s`;
}
