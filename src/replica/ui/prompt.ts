import { movedRow } from '../../terminal/interactive/field-rows.ts';
import type { Key } from '../../terminal/interactive/keys.ts';
import {
  completedFrom,
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
  /** The first cell of what an offer stands for; it ends at the cursor. */
  readonly offeredFor: number;
  readonly mode: PromptMode;
  readonly hasPaste: boolean;
  /** Null unless the history is being searched. */
  readonly search: HistorySearch | null;
}

/** What Enter does with the text: sends it, runs it as the person's own command, or adds it to CLAUDE.md. */
export type PromptMode = 'prompt' | 'command' | 'note';

/** Typed at the beginning of an empty input. A paste that begins with one of them is a text like any other. */
const SIGNS: ReadonlyMap<string, PromptMode> = new Map([
  ['!', 'command'],
  ['#', 'note'],
]);

export interface PromptStep {
  readonly state: PromptState;
  /** What is to be sent, if that is what the key meant. */
  readonly submitted: Submitted | null;
}

export interface Submitted {
  readonly text: string;
  readonly mode: PromptMode;
  readonly hasPaste: boolean;
}

export interface PromptRoom {
  readonly columns: number;
  readonly complete: (text: string) => readonly Completion[];
}

export const NO_PROMPT: PromptState = {
  field: EMPTY_FIELD,
  history: NO_HISTORY,
  completions: [],
  offered: null,
  offeredFor: 0,
  mode: 'prompt',
  hasPaste: false,
  search: null,
};

const LONGEST_COMPLETED = 200;

export function isEmpty({ field }: PromptState): boolean {
  return field.cells.length === 0;
}

export function pressedPrompt(state: PromptState, key: Key, room: PromptRoom): PromptStep {
  if (state.search !== null) return pressedSearch(state, state.search, key, room);
  if (key.name === 'text') {
    const isFirst = isEmpty(state) && state.mode === 'prompt' && !key.pasted;
    const mode = isFirst ? SIGNS.get(key.text) : undefined;
    if (mode !== undefined) return stay({ ...state, mode });
    const hasPaste = state.hasPaste || key.pasted === true;
    return typed({ ...state, hasPaste }, insert(state.field, key.text, key.pasted), room);
  }
  const isLeft = key.name === 'backspace' && state.mode !== 'prompt' && isEmpty(state);
  if (isLeft) return stay({ ...state, mode: 'prompt' });
  if (key.name === 'enter') return entered(state, room);
  if (key.name === 'tab') return stay(completed(state, state.offered ?? 0, room));
  if (key.name === 'up' || key.name === 'down') return stay(movedBy(state, key.name, room));
  if (key.name === 'search') return stay(searching(state));
  const field = edited(state.field, key.name);
  if (field === null) return stay(state);
  const hasPaste = state.hasPaste || BRINGING_BACK.has(key.name);
  return typed({ ...state, hasPaste }, field, room);
}

/** A text that comes back by one of these may have been pasted, or meant for something else. */
const BRINGING_BACK: ReadonlySet<Key['name']> = new Set<Key['name']>([
  'yank',
  'yank-older',
  'undo',
]);

/** Another text in the input, such as a prompt that was taken back. Undo brings the one before back. */
export function withText(state: PromptState, text: string, room: PromptRoom): PromptState {
  const without = { ...state, search: null, mode: 'prompt' } as const;
  return typed(without, replaced(state.field, text), room).state;
}

export function withoutOffers(state: PromptState): PromptState {
  return { ...state, completions: [], offered: null };
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
  const hasPaste = state.hasPaste && field.cells.length > 0;
  return stay(withOffers({ ...state, field, history, hasPaste }, room));
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
  const { mode, hasPaste } = state;
  const history = mode === 'prompt' ? remembered(state.history, text) : atDraft(state.history);
  const field = recalled(state.field, '');
  return { state: { ...NO_PROMPT, field, history }, submitted: { text, mode, hasPaste } };
}

function isAfterBackslash({ cells, cursor }: TextField): boolean {
  return cells[cursor - 1]?.text === '\\';
}

function completed(state: PromptState, index: number, room: PromptRoom): PromptState {
  const offer = state.completions[index];
  if (offer === undefined) return state;
  // A path is whole, unless it is a folder's: then one goes on in it.
  const isWhole = offer.text.startsWith('@') && !offer.text.endsWith('/');
  const text = isWhole ? `${offer.text} ` : offer.text;
  return typed(state, completedFrom(state.field, state.offeredFor, text), room).state;
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
  // What was sent once is a text again: it is never run as a command.
  const mode = recalled.field === field ? state.mode : 'prompt';
  return withOffers({ ...state, ...recalled, mode }, room);
}

/** The same text with what is offered now. */
export function withOffers(state: PromptState, room: PromptRoom): PromptState {
  const offeredFor = offerStart(state);
  if (offeredFor === null) return withoutOffers(state);
  const { cells, cursor } = state.field;
  const text = textOf({ cells: cells.slice(offeredFor, cursor) });
  // The text itself is not an offer.
  const completions = room.complete(text).filter((offer) => offer.text !== text);
  // Enter takes the first path; of a folder, it sends what is there.
  const isChosen = text.startsWith('@') && !text.endsWith('/') && completions.length > 0;
  return { ...state, completions, offered: isChosen ? 0 : null, offeredFor };
}

/** Null where nothing is offered. In a person's own command, the name of a file would be read by a shell. */
function offerStart({ mode, field }: PromptState): number | null {
  if (mode === 'command') return null;
  return mode === 'prompt' && isCommand(field) ? 0 : mentionStart(field);
}

/** Where a word that begins with `@` begins, before the cursor; null where there is none. */
function mentionStart({ cells, cursor }: TextField): number | null {
  const isBlank = (at: number): boolean => at < 0 || /^\s/.test(cells[at]?.text ?? '');
  let quoted = false;
  for (let at = cursor - 1; at >= Math.max(0, cursor - LONGEST_COMPLETED); at -= 1) {
    const cell = cells[at];
    if (cell === undefined || cell.folded || cell.text === '\n') return null;
    if (cell.text === '@' && isBlank(at - 1)) {
      return quoted && cells[at + 1]?.text !== '"' ? null : at;
    }
    quoted ||= isBlank(at);
  }
  return null;
}

/** Whether the text is one line that begins with a slash. Does not read a long paste at every key. */
function isCommand({ cells, cursor }: TextField): boolean {
  if (cursor < cells.length) return false;
  if (cells[0]?.text !== '/' || cells.length > LONGEST_COMPLETED) return false;
  return cells.every(({ text, folded }) => !folded && text !== '\n');
}

function searching(state: PromptState): PromptState {
  const search = { query: EMPTY_FIELD, at: null, draft: state.field };
  // What is found was sent once: it is never run as a command.
  return { ...withoutOffers(state), search, mode: 'prompt' };
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
  if (isLeft) return stay(withOffers({ ...state, field: search.draft, search: null }, room));
  if (OF_THE_QUERY.has(key.name)) {
    return stay(lookedFor(state, search, edited(query, key.name) ?? query));
  }
  const accepted = withOffers({ ...state, search: null, history: atDraft(state.history) }, room);
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
