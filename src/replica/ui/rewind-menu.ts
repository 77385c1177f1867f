import { displayText } from '../../index.ts';
import {
  type Chooser,
  chooserOf,
  type OptionRoom,
  searchable,
} from '../../terminal/interactive/chooser.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { pathsText } from '../../terminal/plan-text.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';
import { named } from './dialogs.ts';
import type {
  ConflictChoice,
  ConflictQuestion,
  EntryCounts,
  RewindChoice,
  RewindCounts,
  RewindEntry,
  RewindPreview,
} from './interactive-ui.ts';

const CHOICES: Readonly<Record<RewindChoice | 'conflicts', string>> = {
  files: 'files: put them back, the conversation goes on',
  conversation: 'conversation: go back in it, files stay as they are',
  both: 'both: files and conversation',
  conflicts: 'conflicts: decide about each file',
};

/** The plan and the diff, and what of it to take back. */
export function rewindChoice({
  title,
  body,
  choices,
  conflicts = 0,
}: RewindPreview): Chooser<RewindChoice | 'conflicts'> {
  const options = choices.map((choice, i) =>
    named<RewindChoice | 'conflicts'>(choice, CHOICES[choice], i + 1),
  );
  const left = `${CHOICES.conflicts} (${plural(conflicts, 'file')} left)`;
  const decide = named<RewindChoice | 'conflicts'>('conflicts', left, choices.length + 1, 'c');
  return chooserOf({ title, body, options: conflicts > 0 ? [...options, decide] : options });
}

/** One file that the rewind and somebody else changed. */
export function conflictDialog({
  title,
  body,
  canMerge,
}: ConflictQuestion): Chooser<ConflictChoice> {
  const options = [
    named<ConflictChoice>('keep', 'mine: keep the file as it is', 1, 'm'),
    named<ConflictChoice>('restore', "the rewind's: /undo brings mine back", 2, 'r'),
    ...(canMerge ? [named<ConflictChoice>('merge', 'merge both in $EDITOR', 3, 'e')] : []),
  ];
  return chooserOf({ title, body, options, leaving: 'passes it over' });
}

/** The whole diff of an entry, to be read. */
export function diffDialog(title: string, rows: Chooser<null>['body']): Chooser<null> {
  return chooserOf({ title, body: rows, options: [named(null, 'back to the list', 1)] });
}

/** Below this, time and counts leave the description no room beside them. */
const LEAST_FOR_ONE_ROW = 56;
/** A description keeps so much, even where its own changes could be named as well. */
const LEAST_DESCRIPTION = 24;
/** From here on there is room for a preview beside the list. */
const PREVIEW_FROM = 100;

const MENU_TITLE = 'Rewind: what each changed → what going back takes back';
const OTHERS_TITLE = 'Other conversations: what each changed → what going back takes back';

export interface MenuOptions {
  readonly selected: number;
  /** How many entries are behind the key for other conversations; null in their own list. */
  readonly others: number | null;
}

/** The menu of Esc Esc: when, what, what it changed, and what a rewind to it would take back. */
export function rewindMenu(
  entries: readonly RewindEntry[],
  { counts, previews }: Pick<MenuFacts, 'counts' | 'previews'>,
  paint: Paint,
  { selected, others }: MenuOptions = { selected: 0, others: 0 },
): Chooser<RewindEntry> {
  const timesAt = (now: number): number =>
    entries.reduce((most, { timestamp }) => Math.max(most, textWidth(timeOf(timestamp, now))), 0);
  const options = entries.map((entry, i) => ({
    value: entry,
    label: String(i + 1),
    search: searchable(`${entry.label ?? ''} ${entry.description}`),
    rows: (room: OptionRoom) => {
      const known = countsOf(counts.get(entry.id), paint);
      return room.columns < LEAST_FOR_ONE_ROW
        ? twoRows(entry, known, room, paint)
        : [oneRow(entry, known, { ...room, times: timesAt(room.now) }, paint)];
    },
  }));
  const body = (columns: number, entry: RewindEntry | null): readonly string[] => {
    const preview = entry === null ? undefined : previews.get(entry.id);
    return preview?.(columns) ?? [paint('dim', '…')];
  };
  return chooserOf({
    title: others === null ? OTHERS_TITLE : MENU_TITLE,
    options,
    selected: Math.min(selected, Math.max(0, entries.length - 1)),
    body,
    bodyIs: 'beside',
    besideFrom: PREVIEW_FROM,
    slashFilters: true,
    keys: [
      { key: 'd', does: 'diff' },
      ...(others ? [{ key: 'o', does: 'other conversations' }] : []),
    ],
  });
}

/** The counts as they are shown: both, and each alone. `own` is empty where it says nothing more than the sum. */
interface ShownCounts {
  readonly full: string;
  readonly own: string;
  readonly sum: string;
}

function oneRow(
  { timestamp, description, label }: RewindEntry,
  counts: ShownCounts,
  { columns, now, times }: OptionRoom & { readonly times: number },
  paint: Paint,
): string {
  const time = padWidth(timeOf(timestamp, now), times);
  const room = (end: string): number => columns - times - 2 - textWidth(end) - 2;
  const shown = room(counts.full) < LEAST_DESCRIPTION ? counts.sum : counts.full;
  const end = shown === '' ? '' : `  ${shown}`;
  const what = described(description, label, columns - times - 2 - textWidth(end), paint);
  return `${paint('dim', time)}  ${what}${end}`;
}

function twoRows(
  { timestamp, description, label }: RewindEntry,
  counts: ShownCounts,
  { columns, now }: OptionRoom,
  paint: Paint,
): string[] {
  const time = clipWidth(timeOf(timestamp, now), columns);
  const fits = (shown: string): boolean => textWidth(time) + 2 + textWidth(shown) <= columns;
  const name = described(description, label, columns, paint);
  const beside = (shown: string): string =>
    `${paint('dim', time)}${shown === '' ? '' : `  ${shown}`}`;
  if (fits(counts.full)) return [name, beside(counts.full)];
  if (counts.own !== '' && fits(counts.own)) return [name, beside(counts.own), `→ ${counts.sum}`];
  return [name, beside(fits(counts.sum) ? counts.sum : '')];
}

function described(text: string, label: string | null, room: number, paint: Paint): string {
  const safe = displayText(text);
  if (label === null) return clipWidth(safe, room);
  const shown = clipWidth(`[${displayText(label)}]`, Math.max(4, Math.floor(room / 2)));
  return `${paint('cyan', shown)} ${clipWidth(safe, room - textWidth(shown) - 1)}`;
}

function countsOf(counts: EntryCounts | undefined, paint: Paint): ShownCounts {
  if (counts === undefined) return { full: paint('dim', '…'), own: '', sum: paint('dim', '…') };
  const own = countText(counts.own, paint);
  const sum = countText(counts.sum, paint);
  if (own === '' || own === sum || sum === '') return { full: sum, own: '', sum };
  return { full: `${own} → ${sum}`, own, sum };
}

function countText(counts: RewindCounts | null, paint: Paint): string {
  if (counts === null) return '';
  const { files, folders, conflicts, insertions, deletions } = counts;
  const lines = `${paint('green', `+${insertions}`)} ${paint('red', `-${deletions}`)}`;
  const parts = [
    ...(files + folders > 0 ? [`${pathsText(counts)} ${lines}`] : []),
    ...(conflicts > 0 ? [paint('yellow', plural(conflicts, 'conflict'))] : []),
  ];
  return parts.length === 0 ? paint('dim', 'no changes') : parts.join(', ');
}

function timeOf(timestamp: Date, now: number): string {
  return relativeTime(timestamp.getTime(), now);
}

/** So many entries on each side of the selected one are looked at: more than a screen shows. */
const NEAR = 40;

/**
 * Learns what the menu shows, one fact at a time and only around what is selected: a menu of a thousand prompts
 * opens at once, and nobody waits for what flies by.
 */
export class MenuFacts {
  /** An entry that is missing is still being looked at. */
  readonly counts: Map<string, EntryCounts> = new Map();
  readonly previews: Map<string, (columns: number) => readonly string[]> = new Map();
  readonly #learned: () => void;
  #near: readonly RewindEntry[] = [];
  #isLearning = false;
  #isClosed = false;

  /** `learned` is called after each. */
  constructor(learned: () => void) {
    this.#learned = learned;
  }

  select(selected: number, { matches }: Chooser<RewindEntry>): void {
    const from = Math.max(0, selected - NEAR);
    const around = matches.slice(from, selected + NEAR).map(({ value }) => value);
    const distance = (i: number): number => Math.abs(i + from - selected);
    this.#near = around
      .map((entry, i) => ({ entry, far: distance(i) }))
      .sort((a, b) => a.far - b.far)
      .map(({ entry }) => entry);
    void this.#learn();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #learn(): Promise<void> {
    if (this.#isLearning) return;
    this.#isLearning = true;
    for (let next = this.#next(); next !== null && !this.#isClosed; next = this.#next()) {
      await next();
      this.#learned();
    }
    this.#isLearning = false;
  }

  #next(): (() => Promise<unknown>) | null {
    const [selected] = this.#near;
    const uncounted = this.#near.find(({ id }) => !this.counts.has(id));
    const isNext = selected !== undefined && uncounted !== selected;
    if (isNext && !this.previews.has(selected.id)) {
      return async () =>
        this.previews.set(selected.id, await selected.preview().catch(() => () => []));
    }
    if (uncounted === undefined) return null;
    const unknown = { own: null, sum: null };
    return async () => this.counts.set(uncounted.id, await uncounted.counts().catch(() => unknown));
  }
}
