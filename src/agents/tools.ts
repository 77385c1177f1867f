import {
  accepts,
  anyOf,
  type Kind,
  listOf,
  recordOf,
  storableText,
  TEXT,
  unchecked,
} from '../model/check.ts';
import type { ToolAct } from './agent-adapter.ts';

/** Tells from a tool's input what the tool is about to do; null for an input that is not one. */
type ReadAct = (input: Readonly<Record<string, unknown>>) => ToolAct | null;

/** The tools of an agent that can write files, by name. All others only read, ask or delegate. */
export type ToolTable = Readonly<Record<string, ReadAct>>;

const MAX_PATH = 4096;
const PATH: Kind<string> = storableText(1, MAX_PATH);
const COMMAND: Kind<string | readonly string[]> = anyOf(TEXT, listOf(TEXT));
const INPUT: Kind<Readonly<Record<string, unknown>>> = recordOf(unchecked<unknown>());

/** A tool that writes to the file which one of these fields names. */
export function fileIn(...fields: readonly string[]): ReadAct {
  return (input) => {
    const path = fields.map((field) => input[field]).find((value) => value !== undefined);
    return accepts(PATH, path) ? { kind: 'files', paths: [path] } : null;
  };
}

/** A shell. Some agents hand over several commands, or one in words. */
export function commandIn(field: string): ReadAct {
  return (input) => {
    const command = input[field];
    if (!accepts(COMMAND, command)) return null;
    return { kind: 'command', command: typeof command === 'string' ? command : command.join('\n') };
  };
}

/** A tool that applies a patch in the format of `apply_patch`. */
export function patchIn(...fields: readonly string[]): ReadAct {
  return (input) => {
    const patch = fields.map((field) => input[field]).find((value) => value !== undefined);
    if (!accepts(TEXT, patch)) return null;
    const paths = pathsInPatch(patch);
    return paths.length > 0 && paths.every((path) => accepts(PATH, path))
      ? { kind: 'files', paths }
      : null;
  };
}

/** The tools of Copilot CLI. Claude Code's own are called otherwise. */
export const COPILOT_TOOLS: ToolTable = {
  create: fileIn('path'),
  edit: fileIn('path'),
  str_replace_editor: fileIn('path'),
  bash: commandIn('command'),
  powershell: commandIn('command'),
};

const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/;

/**
 * The files that a patch in the format of `apply_patch` writes to, each once, as the patch names them. Blanks
 * before a header count as little as for the agent, so a line of content can look like a header: a file more
 * is looked at, and nothing else comes of it.
 */
function pathsInPatch(patch: string): string[] {
  const paths = patch.split('\n').flatMap((line) => {
    const [, path] = HEADER.exec(line.trim()) ?? [];
    return path === undefined ? [] : [path];
  });
  return [...new Set(paths)];
}

/** Tools of other programs: nobody can tell what they write. Our own server records what it does by itself. */
const FOREIGN_TOOL = /^mcp_(?!_*savepoint_)/;

/**
 * What a call is about to do. `other` for a tool that is not known to write, null for an input that does not
 * fit the tool.
 */
export function actOf(tools: ToolTable, tool: string, input: unknown): ToolAct | 'other' | null {
  if (FOREIGN_TOOL.test(tool)) return { kind: 'command', command: tool };
  const read = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (read === undefined) return 'other';
  return accepts(INPUT, input) ? read(input) : null;
}
