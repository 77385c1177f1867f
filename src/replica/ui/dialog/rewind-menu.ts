import { displayText } from '../../../index.ts';
import type { Paint } from '../../../terminal/paint.ts';
import { plural } from '../../../terminal/plural.ts';
import { relativeTime } from '../../../terminal/relative-time.ts';
import { clipWidth, padWidth, textWidth } from '../../../terminal/text-width.ts';
import type { RewindCounts, RewindEntry } from '../interactive-ui.ts';
import { type ChoiceDialog, choiceDialog, type OptionRoom } from './choice-dialog.ts';

/** What became known of the changes so far; an entry that is missing is still being counted. */
export type KnownCounts = ReadonlyMap<string, RewindCounts | null>;

/** Below this, time and counts leave the description no room beside them. */
const LEAST_FOR_ONE_ROW = 56;

/** The menu of Esc Esc: when, what, and what a rewind to it would change. */
export function rewindMenu(
  entries: readonly RewindEntry[],
  known: KnownCounts,
  paint: Paint,
): ChoiceDialog {
  const timesAt = (now: number): number =>
    Math.max(...entries.map(({ timestamp }) => textWidth(timeOf(timestamp, now))));
  const options = entries.map((entry, i) => ({
    number: i + 1,
    rows: (room: OptionRoom) => {
      const counts = countsOf(known, entry.id);
      return room.columns < LEAST_FOR_ONE_ROW
        ? twoRows(entry, counts, room, paint)
        : [oneRow(entry, counts, { ...room, times: timesAt(room.now) }, paint)];
    },
  }));
  return choiceDialog({ title: 'Rewind', options });
}

interface Counts {
  readonly plain: string;
  readonly painted: (paint: Paint) => string;
}

function oneRow(
  { timestamp, description, label }: RewindEntry,
  counts: Counts,
  { columns, now, times }: OptionRoom & { readonly times: number },
  paint: Paint,
): string {
  const time = padWidth(timeOf(timestamp, now), times);
  const room = columns - times - 2 - (counts.plain === '' ? 0 : textWidth(counts.plain) + 2);
  const what = described(description, label, room, paint);
  return `${paint('dim', time)}  ${what}${counts.plain === '' ? '' : `  ${counts.painted(paint)}`}`;
}

function twoRows(
  { timestamp, description, label }: RewindEntry,
  counts: Counts,
  { columns, now }: OptionRoom,
  paint: Paint,
): string[] {
  const time = clipWidth(timeOf(timestamp, now), columns);
  const hasRoom = textWidth(time) + 2 + textWidth(counts.plain) <= columns;
  const below = paint('dim', time) + (hasRoom ? `  ${counts.painted(paint)}` : '');
  return [described(description, label, columns, paint), below];
}

function described(text: string, label: string | null, room: number, paint: Paint): string {
  const safe = displayText(text);
  if (label === null) return clipWidth(safe, room);
  const shown = clipWidth(`[${displayText(label)}]`, Math.max(4, Math.floor(room / 2)));
  return `${paint('cyan', shown)} ${clipWidth(safe, room - textWidth(shown) - 1)}`;
}

function countsOf(known: KnownCounts, id: string): Counts {
  const counts = known.get(id);
  if (counts === undefined) return { plain: '…', painted: (paint) => paint('dim', '…') };
  if (counts === null) return { plain: '', painted: () => '' };
  if (counts.files === 0) {
    return { plain: 'no changes', painted: (paint) => paint('dim', 'no changes') };
  }
  const files = plural(counts.files, 'file');
  const [more, less] = [`+${counts.insertions}`, `-${counts.deletions}`];
  return {
    plain: `${files} ${more} ${less}`,
    painted: (paint) => `${files} ${paint('green', more)} ${paint('red', less)}`,
  };
}

function timeOf(timestamp: Date, now: number): string {
  return relativeTime(timestamp.getTime(), now);
}
