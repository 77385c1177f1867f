import { displayText } from '../../index.ts';
import { textAt } from '../tools/file-edit.ts';

type Input = Readonly<Record<string, unknown>>;

const MOST_LINES = 60;
const LONGEST_LINE = 400;

/** What a tool call is about to do, in lines that are safe to show. */
export function detailsOf(toolName: string, input: Input): string[] {
  return describe(toolName, input).map(displayText);
}

function describe(toolName: string, input: Input): string[] {
  const command = textAt(input, 'command');
  // Nothing of a command or a plan is left out: the end may be what matters.
  if (command !== null) return [...command.split('\n'), ...described(input)];
  if (toolName === 'ExitPlanMode') return (textAt(input, 'plan') ?? '').split('\n');
  const fields = Object.entries(input).map(([name, value]) => `${name}: ${asText(value)}`);
  return shortened(fields);
}

/** A call of a server can be as long as it likes; it is said that something is left out. */
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

/** What the agent says that a command is for. */
function described(input: Input): string[] {
  const description = textAt(input, 'description');
  return description === null || description === '' ? [] : ['', `The agent says: ${description}`];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
