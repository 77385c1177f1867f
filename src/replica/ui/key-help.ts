import type { Paint } from '../../terminal/paint.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';

const WAY_BACK = 'Esc Esc';

/** What `?` shows at an empty input, in the order of how much people need it. */
const ALL_KEYS: readonly (readonly [keys: string, what: string])[] = [
  [WAY_BACK, 'the way back'],
  ['Esc', 'interrupts'],
  ['/', 'commands'],
  ['@', 'files and folders'],
  ['!', 'your own command'],
  ['#', 'adds to CLAUDE.md'],
  ['Shift-Tab', 'permission mode'],
  ['\\ Enter, Ctrl-J', 'new line'],
  ['↑ ↓', 'what you sent'],
  ['Ctrl-R', 'searches it'],
  ['Ctrl-G', 'opens your editor'],
  ['Ctrl-O', 'unfolds, folds'],
  ['Ctrl-_', 'undoes typing'],
  ['Ctrl-W U K', 'cut word, line'],
  ['Ctrl-Y, Alt-Y', 'yank, older cut'],
  ['Alt-B F, Ctrl-← →', 'by words'],
  ['Ctrl-A E', 'line start, end'],
  ['Ctrl-L', 'draws anew'],
  ['Ctrl-Z', 'to the shell'],
  ['Ctrl-C', 'clears, leaves'],
  ['Ctrl-D', 'leaves'],
];

const GAP = 3;

/** The keys in as many columns as fit, from top to bottom; what has no room is left out. */
export function keyHelpRows(
  columns: number,
  room: number,
  paint: Paint,
  hasWayBack = true,
): string[] {
  const shown = hasWayBack ? ALL_KEYS : ALL_KEYS.filter(([key]) => key !== WAY_BACK);
  const keys = Math.max(...shown.map(([key]) => textWidth(key)));
  const widest = keys + 2 + Math.max(...shown.map(([, what]) => textWidth(what)));
  const across = Math.max(1, Math.floor((columns - 1) / (widest + GAP)));
  const down = Math.min(Math.max(0, room), Math.ceil(shown.length / across));
  return Array.from({ length: down }, (_, row) => {
    const cells = Array.from({ length: across }, (_, column) => shown[column * down + row]);
    return cells
      .flatMap((cell) => (cell === undefined ? [] : [cell]))
      .map(([key, what]) => {
        const room = Math.max(1, columns - keys - 4);
        return `  ${paint('cyan', padWidth(key, keys))}  ${padWidth(clipWidth(what, room), widest - keys - 2)}`;
      })
      .join(' ')
      .trimEnd();
  });
}
