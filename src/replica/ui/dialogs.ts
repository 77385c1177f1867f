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
import { wrapRows } from '../../terminal/rows.ts';
import { editCounts, editRows } from '../tools/file-edit.ts';
import type { ListItem, PermissionAnswer, PermissionQuestion } from './interactive-ui.ts';

/** How long the beginning of a number waits for the rest of it. */
const PAUSE_MS = 800;

export interface Asked<Value> {
  /** What was chosen; null when the person left. */
  readonly answer: Promise<Value | null>;
  /** Draws it again, such as with what became known meanwhile. */
  refresh(): void;
  /** Takes it back: the answer is null. */
  close(): void;
}

/** What is to happen before a question is answered. */
export interface AskOptions<Value> {
  /** A letter of the chooser's `keys` was pressed. The question is closed. */
  readonly onKey?: (key: string, value: Value | null) => void;
  /** Another option is selected, or the first one is shown. */
  readonly onSelect?: (selected: number, chooser: Chooser<Value>) => void;
}

interface Waiting {
  chooser: Chooser<unknown>;
  readonly options: AskOptions<unknown>;
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

  ask<Value>(chooser: Chooser<Value>, options: AskOptions<Value> = {}): Asked<Value> {
    const { promise, resolve } = Promise.withResolvers<Value | null>();
    const settle = resolve as (value: unknown) => void;
    const one: Waiting = { chooser, options: options as AskOptions<unknown>, settle };
    this.#waiting.push(one);
    this.#refresh();
    one.options.onSelect?.(chooser.selected, one.chooser);
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

  press(key: Key, view: ChooserView): void {
    const [one] = this.#waiting;
    if (one === undefined) return;
    clearTimeout(this.#timer);
    const { chooser, outcome } = pressed(one.chooser, key, view);
    const isMoved =
      chooser.selected !== one.chooser.selected || chooser.matches !== one.chooser.matches;
    one.chooser = chooser;
    this.#refresh();
    if (isMoved) one.options.onSelect?.(chooser.selected, chooser);
    this.#follow(one, outcome);
  }

  /** The end: nobody is going to answer. */
  closeAll(): void {
    while (this.#waiting[0] !== undefined) this.#settle(this.#waiting[0], null);
  }

  #follow(one: Waiting, outcome: Outcome<unknown>): void {
    if (outcome.kind === 'chosen') this.#settle(one, outcome.value);
    if (outcome.kind === 'leave') this.#settle(one, null);
    if (outcome.kind === 'key') {
      one.options.onKey?.(outcome.key, outcome.value);
      this.#settle(one, null);
    }
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

export function named<Value>(
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
