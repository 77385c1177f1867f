import type {
  CheckpointId,
  ListedCheckpoint,
  RewindPlan,
  RewindRequest,
  Savepoint,
} from '../../index.ts';
import { type Key, KeyDecoder } from '../../terminal/keys.ts';
import type { Call } from '../command.ts';
import { entriesOf } from './entries.ts';
import { pathsOf } from './known-paths.ts';
import { layoutOf } from './layout.ts';
import { type Preview, previewLines, previewOf } from './preview.ts';
import { Previews } from './previews.ts';
import { planToAgree, questionText } from './question.ts';
import { Screen } from './screen.ts';
import {
  asking,
  initialState,
  type PickerState,
  pressed,
  resized,
  selectedEntry,
  withEntries,
} from './state.ts';
import { Suspension } from './suspend.ts';
import { viewOf } from './view.ts';

export interface PickRequest {
  readonly savepoint: Savepoint;
  readonly checkpoints: readonly ListedCheckpoint[];
  /** What is asked for beside the checkpoint. */
  readonly request: Omit<RewindRequest, 'to'>;
  /** Whether the person is asked before the picker is left. */
  readonly asks: boolean;
  /** How many first characters of each id are shown. */
  readonly idLength: number;
  /** The checkpoint at which the files stand. */
  readonly current: CheckpointId | null;
}

export interface Picked {
  readonly checkpoint: ListedCheckpoint;
  /** What the person saw and agreed to; null where they were not asked. */
  readonly plan: RewindPlan | null;
}

/** Lets a person at a terminal choose a checkpoint. Null when they leave without one. */
export async function pickCheckpoint(call: Call, request: PickRequest): Promise<Picked | null> {
  const picker = new Picker(call, request);
  const forget = call.io.interrupts.onInterrupt(() => picker.close());
  try {
    return await picker.run();
  } finally {
    picker.close();
    forget();
  }
}

class Picker {
  readonly #call: Call;
  readonly #request: PickRequest;
  readonly #screen = new Screen(process.stdin, process.stdout);
  readonly #suspension: Suspension;
  readonly #keys = new KeyDecoder();
  readonly #previews: Previews;
  readonly #answer = Promise.withResolvers<Picked | null>();
  #state: PickerState;
  #keyTimer: NodeJS.Timeout | undefined;
  #knowsPaths = false;
  #isClosed = false;
  #lines: { readonly of: Preview | null; readonly key: string; readonly lines: string[] } | null =
    null;

  constructor(call: Call, request: PickRequest) {
    this.#call = call;
    this.#request = request;
    this.#state = initialState(entriesOf(request.checkpoints), this.#screen.size);
    this.#suspension = new Suspension(
      this.#screen,
      this.#safely(() => this.#redraw()),
    );
    const { savepoint, request: rewind } = request;
    this.#previews = new Previews(
      (checkpoint, breathe) =>
        previewOf(checkpoint, { savepoint, request: rewind, paint: call.paint, breathe }),
      this.#safely(() => this.#draw()),
      this.#answer.reject,
    );
  }

  run(): Promise<Picked | null> {
    const { progress } = this.#call.io;
    progress.end();
    progress.enabled = false;
    progress.check = this.#previews.check;
    this.#screen.enter();
    this.#suspension.listen();
    process.stdin.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onEnd).resume();
    process.stdout.on('resize', this.#onResize);
    this.#redraw();
    return this.#answer.promise;
  }

  /** Idempotent. Gives everything back to the process. */
  close(): void {
    this.#isClosed = true;
    this.#screen.leave();
    this.#suspension.stop();
    this.#previews.stop();
    clearTimeout(this.#keyTimer);
    process.stdin
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onEnd)
      .pause();
    process.stdout.off('resize', this.#onResize);
    this.#call.io.progress.check = null;
  }

  readonly #onData = this.#safely((bytes: Buffer) => {
    this.#press(this.#keys.push(bytes));
    clearTimeout(this.#keyTimer);
    const patience = this.#keys.patienceMs;
    if (patience === null) return;
    const flush = this.#safely(() => this.#press(this.#keys.flush()));
    this.#keyTimer = setTimeout(flush, patience);
  });

  readonly #onEnd = (): void => this.#answer.resolve(null);

  readonly #onResize = this.#safely(() => this.#redraw());

  /** What is thrown at an event reaches nobody; this way it reaches who waits for the answer. */
  #safely<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (error) {
        this.#answer.reject(error);
      }
    };
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      const { state, outcome } = pressed(this.#state, key, this.#diff().length);
      this.#state = state;
      if (outcome === 'leave') this.#answer.resolve(null);
      if (outcome === 'agree') this.#agree();
      if (outcome === 'choose') this.#choose();
      // What was typed ahead was typed without seeing what it would be an answer to.
      if (outcome === 'leave' || outcome === 'agree' || outcome === 'choose') return;
      if (outcome === 'interrupt') this.#call.io.interrupts.end('SIGINT');
      if (outcome === 'suspend') this.#suspension.suspendJob();
      if (outcome === 'redraw') this.#screen.forget();
    }
    this.#draw();
    if (this.#state.filter !== '') void this.#learnPaths();
  }

  #choose(): void {
    const checkpoint = this.#selected();
    if (checkpoint === null) return;
    if (this.#request.asks) {
      this.#state = asking(this.#state);
      this.#draw();
    } else this.#answer.resolve({ checkpoint, plan: null });
  }

  /** Counts only for a plan that is on the screen. */
  #agree(): void {
    const checkpoint = this.#selected();
    const plan = checkpoint && planToAgree(this.#previews.get(checkpoint.id));
    if (checkpoint !== null && plan !== null) this.#answer.resolve({ checkpoint, plan });
  }

  /** Asked for once somebody types: most people only look at the newest few. */
  async #learnPaths(): Promise<void> {
    if (this.#knowsPaths) return;
    this.#knowsPaths = true;
    const { savepoint, checkpoints } = this.#request;
    try {
      const paths = await pathsOf(savepoint, checkpoints, () => this.#isClosed);
      if (paths === null) return;
      this.#state = withEntries(this.#state, entriesOf(checkpoints, paths));
      this.#draw();
    } catch (error) {
      this.#answer.reject(error);
    }
  }

  #redraw(): void {
    this.#state = resized(this.#state, this.#screen.size);
    this.#screen.forget();
    this.#draw();
  }

  #draw(): void {
    this.#previews.want(this.#selected());
    const { io, paint } = this.#call;
    const { idLength, current } = this.#request;
    const question = this.#question();
    const context = { now: io.now(), paint, diff: this.#diff(), idLength, current, question };
    this.#screen.draw(viewOf(this.#state, context));
  }

  #question(): string | null {
    const checkpoint = this.#selected();
    if (!this.#state.asking || checkpoint === null) return null;
    const { take } = this.#request.request;
    const { columns } = this.#state.size;
    return questionText(checkpoint, this.#previews.get(checkpoint.id), { take, columns });
  }

  #selected(): ListedCheckpoint | null {
    return selectedEntry(this.#state)?.checkpoint ?? null;
  }

  /** Made once for each preview and width, not for each key. */
  #diff(): readonly string[] {
    const checkpoint = this.#selected();
    const columns = layoutOf(this.#state.size).diff?.columns;
    if (checkpoint === null || columns === undefined) return [];
    const preview = this.#previews.get(checkpoint.id);
    const key = `${checkpoint.id} ${columns}`;
    if (this.#lines === null || this.#lines.key !== key || this.#lines.of !== preview) {
      const { io, paint } = this.#call;
      const lines = previewLines(checkpoint, preview, { columns, now: io.now(), paint });
      this.#lines = { of: preview, key, lines };
    }
    return this.#lines.lines;
  }
}
