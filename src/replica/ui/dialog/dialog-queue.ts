import type { Key } from '../../../terminal/keys.ts';
import {
  afterPause,
  type ChoiceDialog,
  type ChoiceOutcome,
  type ChoiceView,
  pressedChoice,
} from './choice-dialog.ts';

/** How long the beginning of a number waits for the rest of it. */
const PAUSE_MS = 800;

/** A question that waits for its answer. */
export interface Asked {
  /** Which option was chosen; null when the person left. */
  readonly answer: Promise<number | null>;
  /** Shows it otherwise, such as with what became known meanwhile. */
  change(work: (dialog: ChoiceDialog) => ChoiceDialog): void;
  /** Takes it back: the answer is null. */
  close(): void;
}

interface Waiting {
  dialog: ChoiceDialog;
  readonly settle: (index: number | null) => void;
}

/** One question at a time: whoever asks meanwhile, such as two tools at once, waits for their turn. */
export class DialogQueue {
  readonly #show: (dialog: ChoiceDialog | null) => void;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (dialog: ChoiceDialog | null) => void) {
    this.#show = show;
  }

  ask(dialog: ChoiceDialog): Asked {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const one: Waiting = { dialog, settle: resolve };
    this.#waiting.push(one);
    this.#refresh();
    return {
      answer: promise,
      change: (work) => {
        one.dialog = work(one.dialog);
        this.#refresh();
      },
      close: () => this.#settle(one, null),
    };
  }

  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /** A key for the question that is shown. */
  press(key: Key, view: ChoiceView): void {
    const [one] = this.#waiting;
    if (one === undefined) return;
    clearTimeout(this.#timer);
    const { dialog, outcome } = pressedChoice(one.dialog, key, view);
    one.dialog = dialog;
    this.#refresh();
    this.#follow(one, outcome);
  }

  /** The end: nobody is going to answer. */
  closeAll(): void {
    while (this.#waiting[0] !== undefined) this.#settle(this.#waiting[0], null);
  }

  #follow(one: Waiting, outcome: ChoiceOutcome): void {
    if (outcome.kind === 'chosen') this.#settle(one, outcome.index);
    if (outcome.kind === 'leave') this.#settle(one, null);
    if (outcome.kind !== 'pause') return;
    this.#timer = setTimeout(() => this.#follow(one, afterPause(one.dialog)), PAUSE_MS);
  }

  #settle(one: Waiting, index: number | null): void {
    const at = this.#waiting.indexOf(one);
    if (at === -1) return;
    if (at === 0) clearTimeout(this.#timer);
    this.#waiting.splice(at, 1);
    this.#refresh();
    one.settle(index);
  }

  #refresh(): void {
    this.#show(this.#waiting[0]?.dialog ?? null);
  }
}
