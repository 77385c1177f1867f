import { displayText } from '../../index.ts';
import {
  afterPause,
  type Chooser,
  type ChooserOption,
  type ChooserView,
  chooserOf,
  type OptionRoom,
  type Outcome,
  pressed,
} from '../../terminal/interactive/chooser.ts';
import type { Key } from '../../terminal/interactive/keys.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { pathsText } from '../../terminal/plan-text.ts';
import { wrapRows } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';
import { editCounts, editRows } from '../tools/edit-rows.ts';
import type {
  ListItem,
  PermissionAnswer,
  PermissionQuestion,
  RewindChoice,
  RewindCounts,
  RewindEntry,
  RewindPreview,
} from './interactive-ui.ts';

/** How long the beginning of a number waits for the rest of it. */
const PAUSE_MS = 800;

/** A question that waits for its answer. */
export interface Asked<Value> {
  /** What was chosen; null when the person left. */
  readonly answer: Promise<Value | null>;
  /** Draws it again, such as with what became known meanwhile. */
  refresh(): void;
  /** Takes it back: the answer is null. */
  close(): void;
}

interface Waiting {
  chooser: Chooser<unknown>;
  readonly settle: (value: unknown) => void;
}

/** One question at a time: two tools that ask at once wait for each other. */
export class DialogQueue {
  readonly #show: (chooser: Chooser<unknown> | null) => void;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (chooser: Chooser<unknown> | null) => void) {
    this.#show = show;
  }

  ask<Value>(chooser: Chooser<Value>): Asked<Value> {
    const { promise, resolve } = Promise.withResolvers<Value | null>();
    const one: Waiting = { chooser, settle: resolve as (value: unknown) => void };
    this.#waiting.push(one);
    this.#refresh();
    return {
      answer: promise,
      refresh: () => {
        one.chooser = { ...one.chooser };
        this.#refresh();
      },
      close: () => this.#settle(one, null),
    };
  }

  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /** A key for the question that is shown. */
  press(key: Key, view: ChooserView): void {
    const [one] = this.#waiting;
    if (one === undefined) return;
    clearTimeout(this.#timer);
    const { chooser, outcome } = pressed(one.chooser, key, view);
    one.chooser = chooser;
    this.#refresh();
    this.#follow(one, outcome);
  }

  /** The end: nobody is going to answer. */
  closeAll(): void {
    while (this.#waiting[0] !== undefined) this.#settle(this.#waiting[0], null);
  }

  #follow(one: Waiting, outcome: Outcome<unknown>): void {
    if (outcome.kind === 'chosen') this.#settle(one, outcome.value);
    if (outcome.kind === 'leave') this.#settle(one, null);
    if (outcome.kind !== 'pause') return;
    this.#timer = setTimeout(() => this.#follow(one, afterPause(one.chooser)), PAUSE_MS);
  }

  #settle(one: Waiting, value: unknown): void {
    const at = this.#waiting.indexOf(one);
    if (at === -1) return;
    if (at === 0) clearTimeout(this.#timer);
    this.#waiting.splice(at, 1);
    this.#refresh();
    one.settle(value);
  }

  #refresh(): void {
    this.#show(this.#waiting[0]?.chooser ?? null);
  }
}

const CHOICES: Readonly<Record<RewindChoice, string>> = {
  files: 'files: put them back, the conversation goes on',
  conversation: 'conversation: go back in it, files stay as they are',
  both: 'both: files and conversation',
};

/** The plan and the diff, and what of it to take back. */
export function rewindChoice({ title, body, choices }: RewindPreview): Chooser<RewindChoice> {
  const options = choices.map((choice, i) => named(choice, CHOICES[choice], i + 1));
  return chooserOf({ title, body, options });
}

export function listOf<Id extends string>(
  title: string,
  items: readonly ListItem<Id>[],
  paint: Paint,
): Chooser<Id> {
  const options = items.map(({ id, text }, i) => ({
    value: id,
    label: String(i + 1),
    rows: ({ columns }: OptionRoom) => {
      const [name = [], ...more] = text.split('\n').map((line) => wrapRows(line, columns));
      return [...name, ...more.flat().map((row) => paint('dim', row))];
    },
  }));
  return chooserOf({ title, options });
}

export function permissionDialog(
  { title, details, edit, always, isGrave }: PermissionQuestion,
  paint: Paint,
): Chooser<PermissionAnswer> {
  const letter = (one: string): string | undefined => (isGrave ? undefined : one);
  const remembered = `Yes, and do not ask again in this conversation for ${always}`;
  // The numbers do not move: 3 is no, whether or not 2 is offered.
  const options: ChooserOption<PermissionAnswer>[] = [
    named('once', 'Yes, this once', 1, letter('y')),
    ...(always === null ? [] : [named('always' as const, remembered, 2, letter('a'))]),
    named('no', 'No', 3, 'n'),
    { ...named('no', 'No, and say what to do instead: type it', 4), write: (no) => ({ no }) },
  ];
  // All of it can be read before it is allowed: nothing is cut off. A key draws it again, so it is made once.
  const body = oncePerWidth((columns) => [
    ...(edit === null ? [] : [editCounts(edit, paint), ...editRows(edit, columns, paint)]),
    ...details.flatMap((line) => wrapRows(line, columns)),
  ]);
  const selected = isGrave ? options.findIndex(({ label }) => label === '3') : 0;
  return chooserOf<PermissionAnswer>({ title, body, options, selected, leaving: 'says no' });
}

function oncePerWidth(make: (columns: number) => string[]): (columns: number) => string[] {
  let made: { readonly columns: number; readonly rows: string[] } | null = null;
  return (columns) => {
    if (made?.columns !== columns) made = { columns, rows: make(columns) };
    return made.rows;
  };
}

/** Yes is the first answer; Enter alone says no. */
export function confirmDialog(question: string): Chooser<boolean> {
  const [title = '', ...more] = question.split('\n');
  const body = (columns: number): string[] => more.flatMap((line) => wrapRows(line, columns));
  const options = [named(true, 'Yes', 1, 'y'), named(false, 'No', 2, 'n')];
  return chooserOf<boolean>({ title, body, options, selected: 1 });
}

function named<Value>(
  value: Value,
  name: string,
  number: number,
  letter?: string,
): ChooserOption<Value> {
  const text = letter === undefined ? name : `${name} (${letter})`;
  const rows = ({ columns }: OptionRoom): string[] => wrapRows(text, columns);
  const option = { value, label: String(number), rows };
  return letter === undefined ? option : { ...option, letter };
}

/** What became known of the changes so far; an entry that is missing is still being counted. */
type KnownCounts = ReadonlyMap<string, RewindCounts | null>;

/** Below this, time and counts leave the description no room beside them. */
const LEAST_FOR_ONE_ROW = 56;

const MENU_TITLE = 'Rewind: what each takes back';

/** The menu of Esc Esc: when, what, and what a rewind to it would change. */
export function rewindMenu(
  entries: readonly RewindEntry[],
  known: KnownCounts,
  paint: Paint,
): Chooser<RewindEntry> {
  const timesAt = (now: number): number =>
    Math.max(...entries.map(({ timestamp }) => textWidth(timeOf(timestamp, now))));
  const options = entries.map((entry, i) => ({
    value: entry,
    label: String(i + 1),
    rows: (room: OptionRoom) => {
      const counts = countsOf(known.get(entry.id), paint);
      return room.columns < LEAST_FOR_ONE_ROW
        ? twoRows(entry, counts, room, paint)
        : [oneRow(entry, counts, { ...room, times: timesAt(room.now) }, paint)];
    },
  }));
  return chooserOf({ title: MENU_TITLE, options });
}

function oneRow(
  { timestamp, description, label }: RewindEntry,
  counts: string,
  { columns, now, times }: OptionRoom & { readonly times: number },
  paint: Paint,
): string {
  const time = padWidth(timeOf(timestamp, now), times);
  const end = counts === '' ? '' : `  ${counts}`;
  const what = described(description, label, columns - times - 2 - textWidth(end), paint);
  return `${paint('dim', time)}  ${what}${end}`;
}

function twoRows(
  { timestamp, description, label }: RewindEntry,
  counts: string,
  { columns, now }: OptionRoom,
  paint: Paint,
): string[] {
  const time = clipWidth(timeOf(timestamp, now), columns);
  const hasRoom = textWidth(time) + 2 + textWidth(counts) <= columns;
  const below = paint('dim', time) + (hasRoom ? `  ${counts}` : '');
  return [described(description, label, columns, paint), below];
}

function described(text: string, label: string | null, room: number, paint: Paint): string {
  const safe = displayText(text);
  if (label === null) return clipWidth(safe, room);
  const shown = clipWidth(`[${displayText(label)}]`, Math.max(4, Math.floor(room / 2)));
  return `${paint('cyan', shown)} ${clipWidth(safe, room - textWidth(shown) - 1)}`;
}

function countsOf(counts: RewindCounts | null | undefined, paint: Paint): string {
  if (counts === undefined) return paint('dim', '…');
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
