import { setImmediate } from 'node:timers/promises';
import type { Progress, ProgressStep } from '../index.ts';
import { clipWidth } from '../terminal/text-width.ts';

const SHOWN_AFTER_MS = 500;
const REDRAWN_AFTER_MS = 100;
/** How long work may go on before the event loop turns, for Ctrl-C and keys to be noticed. */
const TURN_AFTER_MS = 25;
const BAR_COLUMNS = 24;
const ERASE_LINE = '\r\x1b[K';

export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** The line that says how far long work has come, on a terminal and only once it takes long. */
export class ProgressLine {
  /** Off for programs and for people who asked for quiet. */
  enabled = false;
  /** Asked at each step; what it throws ends the work. */
  check: (() => void) | null = null;
  readonly #stream: ProgressStream;
  #latest: Progress | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;
  #drawnAt = 0;
  /** Null before the first step: most commands have none and do not load the clock for it. */
  #turnedAt: number | null = null;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  /** For `onProgress`. */
  readonly tell = (progress: Progress): Promise<void> | undefined => {
    this.check?.();
    this.#latest = progress;
    this.#timer ??= this.#startTimer();
    const now = performance.now();
    this.#turnedAt ??= now;
    if (this.#isShown && now - this.#drawnAt > REDRAWN_AFTER_MS) this.#draw();
    return now - this.#turnedAt > TURN_AFTER_MS ? this.#turn() : undefined;
  };

  /** The work is over, or something else is to be printed. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#latest = null;
    if (this.#isShown) this.#stream.write(ERASE_LINE);
    this.#isShown = false;
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => this.#draw(), SHOWN_AFTER_MS).unref();
  }

  /** Twice, because the first turn can begin behind the point at which the loop looks for signals. */
  async #turn(): Promise<void> {
    await setImmediate();
    await setImmediate();
    this.#turnedAt = performance.now();
  }

  #draw(): void {
    if (!this.enabled || !this.#stream.isTTY || this.#latest === null) return;
    this.#isShown = true;
    this.#drawnAt = performance.now();
    // One column stays free: a full line would wrap at some terminals.
    this.#stream.write(
      ERASE_LINE + clipWidth(progressText(this.#latest), this.#stream.columns - 1),
    );
  }
}

const WORDS: Record<ProgressStep, string> = {
  scan: 'Looking at the project',
  copy: 'Making a first copy',
  record: 'Recording what changed',
  plan: 'Planning',
  keep: 'Keeping what is there',
  stage: 'Preparing files',
  swap: 'Restoring',
  write: 'Writing files',
  export: 'Exporting',
  check: 'Checking the export',
  contents: 'Checking contents',
  import: 'Importing',
  carry: 'Copying the timeline',
  compare: 'Comparing the copy',
};

export function progressText({ step, done, total }: Progress): string {
  if (total === null || total === 0) return `${WORDS[step]}…`;
  const filled = Math.floor((BAR_COLUMNS * done) / total);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_COLUMNS - filled);
  return `${WORDS[step]} [${bar}] ${done} of ${total}`;
}
