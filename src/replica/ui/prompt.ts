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
  /** The first cell of what an offer stands for; it ends at the cursor. */
  readonly offeredFor: number;
  readonly mode: PromptMode;
  /** Whether some of the text was pasted. */
  readonly hasPaste: boolean;
}

/** What Enter does with the text: sends it, runs it as the person's own command, or adds it to CLAUDE.md. */
export type PromptMode = 'prompt' | 'command' | 'note';

/** Typed at the beginning of an empty input. A paste that begins with one of them is a text like any other. */
const SIGNS: Readonly<Record<string, PromptMode>> = { '!': 'command', '#': 'note' };

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
  offeredFor: 0,
  mode: 'prompt',
  hasPaste: false,
};

const LONGEST_COMPLETED = 200;

export function isEmpty({ field }: PromptState): boolean {
  return field.cells.length === 0;
}

export function pressedPrompt(state: PromptState, key: Key, room: PromptRoom): PromptStep {
  if (key.name === 'text') {
    const mode = isEmpty(state) && state.mode === 'prompt' && !key.pasted ? SIGNS[key.text] : null;
    if (mode != null) return stay({ ...state, mode });
    const hasPaste = state.hasPaste || key.pasted === true;
    return typed({ ...state, hasPaste }, insert(state.field, key.text), room);
  }
  const isLeft = key.name === 'backspace' && state.mode !== 'prompt' && isEmpty(state);
  if (isLeft) return stay({ ...state, mode: 'prompt' });
  if (key.name === 'enter') return entered(state, room);
  if (key.name === 'tab') return stay(completed(state, state.offered ?? 0, room));
  if (key.name === 'up' || key.name === 'down') return stay(movedBy(state, key.name, room));
  const field = edited(state.field, key.name);
  return field === null ? stay(state) : typed(state, field, room);
}

/** Another text in the input, such as a prompt that was taken back. */
export function withText(state: PromptState, text: string, room: PromptRoom): PromptState {
  return typed({ ...state, mode: 'prompt' }, fieldOf(text), room).state;
}

/** The same text with what is offered now. */
export function withOffers(state: PromptState, room: PromptRoom): PromptState {
  return offering(state, room);
}

export function withoutOffers(state: PromptState): PromptState {
  return { ...state, completions: [], offered: null };
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
  const { mode, hasPaste } = state;
  const history = mode === 'prompt' ? remembered(state.history, text) : atDraft(state.history);
  return { state: { ...NO_PROMPT, history }, submitted: { text, mode, hasPaste } };
}

function isAfterBackslash({ cells, cursor }: TextField): boolean {
  return cells[cursor - 1]?.text === '\\';
}

function completed(state: PromptState, index: number, room: PromptRoom): PromptState {
  const offer = state.completions[index];
  if (offer === undefined) return state;
  const { cells, cursor } = state.field;
  const before = cells.slice(0, state.offeredFor);
  const shorter = { cells: [...before, ...cells.slice(cursor)], cursor: before.length };
  // A path is whole, unless it is a folder's: then one goes on in it.
  const isWhole = offer.text.startsWith('@') && !offer.text.endsWith('/');
  return typed(state, insert(shorter, isWhole ? `${offer.text} ` : offer.text), room).state;
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
  return offering({ ...state, ...recalled, mode }, room);
}

function offering(state: PromptState, room: PromptRoom): PromptState {
  const isPrompt = state.mode === 'prompt';
  const offeredFor = isPrompt && isCommand(state.field) ? 0 : mentionStart(state.field);
  if (offeredFor === null) return { ...state, completions: [], offered: null };
  const { cells, cursor } = state.field;
  const text = textOf({ cells: cells.slice(offeredFor, cursor), cursor: 0 });
  // The text itself is not an offer.
  const completions = room.complete(text).filter((offer) => offer.text !== text);
  // Enter takes the first path; of a folder, it sends what is there.
  const isChosen = text.startsWith('@') && !text.endsWith('/') && completions.length > 0;
  return { ...state, completions, offered: isChosen ? 0 : null, offeredFor };
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
