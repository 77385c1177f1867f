import { movedRow } from '../../terminal/interactive/field-rows.ts';
import type { Key } from '../../terminal/interactive/keys.ts';
import {
  EMPTY_FIELD,
  edited,
  insert,
  recalled,
  replaced,
  type TextField,
  textOf,
} from '../../terminal/interactive/text-field.ts';
import type { Completion } from './interactive-ui.ts';
import {
  atDraft,
  found,
  type HistorySearch,
  NO_HISTORY,
  newer,
  older,
  type PromptHistory,
  remembered,
} from './prompt-history.ts';

/** Everything about the input. A value: each key makes another one. */
export interface PromptState {
  readonly field: TextField;
  readonly history: PromptHistory;
  /** What Tab offers. */
  readonly completions: readonly Completion[];
  /** The offer that the arrows are at; null until they are used. */
  readonly offered: number | null;
  /** Null unless the history is being searched. */
  readonly search: HistorySearch | null;
}

export interface PromptStep {
  readonly state: PromptState;
  /** What is to be sent, if that is what the key meant. */
  readonly submitted: string | null;
}

/** What a key needs to know beside the state. */
export interface PromptRoom {
  readonly columns: number;
  readonly complete: (text: string) => readonly Completion[];
}

export const NO_PROMPT: PromptState = {
  field: EMPTY_FIELD,
  history: NO_HISTORY,
  completions: [],
  offered: null,
  search: null,
};

const LONGEST_COMPLETED = 200;

export function isEmpty({ field }: PromptState): boolean {
  return field.cells.length === 0;
}

export function pressedPrompt(state: PromptState, key: Key, room: PromptRoom): PromptStep {
  if (state.search !== null) return pressedSearch(state, state.search, key, room);
  if (key.name === 'text') return typed(state, insert(state.field, key.text, key.pasted), room);
  if (key.name === 'enter') return entered(state, room);
  if (key.name === 'tab') return stay(completed(state, state.offered ?? 0, room));
  if (key.name === 'up' || key.name === 'down') return stay(movedBy(state, key.name, room));
  if (key.name === 'search') return stay(searching(state));
  const field = edited(state.field, key.name);
  return field === null ? stay(state) : typed(state, field, room);
}

/** Another text in the input, such as a prompt that was taken back. Undo brings the one before back. */
export function withText(state: PromptState, text: string, room: PromptRoom): PromptState {
  return typed({ ...state, search: null }, replaced(state.field, text), room).state;
}

/** What others have sent meanwhile in this project. Changes nothing while the person goes through it. */
export function withHistory(state: PromptState, texts: readonly string[]): PromptState {
  if (state.history.at !== null || state.search !== null) return state;
  return { ...state, history: { ...NO_HISTORY, texts } };
}

/** The same input; ↑ recalls these prompts first, the last of them at once. */
export function recalling(state: PromptState, prompts: readonly string[]): PromptState {
  return { ...state, history: prompts.reduce(remembered, state.history) };
}

function typed(state: PromptState, field: TextField, room: PromptRoom): PromptStep {
  const changed = field.cells !== state.field.cells;
  const history = changed ? atDraft(state.history) : state.history;
  return stay(offering({ ...state, field, history }, room));
}

function entered(state: PromptState, room: PromptRoom): PromptStep {
  if (isAfterBackslash(state.field)) {
    // The line break comes in place of the backslash.
    const shorter = edited(state.field, 'backspace') ?? state.field;
    return typed(state, insert(shorter, '\n'), room);
  }
  if (state.offered !== null) return stay(completed(state, state.offered, room));
  const text = textOf(state.field);
  if (text.trim() === '') return stay(state);
  const history = remembered(state.history, text);
  const field = recalled(state.field, '');
  return { state: { ...NO_PROMPT, field, history }, submitted: text };
}

function isAfterBackslash({ cells, cursor }: TextField): boolean {
  return cells[cursor - 1]?.text === '\\';
}

function completed(state: PromptState, index: number, room: PromptRoom): PromptState {
  const offer = state.completions[index];
  return offer === undefined ? state : withText(state, offer.text, room);
}

/** The arrows: through the offers, through the rows, through the history, whichever there is. */
function movedBy(state: PromptState, name: 'up' | 'down', room: PromptRoom): PromptState {
  const { completions, offered, history, field } = state;
  const step = name === 'up' ? -1 : 1;
  if (completions.length > 0 && history.at === null) {
    const from = offered ?? (step === 1 ? -1 : 0);
    return { ...state, offered: (from + step + completions.length) % completions.length };
  }
  const moved = movedRow(field, step, room.columns);
  if (moved !== null) return { ...state, field: moved };
  const recalled = step === -1 ? older(history, field) : newer(history, field);
  return offering({ ...state, ...recalled }, room);
}

function offering(state: PromptState, room: PromptRoom): PromptState {
  const text = isCommand(state.field) ? textOf(state.field) : '';
  const found = text === '' ? [] : room.complete(text);
  // The text itself is not an offer.
  const completions = found.filter((offer) => offer.text !== text);
  return { ...state, completions, offered: null };
}

/** Whether the text is one line that begins with a slash. Does not read a long paste at every key. */
function isCommand({ cells }: TextField): boolean {
  if (cells[0]?.text !== '/' || cells.length > LONGEST_COMPLETED) return false;
  return cells.every(({ text, folded }) => !folded && text !== '\n');
}

function searching(state: PromptState): PromptState {
  const search = { query: EMPTY_FIELD, at: null, draft: state.field };
  return { ...state, search, completions: [], offered: null };
}

/** Ctrl-R: what is typed is looked for; Enter sends what was found, other keys go on with it. */
function pressedSearch(
  state: PromptState,
  search: HistorySearch,
  key: Key,
  room: PromptRoom,
): PromptStep {
  const { query } = search;
  if (key.name === 'text') return stay(lookedFor(state, search, insert(query, key.text)));
  if (key.name === 'search' || key.name === 'up') return stay(lookedOn(state, search, -1));
  if (key.name === 'down') return stay(lookedOn(state, search, 1));
  const isLeft = key.name === 'interrupt' || (key.name === 'backspace' && query.cells.length === 0);
  if (isLeft) return stay(offering({ ...state, field: search.draft, search: null }, room));
  if (OF_THE_QUERY.has(key.name)) {
    return stay(lookedFor(state, search, edited(query, key.name) ?? query));
  }
  const accepted = offering({ ...state, search: null, history: atDraft(state.history) }, room);
  if (key.name === 'tab' || key.name === 'escape') return stay(accepted);
  return key.name === 'enter' && search.at === null
    ? stay(accepted)
    : pressedPrompt(accepted, key, room);
}

const OF_THE_QUERY: ReadonlySet<Key['name']> = new Set<Key['name']>([
  'backspace',
  'cut-blank-word',
  'cut-word-left',
  'cut-line-left',
  'yank',
  'undo',
]);

/** Another query is looked for from the newest text on. */
function lookedFor(state: PromptState, search: HistorySearch, query: TextField): PromptState {
  const isEmpty = query.cells.length === 0;
  const from = state.history.texts.length;
  return shown(state, {
    ...search,
    query,
    at: isEmpty ? null : found(state.history, query, { from, step: -1 }),
  });
}

/** The same query further on; at the last text that holds it, that one stays. */
function lookedOn(state: PromptState, search: HistorySearch, step: -1 | 1): PromptState {
  const from = search.at ?? state.history.texts.length;
  return shown(state, {
    ...search,
    at: found(state.history, search.query, { from, step }) ?? search.at,
  });
}

function shown(state: PromptState, search: HistorySearch): PromptState {
  const text = search.at === null ? undefined : state.history.texts[search.at];
  const field = text === undefined ? search.draft : recalled(search.draft, text);
  return { ...state, field, search };
}

function stay(state: PromptState): PromptStep {
  return { state, submitted: null };
}
