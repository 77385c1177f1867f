import type { Paint, Style } from '../../terminal/paint.ts';
import { breakLine } from '../../terminal/rows.ts';

/** A part of a line that looks the same from its beginning to its end. Safe to show; without newlines. */
export interface Run {
  readonly text: string;
  readonly styles: readonly Style[];
}

export type StyledLine = readonly Run[];

export function textOf(line: StyledLine): string {
  return line.map(({ text }) => text).join('');
}

/** What Markdown and the highlighter write for signs that mean something in HTML. */
export const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
};

const TAB = '    ';

/** Runs whose texts may hold newlines and tabs, as lines without spaces at their ends. */
export function linesOf(runs: readonly Run[]): StyledLine[] {
  const lines: Run[][] = [[]];
  for (const { text, styles } of runs) {
    for (const [i, part] of text.replaceAll('\t', TAB).split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, styles });
    }
  }
  return lines.map(trimmed);
}

function trimmed(line: StyledLine): StyledLine {
  const last = line.at(-1);
  if (last === undefined || !last.text.endsWith(' ')) return line;
  const text = last.text.trimEnd();
  const before = line.slice(0, -1);
  return text === '' ? trimmed(before) : [...before, { ...last, text }];
}

/** A line in rows that fit, broken between words where that is possible. */
export function wrapLine(line: StyledLine, columns: number): StyledLine[] {
  return breakLine(textOf(line), Math.max(2, columns)).map(([from, to]) => {
    const row: Run[] = [];
    let at = 0;
    for (const { text, styles } of line) {
      const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
      if (part !== '') row.push({ text: part, styles });
      at += text.length;
    }
    return row;
  });
}

export function painted(line: StyledLine, paint: Paint): string {
  return line
    .map(({ text, styles }) => styles.reduceRight((inner, style) => paint(style, inner), text))
    .join('');
}
