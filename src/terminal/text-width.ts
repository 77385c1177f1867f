// Drawn two columns wide by terminals: East Asian scripts, full-width forms, pictures.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
// Most texts are plain ASCII and do not need the segmenter, which takes long to load.
const PLAIN = /^[ -~]*$/;

const COLOURS = /\x1b\[[\d;]*m/g;

/** How many columns a text takes at a terminal. Colours take none. */
export function textWidth(text: string): number {
  const bare = text.replace(COLOURS, '');
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of graphemesOf(bare)) width += graphemeWidth(segment);
  return width;
}

/** Of one of those that `graphemes` gives. */
export function graphemeWidth(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

/** The beginning of a text that fits, with a sign where something was left out. */
export function clipWidth(text: string, columns: number): string {
  // Counting is slow; nothing beyond this many characters could fit anyway.
  const head = text.length > columns * 20 ? text.slice(0, columns * 20).toWellFormed() : text;
  if (head === text && textWidth(text) <= columns) return text;
  if (PLAIN.test(head)) return `${head.slice(0, Math.max(0, columns - 1))}…`;
  let clipped = '';
  let width = 1;
  for (const { segment } of graphemesOf(head)) {
    width += textWidth(segment);
    if (width > columns) break;
    clipped += segment;
  }
  return `${clipped}…`;
}

/** The end of a text that fits: the end of a path, or where somebody types, says more than its beginning. */
export function clipStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const mirrored = clipWidth(graphemes(text).toReversed().join(''), columns);
  return graphemes(mirrored).toReversed().join('');
}

// Colours, and a jump to a column, which starts the room anew from there.
const SEQUENCE = /(\x1b\[[\d;]*[mG])/;
const RESET = '\x1b[0m';
const TAB = '    ';

/** A row that is safe to show and may be coloured, cut to so many columns; its colours end with it. */
export function clipPainted(row: string, columns: number): string {
  const parts = headOf(row, columns).replaceAll('\t', TAB).split(SEQUENCE);
  const last = parts.findLastIndex((part, i) => i % 2 === 0 && part !== '');
  let clipped = '';
  let room = columns;
  for (const [i, part] of parts.entries()) {
    const [, column] = /(\d+)G$/.exec(i % 2 === 1 ? part : '') ?? [];
    if (column !== undefined) room = columns - Number(column) + 1;
    if (i % 2 === 1) clipped += part;
    else if (room > 0) {
      // Where more follows, a part that fills the room loses its last character to the sign for it.
      const text = clipWidth(i < last && textWidth(part) === room ? `${part} ` : part, room);
      clipped += text;
      room -= textWidth(text);
    }
  }
  const isPainted = parts.length > 1;
  return isPainted && clipped !== parts.join('') ? clipped + RESET : clipped;
}

/** Counting is slow where a file is one line; nothing beyond this could fit anyway. */
function headOf(row: string, columns: number): string {
  const most = columns * 40;
  if (row.length <= most) return row;
  return `${row
    .slice(0, most)
    .toWellFormed()
    .replace(/\x1b[^m]*$/, '')}…`;
}

export function padWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/**
 * Breaks a text between words so that its lines fit; those after the first are indented. A word that is
 * wider stays whole, so that a path can still be copied.
 */
export function wrapWords(text: string, columns: number, indent = 0): string[] {
  // No sign is wider than two columns; and counting is slow.
  if (text.length * 2 <= columns || textWidth(text) <= columns) return [text];
  const margin = ' '.repeat(indent);
  const [start = ''] = /^ */.exec(text) ?? [];
  const lines: string[] = [];
  let line = start;
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const begun = line.trim() !== '';
    if (begun && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = margin + word;
    } else line += begun ? ` ${word}` : word;
  }
  return [...lines, line];
}

/** A text in the pieces that people take for one character each. */
export function graphemes(text: string): string[] {
  return PLAIN.test(text) ? [...text] : Array.from(graphemesOf(text), ({ segment }) => segment);
}

let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Of the widest of these texts, of which there may be more than a call takes as arguments. */
export function widestOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}
