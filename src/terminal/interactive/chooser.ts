import type { Key, KeyName } from './keys.ts';
import { EMPTY_FIELD, edited, insert, replaced, type TextField, textOf } from './text-field.ts';

export interface OptionRoom {
  readonly columns: number;
  readonly now: number;
}

export interface ChooserOption<Value> {
  readonly value: Value;
  /** Stands before it: the number to type for it, or an id. */
  readonly label: string;
  /** Another key for it, in a chooser without a filter. */
  readonly letter?: string;
  /** The text in which a filter looks, as `searchable` makes it. */
  readonly search?: string;
  /** How it reads; the first row is its name. Safe to show. */
  readonly rows: (room: OptionRoom) => readonly string[];
  /** For an option that wants a line of text: what is chosen with it. Typing at the list begins that line. */
  readonly write?: (text: string) => Value;
}

/**
 * A list to choose from, with something to read above or beside it. A value: each key makes another one.
 * With a filter, what is typed narrows the list down; without one, numbers and letters choose.
 */
export interface Chooser<Value> {
  readonly title: string;
  readonly options: readonly ChooserOption<Value>[];
  /** Null for a chooser without a filter. */
  readonly filter: TextField | null;
  /** Of the options, those that the filter finds. */
  readonly matches: readonly ChooserOption<Value>[];
  /** Which of the matches is selected. */
  readonly selected: number;
  /** What is to be read, safe to show; longer than there is room for, it scrolls. */
  body(columns: number, selected: Value | null): readonly string[];
  /** Where the body is drawn. A narrow terminal does not show a body beside the list. */
  readonly bodyIs: 'above' | 'beside';
  /** A body beside the list is shown from so many columns on. */
  readonly besideFrom: number;
  readonly bodyTop: number;
  /** What the arrows move, where both are beside each other. */
  readonly focus: 'list' | 'body';
  /** Letters that do something with what is selected, in a chooser without a filter. */
  readonly keys: readonly ChooserKey[];
  /** Whether `/` begins a filter. */
  readonly slashFilters: boolean;
  /** The beginning of a number that may go on. */
  readonly digits: string;
  /** What Esc does, in a word or two. */
  readonly leaving: string;
  /** The line that is being written for the selected option; null while none is. */
  readonly writing: TextField | null;
}

export interface ChooserKey {
  readonly key: string;
  /** What it does, as the last row says it: "d shows the diff". */
  readonly does: string;
}

export type Outcome<Value> =
  | { readonly kind: 'stay' | 'leave' }
  /** A number may be whole, or go on: only a pause tells. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'chosen'; readonly value: Value }
  | { readonly kind: 'key'; readonly key: string; readonly value: Value | null };

export interface Step<Value> {
  readonly chooser: Chooser<Value>;
  readonly outcome: Outcome<Value>;
}

/** How much is to be seen; from `chooserView`. */
export interface ChooserView {
  /** Rows of the body, and how many of them fit; both 0 where it is not shown. */
  readonly bodyRows: number;
  readonly bodyRoom: number;
  /** How many rows the list has. */
  readonly listRoom: number;
}

type Parts<Value> = Pick<Chooser<Value>, 'title' | 'options'> & Partial<Chooser<Value>>;

export function chooserOf<Value>(parts: Parts<Value>): Chooser<Value> {
  return {
    filter: null,
    matches: parts.options,
    selected: 0,
    body: () => [],
    bodyIs: 'above',
    besideFrom: 60,
    keys: [],
    slashFilters: false,
    bodyTop: 0,
    focus: 'list',
    digits: '',
    leaving: 'leaves',
    writing: null,
    ...parts,
  };
}

export function selectedValue<Value>({ matches, selected }: Chooser<Value>): Value | null {
  return matches[selected]?.value ?? null;
}

/** One letter can be written in several ways; a person means all of them. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Other options for the same values, such as with paths that became known. */
export function withOptions<Value>(
  chooser: Chooser<Value>,
  options: readonly ChooserOption<Value>[],
): Chooser<Value> {
  return filtered({ ...chooser, options }, chooser.filter);
}

export function pressed<Value>(chooser: Chooser<Value>, key: Key, view: ChooserView): Step<Value> {
  // Where the terminal became too narrow for the body, the list has the focus again.
  if (chooser.focus === 'body' && view.bodyRoom === 0) {
    return pressed({ ...chooser, focus: 'list' }, key, view);
  }
  const { filter, writing } = chooser;
  if (writing !== null) return pressedWriting(chooser, writing, key);
  if (key.name === 'text') {
    if (filter !== null) return stay(filtered(chooser, insert(filter, key.text, key.pasted)));
    return key.pasted ? begunWriting(chooser, key.text) : typed(chooser, key.text);
  }
  if (key.name === 'interrupt' || key.name === 'end-of-input') return leave(chooser);
  if (key.name === 'escape') return escaped(chooser);
  if (key.name === 'enter') return chosenAt(chooser, numbered(chooser));
  const typedOver = filterAfter(chooser, key.name);
  if (typedOver !== null) return stay(filtered(chooser, typedOver));
  const without = { ...chooser, digits: '' };
  return stay((chooser.bodyIs === 'beside' ? movedBeside : movedThrough)(without, key.name, view));
}

const NOT_OF_THE_FILTER: ReadonlySet<KeyName> = new Set(['home', 'end', 'line-break']);

/** Null where the key does nothing to the filter, such as an arrow at its end: then it is for the list. */
function filterAfter({ filter, focus }: Chooser<unknown>, name: KeyName): TextField | null {
  const isFocus = focus === 'body' && FOCUSED_BY[name] !== undefined;
  if (filter === null || isFocus || NOT_OF_THE_FILTER.has(name)) return null;
  const after = edited(filter, name);
  const isSame = after?.cells === filter.cells && after.cursor === filter.cursor;
  return isSame ? null : after;
}

/** Nothing came after the beginning of a number: it is whole. */
export function afterPause<Value>(chooser: Chooser<Value>): Outcome<Value> {
  return chooser.digits === '' ? { kind: 'stay' } : chosen(chooser, numbered(chooser));
}

/** Several characters may come at once. Those after the first that decides are dropped. */
function typed<Value>(chooser: Chooser<Value>, text: string): Step<Value> {
  let step = stay(chooser);
  for (const [at, character] of [...text].entries()) {
    const { writing } = step.chooser;
    step =
      writing === null
        ? typedOne(step.chooser, character)
        : stay({ ...step.chooser, writing: insert(writing, character) });
    const { filter } = step.chooser;
    // What comes with the `/` is for the filter.
    if (filter !== null) {
      return stay(filtered(step.chooser, insert(filter, [...text].slice(at + 1).join(''))));
    }
    if (step.outcome.kind !== 'stay' && step.outcome.kind !== 'pause') break;
  }
  return step;
}

/** A key while a line is written: Enter chooses with it, Esc goes back to the list. */
function pressedWriting<Value>(chooser: Chooser<Value>, writing: TextField, key: Key): Step<Value> {
  if (key.name === 'interrupt') return leave(chooser);
  if (key.name === 'escape') return stay({ ...chooser, writing: null });
  if (key.name === 'text') {
    return stay({ ...chooser, writing: insert(writing, key.text, key.pasted) });
  }
  if (key.name !== 'enter') {
    return stay({ ...chooser, writing: edited(writing, key.name) ?? writing });
  }
  const write = chooser.matches[chooser.selected]?.write;
  const text = textOf(writing).trim();
  if (write === undefined || text === '') return stay(chooser);
  return { chooser, outcome: { kind: 'chosen', value: write(text) } };
}

/** Where an option takes a line of text, what is typed at the list is the beginning of it. */
function begunWriting<Value>(chooser: Chooser<Value>, text: string): Step<Value> {
  const selected = chooser.matches.findIndex(({ write }) => write !== undefined);
  if (selected === -1 || text.trim() === '') return stay(chooser);
  return stay({ ...chooser, selected, digits: '', writing: insert(EMPTY_FIELD, text) });
}

function typedOne<Value>(chooser: Chooser<Value>, character: string): Step<Value> {
  const { matches, digits } = chooser;
  if (character === '/' && chooser.slashFilters) return stay(filtered(chooser, EMPTY_FIELD));
  if (chooser.keys.some(({ key }) => key === character)) {
    return { chooser, outcome: { kind: 'key', key: character, value: selectedValue(chooser) } };
  }
  const byLetter = matches.findIndex(({ letter }) => letter === character.toLowerCase());
  if (byLetter !== -1) return chosenAt(chooser, byLetter);
  if (!/^\d$/.test(character)) return begunWriting(chooser, character);
  if (digits === '' && character === '0') return leave(chooser);
  const number = digits + character;
  const index = matches.findIndex(({ label }) => label === number);
  if (index === -1) return stay({ ...chooser, digits: '' });
  const next = { ...chooser, digits: number, selected: index };
  const mayGoOn = matches.some(({ label }) => label !== number && label.startsWith(number));
  return mayGoOn ? { chooser: next, outcome: { kind: 'pause' } } : chosenAt(next, index);
}

function numbered<Value>({ matches, digits, selected }: Chooser<Value>): number {
  return digits === '' ? selected : matches.findIndex(({ label }) => label === digits);
}

/** An option that wants a line of text gets it first. */
function chosenAt<Value>(chooser: Chooser<Value>, index: number): Step<Value> {
  const option = chooser.matches[index];
  if (option?.write === undefined) return { chooser, outcome: chosen(chooser, index) };
  return stay({ ...chooser, selected: index, digits: '', writing: EMPTY_FIELD });
}

function chosen<Value>({ matches }: Chooser<Value>, index: number): Outcome<Value> {
  const option = matches[index];
  return option === undefined ? { kind: 'stay' } : { kind: 'chosen', value: option.value };
}

/** One step out: from the body, from the filter, from the chooser. */
function escaped<Value>(chooser: Chooser<Value>): Step<Value> {
  if (chooser.focus === 'body') return stay({ ...chooser, focus: 'list' });
  if (chooser.filter !== null && chooser.filter.cells.length > 0)
    return stay(filtered(chooser, replaced(chooser.filter, '')));
  // The filter that `/` began ends, and the numbers count again.
  if (chooser.filter !== null && chooser.slashFilters) return stay(filtered(chooser, null));
  return leave(chooser);
}

/** What was selected stays so, as long as the filter finds it. */
function filtered<Value>(chooser: Chooser<Value>, filter: TextField | null): Chooser<Value> {
  const before = selectedValue(chooser);
  const words = searchable(filter === null ? '' : textOf(filter)).match(/\S+/g) ?? [];
  const matches = chooser.options.filter(({ search = '' }) =>
    words.every((word) => search.includes(word)),
  );
  const kept = matches.findIndex(({ value }) => value === before);
  const bodyTop = kept === -1 ? 0 : chooser.bodyTop;
  return { ...chooser, filter, matches, selected: Math.max(0, kept), bodyTop, focus: 'list' };
}

/** Tab and the arrows to the side give the other half the focus, and the other keys move that. */
function movedBeside<Value>(
  chooser: Chooser<Value>,
  name: KeyName,
  view: ChooserView,
): Chooser<Value> {
  const other = chooser.focus === 'list' ? 'body' : 'list';
  const focus = name === 'tab' || name === 'back-tab' ? other : FOCUSED_BY[name];
  const hasBody = view.bodyRoom > 0 && chooser.matches.length > 0;
  if (focus !== undefined) return { ...chooser, focus: hasBody ? focus : 'list' };
  return chooser.focus === 'body'
    ? scrolled(chooser, leap(name, view.bodyRoom), view)
    : selecting(chooser, leap(name, view.listRoom));
}

const FOCUSED_BY: Partial<Record<KeyName, Chooser<unknown>['focus']>> = {
  left: 'list',
  right: 'body',
};

/**
 * The body and the answers below it are gone through as one text: downwards it scrolls to its end first,
 * upwards the first answer comes before it.
 */
function movedThrough<Value>(
  chooser: Chooser<Value>,
  name: KeyName,
  view: ChooserView,
): Chooser<Value> {
  const isAtEnd = Math.min(chooser.bodyTop, lastTop(view)) === lastTop(view);
  if (name === 'down') return isAtEnd ? selecting(chooser, 1) : scrolled(chooser, 1, view);
  if (name === 'up') {
    return chooser.selected > 0 ? selecting(chooser, -1) : scrolled(chooser, -1, view);
  }
  if (name === 'right' || name === 'tab') return selectingAround(chooser, 1);
  if (name === 'left' || name === 'back-tab') return selectingAround(chooser, -1);
  if (lastTop(view) === 0) return selecting(chooser, leap(name, view.listRoom));
  return scrolled(chooser, leap(name, Math.max(1, view.bodyRoom - 1)), view);
}

function leap(name: KeyName, page: number): number {
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    'page-up': -page,
    'page-down': page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  return steps[name] ?? 0;
}

function lastTop({ bodyRows, bodyRoom }: ChooserView): number {
  return Math.max(0, bodyRows - bodyRoom);
}

function scrolled<Value>(chooser: Chooser<Value>, step: number, view: ChooserView): Chooser<Value> {
  const top = Math.min(chooser.bodyTop, lastTop(view)) + step;
  return { ...chooser, bodyTop: Math.max(0, Math.min(lastTop(view), top)) };
}

/** A body beside the list is about what is selected: that of another begins at its top. */
function selecting<Value>(chooser: Chooser<Value>, step: number): Chooser<Value> {
  const last = Math.max(0, chooser.matches.length - 1);
  const selected = Math.max(0, Math.min(last, chooser.selected + step));
  const isOther = selected !== chooser.selected && chooser.bodyIs === 'beside';
  return { ...chooser, selected, bodyTop: isOther ? 0 : chooser.bodyTop };
}

function selectingAround<Value>(chooser: Chooser<Value>, step: number): Chooser<Value> {
  const count = chooser.matches.length;
  return { ...chooser, selected: (chooser.selected + step + count) % count };
}

function stay<Value>(chooser: Chooser<Value>): Step<Value> {
  return { chooser, outcome: { kind: 'stay' } };
}

function leave<Value>(chooser: Chooser<Value>): Step<Value> {
  return { chooser, outcome: { kind: 'leave' } };
}
