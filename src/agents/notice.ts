import { displayText } from '../index.ts';

const SHOWN_PATHS = 20;
const SHOWN_LENGTH = 200;

/**
 * The text that tells a model which files are no longer as it left them. `count`: how many there are, also those
 * that are not named because they are private.
 */
export function noticeText({
  paths,
  count,
}: {
  readonly paths: readonly string[];
  readonly count: number;
}): string {
  const shown = paths.slice(0, SHOWN_PATHS);
  const more = count - shown.length;
  return [
    'Savepoint: since your last turn, the person took changes of yours back, or brought them back.',
    'These files are not as you left them. Read them again before you rely on them or change them, and do not',
    'repeat work that was taken back unless you are asked to:',
    ...shown.map((path) => `- ${clipped(displayText(path))}`),
    ...(more > 0 ? [shown.length > 0 ? `and ${more} more` : `- ${more} private files`] : []),
  ].join('\n');
}

function clipped(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…` : text;
}
