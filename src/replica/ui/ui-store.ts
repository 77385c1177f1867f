import type { ChoiceDialog } from './dialog/choice-dialog.ts';
import { NO_PROMPT, type PromptState } from './prompt/prompt-state.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The rows that have scrolled by. Another `id` is another transcript: what was drawn of it is gone. */
export interface Scrolled {
  readonly id: number;
  readonly blocks: readonly (readonly string[])[];
}

/** Everything that decides what is on the screen. */
export interface UIState {
  readonly size: Size;
  readonly scrolled: Scrolled;
  readonly verbose: boolean;
  /** What of an answer has come so far. */
  readonly answer: string;
  readonly thinking: string;
  /** What the agent is at; null while it waits. */
  readonly activity: string | null;
  readonly status: string;
  /** Said in place of the status, for a while. */
  readonly hint: string | null;
  readonly prompt: PromptState;
  readonly dialog: ChoiceDialog | null;
}

/** Nobody reads faster than this. */
const FRAME_MS = 33;

/** Holds the state and says when there is another one. */
export class UIStore {
  readonly #listeners = new Set<() => void>();
  #state: UIState;
  #isTelling = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(size: Size = { columns: 80, rows: 24 }) {
    this.#state = {
      size,
      scrolled: { id: 0, blocks: [] },
      verbose: false,
      answer: '',
      thinking: '',
      activity: null,
      status: '',
      hint: null,
      prompt: NO_PROMPT,
      dialog: null,
    };
  }

  /** Bound, as React takes it. */
  readonly get = (): UIState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  update(part: Partial<UIState>): void {
    this.#state = { ...this.#state, ...part };
    // What many keys at once have changed is drawn once.
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => this.#tell());
  }

  /** As `update`, drawn a moment later together with what comes until then: an answer in small pieces. */
  updateSoon(part: Partial<UIState>): void {
    this.#state = { ...this.#state, ...part };
    this.#timer ??= setTimeout(() => this.#tell(), FRAME_MS);
  }

  #tell(): void {
    this.#isTelling = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const listener of this.#listeners) listener();
  }
}
