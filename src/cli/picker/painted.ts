import { clipWidth, textWidth } from '../../terminal/text-width.ts';

const COLOUR = /(\x1b\[[\d;]*m)/;
const RESET = '\x1b[0m';
const TAB = '    ';

/** A line that is safe to show, and may be coloured, made to fill exactly so many columns. */
export function fitPainted(line: string, columns: number): string {
  const parts = line.replaceAll('\t', TAB).split(COLOUR);
  let fitted = '';
  let room = columns;
  for (const [i, part] of parts.entries()) {
    const isColour = i % 2 === 1;
    if (isColour) fitted += part;
    else if (room > 0) {
      const more = parts.some((other, j) => j > i && j % 2 === 0 && other !== '');
      const text = fitText(part, room, more);
      fitted += text;
      room -= textWidth(text);
    }
  }
  const padded = fitted + ' '.repeat(Math.max(0, room));
  return parts.length > 1 ? padded + RESET : padded;
}

/** The sign for what was left out also where a part fills the room and more parts follow. */
function fitText(text: string, room: number, more: boolean): string {
  const clipped = clipWidth(text, room);
  return clipped === text && more && textWidth(text) === room
    ? clipWidth(`${text} `, room)
    : clipped;
}
