import type { Key } from '../../terminal/interactive/keys.ts';
import {
  EMPTY_FIELD,
  edited,
  fieldOf,
  insert,
  movedRow,
  type TextField,
  textOf,
} from '../../terminal/interactive/text-field.ts';
import type { Completion } from './interactive-ui.ts';

/** Everything about the input. A value: each key makes another one. */
export interface PromptState {
  readonly field: TextField;
  readonly history: PromptHistory;
  /** What Tab offers. */
  readonly completions: readonly Completion[];
  /** The offer that the arrows are at; null until they are used. */
  readonly offered: number | null;
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

const NO_HISTORY: PromptHistory = { texts: [], at: null, draft: null };

export const NO_PROMPT: PromptState = {
  field: EMPTY_FIELD,
  history: NO_HISTORY,
  completions: [],
  offered: null,
};

const LONGEST_COMPLETED = 200;

export function isEmpty({ field }: PromptState): boolean {
  return field.cells.length === 0;
}

export function pressedPrompt(state: PromptState, key: Key, room: PromptRoom): PromptStep {
  if (key.name === 'text') return typed(state, insert(state.field, key.text), room);
  if (key.name === 'enter') return entered(state, room);
  if (key.name === 'tab') return stay(completed(state, state.offered ?? 0, room));
  if (key.name === 'up' || key.name === 'down') return stay(movedBy(state, key.name, room));
  const field = edited(state.field, key.name);
  return field === null ? stay(state) : typed(state, field, room);
}

/** Another text in the input, such as a prompt that was taken back. */
export function withText(state: PromptState, text: string, room: PromptRoom): PromptState {
  return typed(state, fieldOf(text), room).state;
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
  return { state: { ...NO_PROMPT, history: remembered(state.history, text) }, submitted: text };
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

function stay(state: PromptState): PromptStep {
  return { state, submitted: null };
}

/** What was submitted, oldest first, and where in it the arrows are. */
interface PromptHistory {
  readonly texts: readonly string[];
  /** Null while the person's own text is shown. */
  readonly at: number | null;
  /** The person's own text, for when they come back from the history. */
  readonly draft: TextField | null;
}

const MOST_KEPT = 500;

interface Recalled {
  readonly history: PromptHistory;
  readonly field: TextField;
}

function older(history: PromptHistory, field: TextField): Recalled {
  const at = (history.at ?? history.texts.length) - 1;
  const text = history.texts[at];
  if (text === undefined) return { history, field };
  const draft = history.at === null ? field : history.draft;
  return { history: { ...history, at, draft }, field: fieldOf(text) };
}

function newer(history: PromptHistory, field: TextField): Recalled {
  if (history.at === null) return { history, field };
  const at = history.at + 1;
  const text = history.texts[at];
  if (text !== undefined) return { history: { ...history, at }, field: fieldOf(text) };
  return { history: atDraft(history), field: history.draft ?? field };
}

/** The text is the person's own from now on. */
function atDraft(history: PromptHistory): PromptHistory {
  return history.at === null ? history : { ...history, at: null, draft: null };
}

function remembered({ texts }: PromptHistory, text: string): PromptHistory {
  const kept = texts.at(-1) === text ? texts : [...texts, text].slice(-MOST_KEPT);
  return { texts: kept, at: null, draft: null };
}
