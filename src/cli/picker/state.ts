import type { Key, KeyName } from '../../terminal/keys.ts';
import { type Entry, matching } from './entries.ts';
import { layoutOf, type Size } from './layout.ts';

/** Everything that decides what the picker shows. A value: each key makes another one. */
export interface PickerState {
  readonly entries: readonly Entry[];
  readonly filter: string;
  /** Of the entries, those that the filter finds. */
  readonly matches: readonly Entry[];
  /** Which of the matches is chosen, and which is the first on the screen. */
  readonly selected: number;
  readonly top: number;
  /** What the arrows move. */
  readonly focus: 'list' | 'diff';
  readonly diffTop: number;
  /** Whether what is selected was chosen, and waits for a yes. */
  readonly asking: boolean;
  readonly size: Size;
}

/** What the picker cannot do by itself. */
export type Outcome = 'choose' | 'agree' | 'leave' | 'interrupt' | 'suspend' | 'redraw';

export interface Step {
  readonly state: PickerState;
  readonly outcome: Outcome | null;
}

export function initialState(entries: readonly Entry[], size: Size): PickerState {
  return {
    entries,
    filter: '',
    matches: entries,
    selected: 0,
    top: 0,
    focus: 'list',
    diffTop: 0,
    asking: false,
    size,
  };
}

export function selectedEntry({ matches, selected }: PickerState): Entry | undefined {
  return matches[selected];
}

/** `diffRows`: how many rows the diff of the selected checkpoint has. */
export function pressed(state: PickerState, key: Key, diffRows: number): Step {
  if (state.asking) return answered(state, key);
  if (key.name === 'text') return stay(filtered(state, state.filter + key.text));
  const outcome = OUTCOMES[key.name];
  if (outcome !== undefined) return { state, outcome };
  if (key.name === 'enter') return chosen(state);
  if (key.name === 'escape') return escaped(state);
  const edited = EDITS[key.name]?.(state.filter);
  if (edited !== undefined) return stay(filtered(state, edited));
  if (key.name === 'tab') return stay(focused(state, state.focus === 'list' ? 'diff' : 'list'));
  if (key.name === 'right') return stay(focused(state, 'diff'));
  if (key.name === 'left') return stay(focused(state, 'list'));
  return stay(moved(state, key.name, diffRows));
}

/** What is selected was chosen: the next key is an answer. */
export function asking(state: PickerState): PickerState {
  return { ...state, asking: true };
}

export function resized(state: PickerState, size: Size): PickerState {
  const focus = layoutOf(size).diff === null ? 'list' : state.focus;
  return inView({ ...state, size, focus });
}

/** Other entries for the same checkpoints, such as with the paths that became known. */
export function withEntries(state: PickerState, entries: readonly Entry[]): PickerState {
  return filtered({ ...state, entries }, state.filter);
}

const OUTCOMES: Partial<Record<KeyName, Outcome>> = {
  interrupt: 'interrupt',
  suspend: 'suspend',
  redraw: 'redraw',
};

const EDITS: Partial<Record<KeyName, (filter: string) => string>> = {
  backspace: (filter) => [...graphemes.segment(filter)].slice(0, -1).map(textOf).join(''),
  'delete-word': (filter) => filter.replace(/\S*\s*$/, ''),
  'delete-all': () => '',
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function textOf({ segment }: Intl.SegmentData): string {
  return segment;
}

function stay(state: PickerState): Step {
  return { state, outcome: null };
}

/** Only a plain yes is one. No, Enter and Escape lead back to the list; other keys mean nothing. */
function answered(state: PickerState, key: Key): Step {
  if (key.name === 'text') {
    if (/^y$/i.test(key.text)) return { state, outcome: 'agree' };
    return stay({ ...state, asking: !/^n$/i.test(key.text) });
  }
  const outcome = OUTCOMES[key.name];
  if (outcome !== undefined) return { state, outcome };
  return stay({ ...state, asking: !NOES.has(key.name) });
}

const NOES: ReadonlySet<KeyName> = new Set(['enter', 'escape']);

function chosen(state: PickerState): Step {
  return { state, outcome: selectedEntry(state) === undefined ? null : 'choose' };
}

/** One step out: from the diff, from the filter, from the picker. */
function escaped(state: PickerState): Step {
  if (state.focus === 'diff') return stay(focused(state, 'list'));
  if (state.filter !== '') return stay(filtered(state, ''));
  return { state, outcome: 'leave' };
}

/** What was selected stays so, as long as the filter finds it. */
function filtered(state: PickerState, filter: string): PickerState {
  const before = selectedEntry(state)?.checkpoint.id;
  const matches = matching(state.entries, filter);
  const kept = matches.findIndex(({ checkpoint }) => checkpoint.id === before);
  const diffTop = kept === -1 ? 0 : state.diffTop;
  const selected = Math.max(0, kept);
  return inView({ ...state, filter, matches, selected, diffTop, focus: 'list' });
}

function focused(state: PickerState, focus: PickerState['focus']): PickerState {
  const possible = layoutOf(state.size).diff !== null && state.matches.length > 0;
  return { ...state, focus: possible ? focus : 'list' };
}

function moved(state: PickerState, name: KeyName, diffRows: number): PickerState {
  const { rows } = layoutOf(state.size);
  if (state.focus === 'diff') {
    const last = Math.max(0, diffRows - rows);
    return { ...state, diffTop: target(state.diffTop, name, rows, last) };
  }
  const selected = target(state.selected, name, rows, state.matches.length - 1);
  return inView({ ...state, selected, diffTop: selected === state.selected ? state.diffTop : 0 });
}

function target(from: number, name: KeyName, page: number, last: number): number {
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    'page-up': -page,
    'page-down': page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  return Math.max(0, Math.min(last, from + (steps[name] ?? 0)));
}

/** Scrolls as little as it takes to see what is selected. */
function inView(state: PickerState): PickerState {
  const { rows } = layoutOf(state.size);
  const { selected, matches } = state;
  const lowest = Math.max(0, Math.min(selected, matches.length - rows));
  const top = Math.max(selected - rows + 1, Math.min(state.top, lowest));
  return { ...state, top: Math.max(0, top) };
}
