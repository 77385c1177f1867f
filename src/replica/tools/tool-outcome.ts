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
  // The question was still open when the turn was interrupted.
  if (text.startsWith(INTERRUPTED)) return { kind: 'interrupted', hasBegun: false };
  return { kind: 'failed', reason: withoutModelText(text) };
}

const REJECTED = "The user doesn't want to proceed with this tool use.";

// The model's side of a no: what it is told, and how its answer is recognised when a conversation is shown again.
const REFUSED = 'The user said no to this tool call.';
const SAYS = ' The user says: ';
const WITHOUT_WORDS =
  ' Do not try it another way; say what you wanted to do, and ask how to go on.';

export const INTERRUPTED = 'The user interrupted before answering; the tool call was not made.';

/** What the agent is told when the person says no, with what the person says about it. */
export function refusalFor(said: string | null): string {
  return REFUSED + (said === null ? WITHOUT_WORDS : `${SAYS}${said}`);
}

/** Whether a result is such a no, and what the person said with it; null for another result. */
function refusalIn(text: string): { readonly said: string | null } | null {
  if (!text.startsWith(REFUSED)) return null;
  const rest = text.slice(REFUSED.length);
  return { said: rest.startsWith(SAYS) ? rest.slice(SAYS.length).trim() : null };
}

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
