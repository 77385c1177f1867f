import type { ScreenCell } from '../test/e2e/terminal.ts';

/** Cells next to each other that look the same. */
interface Run {
  readonly column: number;
  columns: number;
  text: string;
  readonly style: Style;
}

interface Style {
  readonly colour: string;
  readonly background: string | null;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underlined: boolean;
}

const [WIDTH, HEIGHT] = [8.4, 18];
const MARGIN = 14;
const FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const PAPER = '#16181d';
const INK = '#d7dae0';
const FAINT = '#8b919c';

/** A picture of a screen. The same cells make the same text: no machine's fonts are measured for it. */
export function svgOf(screen: readonly (readonly ScreenCell[])[], title: string): string {
  const columns = screen[0]?.length ?? 0;
  const rows = screen.map(runsOf);
  const count = rows.findLastIndex((runs) => runs.length > 0) + 1;
  const [width, height] = [columns * WIDTH + 2 * MARGIN, count * HEIGHT + 2 * MARGIN];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>`,
    `<g font-family="${FONT}" font-size="14" fill="${INK}" xml:space="preserve">`,
    ...rows.slice(0, count).flatMap((runs, row) => runs.map((run) => runText(run, row))),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

function runsOf(cells: readonly ScreenCell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    // The second half of a wide character.
    if (cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last !== undefined && isSame(last.style, style)) {
      last.text += text;
      last.columns += cell.getWidth();
    } else runs.push({ column, columns: cell.getWidth(), text, style });
  }
  return runs.filter(({ text, style }) => text.trim() !== '' || style.background !== null);
}

function runText({ column, columns, text, style }: Run, row: number): string {
  const start = text.length - text.trimStart().length;
  const shown = style.background === null ? text.trim() : text;
  const skipped = style.background === null ? start : 0;
  const end = style.background === null ? text.length - text.trimEnd().length : 0;
  const x = px(MARGIN + (column + skipped) * WIDTH);
  const width = px((columns - skipped - end) * WIDTH);
  const top = MARGIN + row * HEIGHT;
  const behind =
    style.background === null
      ? ''
      : `<rect x="${x}" y="${px(top)}" width="${width}" height="${HEIGHT}" fill="${style.background}"/>`;
  const marks = [
    style.colour === INK ? '' : ` fill="${style.colour}"`,
    style.bold ? ' font-weight="bold"' : '',
    style.italic ? ' font-style="italic"' : '',
    style.underlined ? ' text-decoration="underline"' : '',
  ].join('');
  if (shown.trim() === '') return behind;
  return `${behind}<text x="${x}" y="${px(top + 13)}" textLength="${width}" lengthAdjust="spacingAndGlyphs"${marks}>${escaped(shown)}</text>`;
}

function styleOf(cell: ScreenCell): Style {
  const ink = colourOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()) ?? INK;
  const paper = colourOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  const isInverse = cell.isInverse() !== 0;
  return {
    colour: isInverse ? (paper ?? PAPER) : cell.isDim() && ink === INK ? FAINT : ink,
    background: isInverse ? ink : paper,
    bold: cell.isBold() !== 0,
    italic: cell.isItalic() !== 0,
    underlined: cell.isUnderline() !== 0,
  };
}

function isSame(one: Style, other: Style): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The first sixteen colours of a terminal; programs rely on their names, not on their shades. */
const COLOURS =
  '#3a3f4b #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #d7dae0 #8b919c #ff7b86 #b5e890 #ffd68a #82c4ff #e29bf5 #7fdbe6 #ffffff'.split(
    ' ',
  );
const STEPS = [0, 95, 135, 175, 215, 255];

function colourOf(isDefault: boolean, isRgb: boolean, value: number): string | null {
  if (isDefault) return null;
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (value < 16) return COLOURS[value] ?? INK;
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const at = value - 16;
  const parts = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((i) => STEPS[i] ?? 0);
  return `#${parts.map(hex).join('')}`;
}

function grey(shade: number): string {
  return `#${hex(shade).repeat(3)}`;
}

function hex(part: number): string {
  return part.toString(16).padStart(2, '0');
}

function px(length: number): string {
  return String(Math.round(length * 100) / 100);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
