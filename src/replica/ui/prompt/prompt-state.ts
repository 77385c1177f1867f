import type { Key } from '../../../terminal/keys.ts';
import type { Completion } from '../interactive-ui.ts';
import {
  atDraft,
  NO_HISTORY,
  newer,
  older,
  type PromptHistory,
  remembered,
} from './prompt-history.ts';
import { movedRow } from './prompt-rows.ts';
import {
  EMPTY_PROMPT,
  edited,
  insert,
  type PromptText,
  promptOf,
  textOf,
  withoutBackslash,
} from './prompt-text.ts';

/** Everything about the input. A value: each key makes another one. */
export interface PromptState {
  readonly prompt: PromptText;
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

export const NO_PROMPT: PromptState = {
  prompt: EMPTY_PROMPT,
  history: NO_HISTORY,
  completions: [],
  offered: null,
};

const LONGEST_COMPLETED = 200;

export function isEmpty({ prompt }: PromptState): boolean {
  return prompt.cells.length === 0;
}

export function pressedPrompt(state: PromptState, key: Key, room: PromptRoom): PromptStep {
  if (key.name === 'text') return typed(state, insert(state.prompt, key.text), room);
  if (key.name === 'enter') return entered(state, room);
  if (key.name === 'tab') return stay(completed(state, state.offered ?? 0, room));
  if (key.name === 'up' || key.name === 'down') return stay(movedBy(state, key.name, room));
  const prompt = edited(state.prompt, key.name);
  return prompt === null ? stay(state) : typed(state, prompt, room);
}

/** Another text in the input, such as a prompt that was taken back. */
export function withText(state: PromptState, text: string, room: PromptRoom): PromptState {
  return typed(state, promptOf(text), room).state;
}

function typed(state: PromptState, prompt: PromptText, room: PromptRoom): PromptStep {
  const changed = prompt.cells !== state.prompt.cells;
  const history = changed ? atDraft(state.history) : state.history;
  return stay(offering({ ...state, prompt, history }, room));
}

function entered(state: PromptState, room: PromptRoom): PromptStep {
  const shorter = withoutBackslash(state.prompt);
  if (shorter !== null) return typed(state, insert(shorter, '\n'), room);
  if (state.offered !== null) return stay(completed(state, state.offered, room));
  const text = textOf(state.prompt);
  if (text.trim() === '') return stay(state);
  return { state: { ...NO_PROMPT, history: remembered(state.history, text) }, submitted: text };
}

function completed(state: PromptState, index: number, room: PromptRoom): PromptState {
  const offer = state.completions[index];
  return offer === undefined ? state : withText(state, offer.text, room);
}

/** The arrows: through the offers, through the rows, through the history, whichever there is. */
function movedBy(state: PromptState, name: 'up' | 'down', room: PromptRoom): PromptState {
  const { completions, offered, history, prompt } = state;
  const step = name === 'up' ? -1 : 1;
  if (completions.length > 0 && history.at === null) {
    const from = offered ?? (step === 1 ? -1 : 0);
    return { ...state, offered: (from + step + completions.length) % completions.length };
  }
  const moved = movedRow(prompt, step, room.columns);
  if (moved !== null) return { ...state, prompt: moved };
  const recalled = step === -1 ? older(history, prompt) : newer(history, prompt);
  return offering({ ...state, ...recalled }, room);
}

function offering(state: PromptState, room: PromptRoom): PromptState {
  const text = isCommand(state.prompt) ? textOf(state.prompt) : '';
  const found = text === '' ? [] : room.complete(text);
  // What is there already is no offer.
  const completions = found.filter((offer) => offer.text !== text);
  return { ...state, completions, offered: null };
}

/** One line that begins with a slash. Looked at by cells: a long paste is not gone through for a key. */
function isCommand({ cells }: PromptText): boolean {
  if (cells[0]?.text !== '/' || cells.length > LONGEST_COMPLETED) return false;
  return cells.every(({ text, folded }) => !folded && text !== '\n');
}

function stay(state: PromptState): PromptStep {
  return { state, submitted: null };
}
