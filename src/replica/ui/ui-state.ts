import type { Chooser } from '../../terminal/interactive/chooser.ts';
import type { Size } from '../../terminal/interactive/screen.ts';
import type { Todo } from '../commands/command.ts';
import type { RunningCall } from '../tools/tool-rows.ts';
import { NO_PROMPT, type PromptState } from './prompt.ts';
import type { StatusShown } from './status-line.ts';

/** Everything that decides what is drawn below what has scrolled by. */
export interface UIState {
  readonly size: Size;
  /** Whether thinking and tool results are shown whole. */
  readonly verbose: boolean;
  /** What of an answer has come so far and is not in the scroll yet. */
  readonly answer: string;
  /** Whether that goes on with the last of the scroll, without a blank row. */
  readonly answerJoins: boolean;
  readonly thinking: string;
  /** Tool calls without a result yet, oldest first. */
  readonly running: readonly RunningCall[];
  /** The agent's list of things to do; shown as long as it is at work and some are left. */
  readonly todos: readonly Todo[];
  /** What the agent is at; null while it waits. */
  readonly activity: string | null;
  /** Null until it is told. */
  readonly status: StatusShown | null;
  readonly waiting: readonly string[];
  /** Said in place of the status, for a while. */
  readonly hint: string | null;
  readonly prompt: PromptState;
  /** The images that go with the prompt, as a mark each. */
  readonly images: readonly string[];
  readonly showsKeys: boolean;
  readonly dialog: Chooser<unknown> | null;
}

/** Drawing more often would not be seen. */
const FRAME_MS = 33;

/** Holds the state, and has it drawn when there is another one. */
export class UIStore {
  readonly #draw: () => void;
  #state: UIState = {
    size: { columns: 80, rows: 24 },
    verbose: false,
    answer: '',
    answerJoins: false,
    thinking: '',
    running: [],
    todos: [],
    activity: null,
    status: null,
    waiting: [],
    hint: null,
    prompt: NO_PROMPT,
    images: [],
    showsKeys: false,
    dialog: null,
  };
  #isDrawing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  get(): UIState {
    return this.#state;
  }

  update(part: Partial<UIState>): void {
    this.#state = { ...this.#state, ...part };
    // Many keys that come at once are drawn once.
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => this.#drawNow());
  }

  /** As `update`, but drawn a moment later: for an answer that comes in many small pieces. */
  updateSoon(part: Partial<UIState>): void {
    this.#state = { ...this.#state, ...part };
    this.#timer ??= setTimeout(() => this.#drawNow(), FRAME_MS);
  }

  #drawNow(): void {
    this.#isDrawing = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#draw();
  }
}
