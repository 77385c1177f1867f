import { displayLines, displayText } from '../index.ts';
import type { FileDiff } from './file-diff.ts';

/** Why git cannot apply what `diffText` makes of a file; null where it can. */
export function patchLimit(file: FileDiff): string | null {
  const name = displayText(file.diff.path);
  if (file.status === 'unknown') return `${name} was not recorded`;
  if (file.damaged) return `the record of ${name} is damaged`;
  if (file.binary) return `${name} is binary`;
  const isShownOtherwise = file.hunks.some(({ lines }) =>
    lines.some(({ text }) => isEscaped(text)),
  );
  return isShownOtherwise ? `${name} holds characters that are shown as their numbers` : null;
}

/** What is no text, and what could steer a terminal, is printed as something else. */
function isEscaped(text: string): boolean {
  return displayLines(text) !== text || text.includes('\ufffd');
}
