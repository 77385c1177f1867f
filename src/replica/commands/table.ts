import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';

const GAP = '  ';
const LEAST_LAST = 16;

/**
 * Rows in columns, each as wide as its widest cell. What does not fit is cut off the last one, unless it has
 * to be there whole: a path is there to be copied.
 */
export function table(
  rows: readonly (readonly string[])[],
  columns: number = Number.POSITIVE_INFINITY,
): string[] {
  const widths = new Map<number, number>();
  for (const cells of rows) {
    for (const [at, cell] of cells.slice(0, -1).entries()) {
      widths.set(at, Math.max(widths.get(at) ?? 0, textWidth(cell)));
    }
  }
  return rows.map((cells) => {
    const before = cells.slice(0, -1).map((cell, at) => padWidth(cell, widths.get(at) ?? 0) + GAP);
    const start = GAP + before.join('');
    const room = Math.max(LEAST_LAST, columns - textWidth(start));
    return (start + clipWidth(cells.at(-1) ?? '', room)).trimEnd();
  });
}
