import type { SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';
import type { TurnEnd } from './conversation.ts';

const LONGEST_REASON = 500;

/** How a turn went, from the message that ends it. */
export function outcomeOf(
  result: SDKResultMessage,
  wasInterrupted: boolean,
): Pick<TurnEnd, 'outcome' | 'text'> {
  if (!result.is_error) {
    return { outcome: 'done', text: result.subtype === 'success' ? result.result : '' };
  }
  const wasAborted = result.terminal_reason?.startsWith('aborted') === true;
  if (wasAborted || wasInterrupted) return { outcome: 'interrupted', text: '' };
  return { outcome: 'failed', text: reasonOf(result) };
}

/** Why a turn failed, in one line. */
export function reasonOf(result: SDKResultMessage): string {
  const said = result.subtype === 'success' ? [result.result] : result.errors;
  // The SDK's notes to itself tell a person nothing.
  const reason = said.find((text) => text.trim() !== '' && !text.startsWith('[ede_diagnostic]'));
  return oneLine(reason ?? WITHOUT_WORDS[result.subtype] ?? 'The agent stopped with an error.');
}

const WITHOUT_WORDS: Partial<Record<SDKResultMessage['subtype'], string>> = {
  error_max_turns: 'The agent reached the number of steps that it may take for one prompt.',
  error_max_budget_usd: 'The agent reached the amount that it may spend.',
};

export function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON).toWellFormed()}…` : line;
}
