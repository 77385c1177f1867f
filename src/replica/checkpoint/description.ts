import { graphemes } from '../../terminal/text-width.ts';

const LONGEST = 80;
// Only a pile of combining marks makes a longer grapheme.
const LONGEST_GRAPHEME = 64;

/** The part of a message of the SDK that describes it. */
export interface DescribableMessage {
  readonly message?: { readonly content?: unknown } | undefined;
}

/** What the list of checkpoints says of a user's message. */
export function extractCheckpointDescription(message: DescribableMessage, now: Date): string {
  const content = message.message?.content;
  const texts = Array.isArray(content) ? content.map(textOf) : [content];
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof text === 'string' ? describePrompt(text) : `Checkpoint at ${timeOf(now)}`;
}

/** The beginning of a prompt, on one line. As a person counts: an emoji of five code points is one sign. */
export function describePrompt(text: string): string {
  const head = text.slice(0, LONGEST * LONGEST_GRAPHEME).toWellFormed();
  return graphemes(head)
    .slice(0, LONGEST)
    .join('')
    .replaceAll(/\r\n|\r|\n/g, ' ');
}

function textOf(block: unknown): unknown {
  if (typeof block !== 'object' || block === null || !('type' in block)) return undefined;
  return block.type === 'text' && 'text' in block ? block.text : undefined;
}

function timeOf(date: Date): string {
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
