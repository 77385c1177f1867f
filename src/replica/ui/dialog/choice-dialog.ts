import type { Key, KeyName } from '../../../terminal/keys.ts';

export interface OptionRoom {
  readonly columns: number;
  readonly now: number;
}

export interface ChoiceOption {
  /** What to type for it. */
  readonly number: number;
  /** Another key for it. */
  readonly letter?: string;
  /** How it reads; the first row is its name. Safe to show. */
  readonly rows: (room: OptionRoom) => readonly string[];
}

/** A question with numbered answers, and something to read above them. A value, as a state. */
export interface ChoiceDialog {
  readonly title: string;
  /** Safe to show; longer than there is room for, it scrolls. */
  readonly body: (columns: number) => readonly string[];
  readonly options: readonly ChoiceOption[];
  readonly selected: number;
  readonly bodyTop: number;
  /** The beginning of a number that may go on. */
  readonly digits: string;
}

export type ChoiceOutcome =
  | { readonly kind: 'stay' | 'leave' }
  /** A number may be whole, or go on: only a pause tells. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'chosen'; readonly index: number };

export interface ChoiceStep {
  readonly dialog: ChoiceDialog;
  readonly outcome: ChoiceOutcome;
}

/** How much of the dialog is to be seen. */
export interface ChoiceView {
  readonly bodyRows: number;
  /** How many of those fit. */
  readonly bodyRoom: number;
}

export function choiceDialog(
  parts: Pick<ChoiceDialog, 'title' | 'options'> & Partial<ChoiceDialog>,
): ChoiceDialog {
  return { body: () => [], selected: 0, bodyTop: 0, digits: '', ...parts };
}

export function pressedChoice(dialog: ChoiceDialog, key: Key, view: ChoiceView): ChoiceStep {
  if (key.name === 'text') return key.pasted ? stay(dialog) : typed(dialog, key.text);
  if (LEAVING.has(key.name)) return { dialog, outcome: { kind: 'leave' } };
  if (key.name === 'enter') return { dialog, outcome: chosen(dialog, numbered(dialog)) };
  return stay(moved({ ...dialog, digits: '' }, key.name, view));
}

/** Nothing came after the beginning of a number: it is whole. */
export function afterPause(dialog: ChoiceDialog): ChoiceOutcome {
  return dialog.digits === '' ? { kind: 'stay' } : chosen(dialog, numbered(dialog));
}

const LEAVING: ReadonlySet<KeyName> = new Set(['escape', 'interrupt', 'end-of-input']);

/** Several characters may come at once; the first that decides is the last that counts. */
function typed(dialog: ChoiceDialog, text: string): ChoiceStep {
  let step = stay(dialog);
  for (const character of text) {
    step = typedOne(step.dialog, character);
    if (step.outcome.kind === 'leave' || step.outcome.kind === 'chosen') break;
  }
  return step;
}

function typedOne(dialog: ChoiceDialog, character: string): ChoiceStep {
  const { options, digits } = dialog;
  const byLetter = options.findIndex(({ letter }) => letter === character.toLowerCase());
  if (byLetter !== -1) return { dialog, outcome: chosen(dialog, byLetter) };
  if (!/^\d$/.test(character)) return stay(dialog);
  if (digits === '' && character === '0') return { dialog, outcome: { kind: 'leave' } };
  const number = Number(digits + character);
  const index = options.findIndex((option) => option.number === number);
  if (index === -1) return stay({ ...dialog, digits: '' });
  const next = { ...dialog, digits: digits + character, selected: index };
  const mayGoOn = options.some((option) => Math.floor(option.number / 10) === number);
  return { dialog: next, outcome: mayGoOn ? { kind: 'pause' } : chosen(next, index) };
}

function numbered({ options, digits, selected }: ChoiceDialog): number {
  return digits === '' ? selected : options.findIndex(({ number }) => number === Number(digits));
}

function chosen({ options }: ChoiceDialog, index: number): ChoiceOutcome {
  return options[index] === undefined ? { kind: 'stay' } : { kind: 'chosen', index };
}

/**
 * What is to be read and the answers below it are gone through as one text: downwards it scrolls to its
 * end first, upwards the first answer comes before it.
 */
function moved(dialog: ChoiceDialog, name: KeyName, view: ChoiceView): ChoiceDialog {
  const lastTop = Math.max(0, view.bodyRows - view.bodyRoom);
  const top = Math.min(dialog.bodyTop, lastTop);
  const scrolled = (to: number): ChoiceDialog => ({
    ...dialog,
    bodyTop: Math.max(0, Math.min(lastTop, to)),
  });
  const page = Math.max(1, view.bodyRoom - 1);
  if (name === 'down') return top < lastTop ? scrolled(top + 1) : selecting(dialog, 1);
  if (name === 'up') return dialog.selected > 0 ? selecting(dialog, -1) : scrolled(top - 1);
  if (name === 'right' || name === 'tab') return selecting(dialog, 1, true);
  if (name === 'left') return selecting(dialog, -1, true);
  if (lastTop === 0) return selecting(dialog, LEAPS[name] ?? 0);
  if (name === 'page-down') return scrolled(top + page);
  if (name === 'page-up') return scrolled(top - page);
  if (name === 'home') return scrolled(0);
  return name === 'end' ? scrolled(lastTop) : dialog;
}

const LEAPS: Partial<Record<KeyName, number>> = {
  'page-up': -5,
  'page-down': 5,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

function selecting(dialog: ChoiceDialog, step: number, around = false): ChoiceDialog {
  const count = dialog.options.length;
  const to = dialog.selected + step;
  const selected = around ? (to + count) % count : Math.max(0, Math.min(count - 1, to));
  return { ...dialog, selected };
}

function stay(dialog: ChoiceDialog): ChoiceStep {
  return { dialog, outcome: { kind: 'stay' } };
}
