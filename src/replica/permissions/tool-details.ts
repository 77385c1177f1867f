import { displayText } from '../../index.ts';

type Input = Readonly<Record<string, unknown>>;

const MOST_LINES = 60;
const LONGEST_LINE = 400;

/** What a tool call is about to do, in lines that are safe to show. */
export function detailsOf(toolName: string, input: Input): string[] {
  return describe(toolName, input).map(displayText);
}

function describe(toolName: string, input: Input): string[] {
  const path = textAt(input, 'file_path') ?? textAt(input, 'notebook_path');
  if (path !== null) return [path, ...shortened(editLines(input))];
  const command = textAt(input, 'command');
  if (command !== null) return shortened(command.split('\n'));
  if (toolName === 'ExitPlanMode') return shortened((textAt(input, 'plan') ?? '').split('\n'));
  const fields = Object.entries(input).map(([name, value]) => `${name}: ${asText(value)}`);
  return shortened(fields);
}

/** What a file loses and gains, as far as the call says it. */
function editLines(input: Input): string[] {
  const edits = Array.isArray(input.edits) ? (input.edits as Input[]) : [input];
  return edits.flatMap((edit) => [
    ...marked('-', textAt(edit, 'old_string')),
    ...marked(
      '+',
      textAt(edit, 'new_string') ?? textAt(edit, 'content') ?? textAt(edit, 'new_source'),
    ),
  ]);
}

function marked(mark: string, text: string | null): string[] {
  if (text === null || text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark} ${line}`);
}

/** The end may be what matters in a command, so it is said that something is left out. */
function shortened(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MOST_LINES).map(clipped);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `… and ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

function clipped(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const left = line.length - LONGEST_LINE;
  return `${line.slice(0, LONGEST_LINE).toWellFormed()} … and ${left} more characters`;
}

function textAt(input: unknown, name: string): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return null;
  const value = (input as Input)[name];
  return typeof value === 'string' ? value : null;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
