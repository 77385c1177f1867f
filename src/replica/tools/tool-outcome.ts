import { refusalIn, wasInterrupted } from '../permissions/refusal.ts';
import type { ToolResultShown } from '../ui/interactive-ui.ts';

/** What became of a tool call, for a person. */
export type ToolOutcome =
  | { readonly kind: 'done' }
  /** The person said no, perhaps with a few words. */
  | { readonly kind: 'refused'; readonly said: string | null }
  /** Before it began, or in the middle of it. */
  | { readonly kind: 'interrupted'; readonly hasBegun: boolean }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * The SDK has no codes for these: a call that was refused or interrupted has a result like any other, with a text
 * that tells the model how to go on. The text is read here, and shown nowhere.
 */
export function outcomeOf({ text, isError }: ToolResultShown): ToolOutcome {
  if (!isError) return { kind: 'done' };
  const refusal = refusalIn(text);
  if (refusal !== null) return { kind: 'refused', said: refusal.said };
  if (text.startsWith(REJECTED)) {
    return { kind: 'interrupted', hasBegun: text.includes('stopped while running') };
  }
  if (wasInterrupted(text)) return { kind: 'interrupted', hasBegun: false };
  return { kind: 'failed', reason: withoutModelText(text) };
}

const REJECTED = "The user doesn't want to proceed with this tool use.";

/** Sentences that the SDK writes for the model, wherever they stand in a result. */
const FOR_THE_MODEL: readonly RegExp[] = [
  /<system-reminder>[\s\S]*?(<\/system-reminder>|$)/g,
  /<\/?(tool_use_error|persisted-output)>/g,
  /\s*\(file state is current in your context[^)]*\)/g,
  /Todos have been modified successfully\.[^\n]*/g,
  /Ensure that you continue to use the todo list[^\n]*/g,
  /Please proceed with the current tasks if applicable\.?/g,
  /The user doesn't want to (proceed with this tool use|take this action)[^\n]*/g,
  /REMINDER: You MUST[^\n]*/g,
  /STOP what you are doing[^\n]*/g,
  /\[Request interrupted by user[^\]\n]*\]/g,
  /\[This command modified \d+ files? you've previously read:[^\]]*\]/g,
];

/** A result without what only the model is meant to read. */
export function withoutModelText(text: string): string {
  return FOR_THE_MODEL.reduce((rest, pattern) => rest.replace(pattern, ''), text).trim();
}

/** Why the tools of the SDK fail most often; what they say themselves tells the model what to do next. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^File has not been read yet/, 'the agent has to read the file first'],
  [/^File has been (unexpectedly )?modified/, 'the file has changed since the agent read it'],
  [/^String to replace not found/, 'the text to replace is not in the file'],
  [/^Found \d+ matches/, 'the text to replace is in the file more than once'],
  [/^No changes to make/, 'it would change nothing'],
  [/^File does not exist/, 'there is no such file'],
  [/has been denied/, 'it is not permitted'],
  [/^No such tool available/, 'there is no such tool in this conversation'],
  [/^InputValidationError/, 'the agent called it in a wrong way'],
];

/** A failure of a tool of the SDK in one line. */
export function reasonInWords(reason: string): string {
  const bare = reason.replace(/^Error: /, '');
  const known = REASONS.find(([pattern]) => pattern.test(bare));
  // The first sentence says what went wrong, those after it what to do about it.
  const [first = ''] = /^.*?(?=\. [A-Z]|\.?$)/m.exec(bare) ?? [];
  return known?.[1] ?? first;
}
