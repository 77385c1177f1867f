import { textWidth, wrapWords } from './text-width.ts';

const LEAST_ROOM = 24;
const BELOW = '      ';

export interface Label {
  /** As it is printed, with the spaces up to the next column. */
  readonly text: string;
  /** How many columns that takes, colours aside. */
  readonly width: number;
}

/** Prose beside a label, wrapped in a column of its own; below the label where that is too narrow. */
export function beside(
  { text: label, width }: Label,
  prose: string,
  columns: number,
  paint: (line: string) => string = (line) => line,
): string[] {
  const room = columns - width;
  if (room >= LEAST_ROOM || textWidth(prose) <= room) {
    const lines = wrapWords(prose, room).map(paint);
    return lines.map((line, i) => (i === 0 ? label : ' '.repeat(width)) + line);
  }
  const lines = wrapWords(prose, columns - BELOW.length).map(paint);
  return [label.trimEnd(), ...lines.map((line) => BELOW + line)];
}
