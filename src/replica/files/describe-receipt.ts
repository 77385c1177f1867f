import { displayText, type PathReason, type Receipt, type TrackedPath } from '../../index.ts';
import type { Paint, Style } from '../../terminal/paint.ts';
import { noteText } from '../../terminal/plan-text.ts';
import { sentenceFor } from '../../terminal/reasons.ts';

/** What a restore did to which path, and what it left alone and why, line by line. */
export function describeReceipt(receipt: Receipt, paint: Paint): string[] {
  const { restoredFiles, deletedFiles, mergedFiles, conflicts, skipped, errors, notes } = receipt;
  const lines = [
    ...namesOf('restored', 'green', restoredFiles, paint),
    ...namesOf('deleted', 'green', deletedFiles, paint),
    ...namesOf('merged', 'green', mergedFiles, paint),
    ...reasonsOf('conflict', 'yellow', conflicts, paint),
    ...reasonsOf('skipped', 'yellow', skipped, paint),
    ...reasonsOf('damaged', 'red', errors, paint),
  ];
  const told = notes.flatMap((note) => noteText(note, Number.POSITIVE_INFINITY));
  return [...(lines.length === 0 ? [NOTHING] : lines), ...told.map((line) => paint('dim', line))];
}

const NOTHING = '  everything was as it should be already';
const WORD_COLUMN = 8;
// A turn can touch thousands of files; what was left alone is what a person has to look after.
const SHOWN_NAMES = 20;
const SHOWN_REASONS = 50;

function namesOf(
  word: string,
  style: Style,
  paths: readonly TrackedPath[],
  paint: Paint,
): string[] {
  const lines = paths
    .slice(0, SHOWN_NAMES)
    .map((path) => paint(style, `  ${word.padEnd(WORD_COLUMN)}  ${displayText(path)}`));
  return [...lines, ...rest(paths.length - SHOWN_NAMES, word)];
}

function reasonsOf(
  word: string,
  style: Style,
  left: readonly PathReason[],
  paint: Paint,
): string[] {
  const lines = left.slice(0, SHOWN_REASONS).map(({ path, reason }) => {
    const why = displayText(sentenceFor(reason));
    return `${paint(style, `  ${word.padEnd(WORD_COLUMN)}  ${displayText(path)}`)}  left as it is: ${why}`;
  });
  return [...lines, ...rest(left.length - SHOWN_REASONS, word)];
}

function rest(more: number, word: string): string[] {
  return more > 0 ? [`  ${word.padEnd(WORD_COLUMN)}  and ${more} more`] : [];
}
