import type { Holder, KnownExecution } from '../../execution/index.ts';
import { displayText } from '../../index.ts';
import type { Style } from '../../terminal/paint.ts';
import { shellWord } from '../../terminal/phrases.ts';

/** Which of the two it is, in a person's words. */
export const KINDS: Readonly<Record<KnownExecution['kind'], string>> = {
  steps: 'durable steps',
  checkpoints: 'checkpoints of a program',
};

/** Good is green, what a person should look at is not. */
export const STATUS_STYLES: Readonly<Record<string, Style>> = {
  running: 'cyan',
  finished: 'green',
  success: 'green',
  failed: 'red',
  killed: 'red',
  cancelled: 'yellow',
  'rolled-back': 'dim',
};

export function holderText({ host, processId }: Holder): string {
  return `process ${processId} on ${displayText(host)}`;
}

/** An id in a command that is shown to be typed. */
export function idWord(id: string): string {
  return displayText(shellWord(id));
}
