/** The model's side of a no: what it is told, and how its answer is recognised when a conversation is shown again. */

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
export function refusalIn(text: string): { readonly said: string | null } | null {
  if (!text.startsWith(REFUSED)) return null;
  const rest = text.slice(REFUSED.length);
  return { said: rest.startsWith(SAYS) ? rest.slice(SAYS.length).trim() : null };
}

/** Whether the question was still open when the turn was interrupted. */
export function wasInterrupted(text: string): boolean {
  return text.startsWith(INTERRUPTED);
}
