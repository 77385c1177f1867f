import { displayText, type PlanLine, type PlanNote, type RewindPlan } from '../index.ts';
import { beside } from './beside.ts';
import { gitMode } from './file-diff.ts';
import type { Paint, Style } from './paint.ts';
import { sentenceFor } from './reasons.ts';
import { padWidth, textWidth, wrapWords } from './text-width.ts';

/** What a plan does to each path, one line for each; the dry run and the real one print the same. */
export function planText(plan: RewindPlan, paint: Paint, columns: number): string[] {
  const names = plan.lines.map((line) => displayText(line.path));
  const column = Math.min(MAX_NAME_COLUMN, Math.max(0, ...names.map(textWidth)));
  const lines = plan.lines.flatMap((line, i) => {
    const [word, style] = WORDS[line.action];
    const name = padWidth(names[i] ?? '', column);
    const text = `  ${paint(style, word.padEnd(WORD_COLUMN))}  ${name}  `;
    const width = WORD_COLUMN + textWidth(name) + 6;
    return beside({ text, width }, explain(line), columns, (part) => paint('dim', part));
  });
  return [...lines, ...plan.notes.flatMap((note) => noteText(note, columns))];
}

/** As `planText`, for a narrow place: in a word, and why only of what is left as it is. */
export function planNames(lines: readonly PlanLine[], paint: Paint, columns: number): string[] {
  return lines.flatMap((line) => {
    const [word, style] = WORDS[line.action];
    const text = `  ${paint(style, word.padEnd(WORD_COLUMN))}  ${displayText(line.path)}`;
    if (line.reason === undefined) return [text];
    const why = wrapWords(`      ${explain(line)}`, columns, 6);
    return [text, ...why.map((part) => paint('dim', part))];
  });
}

const MAX_NAME_COLUMN = 40;
const WORD_COLUMN = 8;

const WORDS: Record<PlanLine['action'], readonly [string, Style]> = {
  write: ['restore', 'green'],
  link: ['restore', 'green'],
  mkdir: ['restore', 'green'],
  chmod: ['restore', 'green'],
  delete: ['delete', 'red'],
  merge: ['merge', 'cyan'],
  'already-there': ['same', 'dim'],
  keep: ['keep', 'yellow'],
  conflict: ['conflict', 'yellow'],
  skip: ['skip', 'yellow'],
};

function explain({ action, expected, target, reason }: PlanLine): string {
  const why = reason === undefined ? '' : sentenceFor(reason);
  switch (action) {
    case 'write':
      return expected.kind === 'absent' ? 'is gone, comes back' : 'goes back to how it was';
    case 'link':
      return 'goes back to the link that it was';
    case 'mkdir':
      return 'the folder is made again';
    case 'chmod':
      return expected.kind === 'captured' && target.kind === 'captured'
        ? `permissions go from ${gitMode(expected)} to ${gitMode(target)}`
        : 'permissions go back';
    case 'delete':
      return 'was not there, goes away';
    case 'merge':
      return 'goes back, and what others changed in it stays';
    case 'already-there':
      return 'is already as it was';
    case 'keep':
      return `stays as you asked: ${why}`;
    case 'conflict':
      return `left as it is: ${why}`;
    case 'skip':
      return `left as it is: ${why}`;
  }
}

const SHOWN_PATHS = 5;

export function noteText({ message, paths = [] }: PlanNote, columns: number): string[] {
  const shown = paths.slice(0, SHOWN_PATHS).map(displayText).join(', ');
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  const about = shown === '' ? '' : ` (${shown}${more})`;
  return wrapWords(`  note: ${displayText(message)}${about}`, columns, 4);
}
