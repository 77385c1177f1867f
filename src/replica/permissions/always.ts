import type { CanUseTool, PermissionUpdate } from '@anthropic-ai/claude-agent-sdk';
import { displayText } from '../../index.ts';
import { someOf } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { EDITORS, PLAN_TOOL, SHELLS } from '../tools/known-tools.ts';
import { shownPath } from '../tools/tool-line.ts';

export type Asked = Parameters<CanUseTool>[2];

export interface ToolCall {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly asked: Asked;
}

/**
 * What "always" is remembered under: a tool, or a shell with the very same command. Null where the SDK has
 * a reason of its own to ask, a path outside of the project for one: then only its suggestion, which knows
 * of that reason, is wide enough and no wider.
 */
export function keyOf({ toolName, input, asked }: ToolCall): string | null {
  if (SHELLS.has(toolName)) return JSON.stringify([toolName, input.command]);
  return isOutOfTheOrdinary(asked) ? null : toolName;
}

/**
 * What the SDK proposes, for this session: some of it would go into a file of the project. A change of its
 * mode is left out: to allow `Write` is not to allow `rm`, which `acceptEdits` does.
 */
export function suggestedFor({ suggestions = [] }: Asked): PermissionUpdate[] {
  return suggestions
    .filter(({ type }) => type !== 'setMode')
    .map((one) => ({ ...one, destination: 'session' }));
}

export function isOutOfTheOrdinary({ decisionReason, blockedPath }: Asked): boolean {
  return decisionReason !== undefined || blockedPath !== undefined;
}

/**
 * What "always" would allow, for the person who is asked: exactly what `keyOf` and `suggestedFor` let pass. Null
 * where it would allow nothing, or may not be offered.
 */
export function allowedAlways(call: ToolCall, cwd: string | null): string | null {
  const { toolName, asked } = call;
  const isForbidden = asked.suppressAlwaysAllowRule === true || asked.matchedAskRule !== undefined;
  if (isForbidden || toolName === PLAN_TOOL) return null;
  const own = keyOf(call) === null ? [] : [ownScope(toolName)];
  const suggested = suggestedFor(asked).flatMap((update) => scopesOf(update, cwd));
  const scopes = [...new Set([...own, ...suggested])];
  return scopes.length === 0 ? null : someOf(scopes, MOST_NAMED);
}

const MOST_NAMED = 4;
const LONGEST_NAMED = 40;

function ownScope(toolName: string): string {
  if (SHELLS.has(toolName)) return 'this command';
  const name = displayText(toolName);
  return EDITORS.has(toolName) ? `${name} on any file of this project` : name;
}

/** A rule of the SDK as a person would say it. */
function scopesOf(update: PermissionUpdate, cwd: string | null): string[] {
  if (update.type === 'addDirectories') {
    return update.directories.map((folder) =>
      folder === cwd ? 'files in this project' : `files in ${displayText(shownPath(folder, cwd))}`,
    );
  }
  if (update.type !== 'addRules' && update.type !== 'replaceRules') return [];
  return update.rules.map(({ toolName, ruleContent }) => {
    if (ruleContent === undefined) return displayText(toolName);
    if (!SHELLS.has(toolName)) return displayText(`${toolName} on ${pathOf(ruleContent, cwd)}`);
    const [, prefix] = /^(.*?)(?::\*| \*)$/s.exec(ruleContent) ?? [];
    if (prefix === undefined) return quoted(ruleContent);
    return `commands that begin with ${quoted(prefix)}`;
  });
}

function quoted(command: string): string {
  return `"${clipWidth(displayText(command), LONGEST_NAMED)}"`;
}

/** An absolute path has two slashes at its beginning in a rule. */
function pathOf(rule: string, cwd: string | null): string {
  return shownPath(rule.replace(/^\/\//, '/'), cwd);
}
