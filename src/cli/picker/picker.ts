import { setImmediate } from 'node:timers/promises';
import {
  type CheckpointId,
  displayText,
  isSavepointError,
  type ListedCheckpoint,
  type RewindPlan,
  type RewindRequest,
  type Savepoint,
} from '../../index.ts';
import {
  type Chooser,
  type ChooserOption,
  chooserOf,
  pressed,
  searchable,
  selectedValue,
  withOptions,
} from '../../terminal/interactive/chooser.ts';
import {
  type ChooserRoom,
  chooserRows,
  chooserView,
} from '../../terminal/interactive/chooser-rows.ts';
import type { Key } from '../../terminal/interactive/keys.ts';
import { FULL_SCREEN, FullScreen, HeldTerminal } from '../../terminal/interactive/screen.ts';
import { EMPTY_FIELD } from '../../terminal/interactive/text-field.ts';
import type { Paint } from '../../terminal/paint.ts';
import { checkpointName, relativeTime } from '../../terminal/phrases.ts';
import { pathsText, planCounts, previewOf, previewText } from '../../terminal/plan-text.ts';
import { clipWidth, textWidth, wrapWords } from '../../terminal/text-width.ts';
import { isIdle } from '../carry-out.ts';
import type { Call } from '../command.ts';
import { type Preview, Previews } from './previews.ts';

interface PickRequest {
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
  readonly #terminal: HeldTerminal;
  readonly #screen = new FullScreen(process.stdout);
  readonly #previews: Previews;
  readonly #answer = Promise.withResolvers<Picked | null>();
  #chooser: Chooser<ListedCheckpoint>;
  /** When the key came that chose the selected checkpoint, which waits for a yes; null while none is. */
  #askedAt: number | null = null;
  #isClosed = false;
  #knowsPaths = false;
  #body: { readonly of: Preview | null; readonly key: string; readonly rows: string[] } | null =
    null;

  constructor(call: Call, request: PickRequest) {
    this.#call = call;
    this.#request = request;
    const { stdin, stdout } = process;
    this.#terminal = new HeldTerminal(
      { stdin, stdout, modes: FULL_SCREEN },
      {
        onKey: this.#safely((key, arrivedAt) => this.#press(key, arrivedAt)),
        onEnd: () => this.#answer.resolve(null),
        onRedraw: this.#safely(() => {
          this.#screen.forget();
          this.#draw();
        }),
      },
    );
    this.#previews = new Previews(
      (checkpoint, breathe) => this.#preview(checkpoint, breathe),
      this.#safely(() => this.#draw()),
      this.#answer.reject,
    );
    this.#chooser = chooserOf({
      title: 'Rewind to',
      filter: EMPTY_FIELD,
      options: optionsOf(request, call.paint),
      body: (columns) => this.#bodyRows(columns),
      bodyIs: 'beside',
    });
  }

  run(): Promise<Picked | null> {
    const { progress } = this.#call.io;
    progress.end();
    progress.enabled = false;
    progress.check = this.#previews.check;
    this.#terminal.take();
    this.#draw();
    return this.#answer.promise;
  }

  /** Idempotent. Gives everything back to the process. */
  close(): void {
    this.#isClosed = true;
    this.#terminal.release();
    this.#previews.want(null);
    this.#call.io.progress.check = null;
  }

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

  #press(key: Key, arrivedAt: number): void {
    if (key.name === 'interrupt') this.#call.io.interrupts.end('SIGINT');
    else if (key.name === 'suspend') this.#terminal.suspend();
    else if (key.name === 'redraw') this.#screen.forget();
    else if (this.#askedAt === null) this.#choose(key, arrivedAt);
    // What was typed ahead was typed without seeing what it would be an answer to.
    else if (arrivedAt > this.#askedAt) this.#answered(key);
    this.#draw();
  }

  #choose(key: Key, arrivedAt: number): void {
    const step = pressed(this.#chooser, key, chooserView(this.#chooser, this.#room()));
    this.#chooser = step.chooser;
    const { outcome } = step;
    if (outcome.kind === 'leave') this.#answer.resolve(null);
    if (outcome.kind === 'chosen') {
      if (this.#request.asks) this.#askedAt = arrivedAt;
      else this.#answer.resolve({ checkpoint: outcome.value, plan: null });
    }
    if ((this.#chooser.filter?.cells.length ?? 0) > 0) void this.#learnPaths();
  }

  /** Only a plain yes is one. No, Enter and Escape lead back to the list; other keys mean nothing. */
  #answered(key: Key): void {
    const text = key.name === 'text' ? key.text.toLowerCase() : '';
    if (text === 'y') this.#agree();
    else if (text === 'n' || key.name === 'enter' || key.name === 'escape') this.#askedAt = null;
  }

  /** Counts only for a plan that is on the screen. */
  #agree(): void {
    const checkpoint = selectedValue(this.#chooser);
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
      this.#chooser = withOptions(this.#chooser, optionsOf(this.#request, this.#call.paint, paths));
      this.#draw();
    } catch (error) {
      this.#answer.reject(error);
    }
  }

  #draw(): void {
    if (this.#isClosed) return;
    this.#previews.want(selectedValue(this.#chooser));
    const bottom = this.#question();
    const { paint } = this.#call;
    const room = { ...this.#room(), bottom: bottom && paint('bold', bottom) };
    this.#screen.draw(chooserRows(this.#chooser, room, paint));
  }

  #room(): ChooserRoom {
    return { ...this.#terminal.size, now: this.#call.io.now() };
  }

  #question(): string | null {
    const checkpoint = selectedValue(this.#chooser);
    if (this.#askedAt === null || checkpoint === null) return null;
    const { take } = this.#request.request;
    const { columns } = this.#terminal.size;
    return questionText(checkpoint, this.#previews.get(checkpoint.id), { take, columns });
  }

  /** Plans the rewind for real, so that what is shown is what would happen. Writes nothing. */
  async #preview({ id }: ListedCheckpoint, breathe: () => Promise<void>): Promise<Preview> {
    const { savepoint, request } = this.#request;
    try {
      const plan = await savepoint.planRewind({ ...request, to: id });
      const diffOf = savepoint.planDiff.bind(savepoint);
      return await previewOf(plan, { diffOf, paint: this.#call.paint, breathe });
    } catch (error) {
      // A session that is busy now may be chosen all the same: the answer comes with the real plan.
      if (!isSavepointError(error) || error.code === 'aborted') throw error;
      const { message, path } = error;
      return { problem: path === undefined ? message : `${message} (${path})` };
    }
  }

  /** Made once for each preview and width, not for each key. */
  #bodyRows(columns: number): readonly string[] {
    const checkpoint = selectedValue(this.#chooser);
    if (checkpoint === null) return [];
    const preview = this.#previews.get(checkpoint.id);
    const key = `${checkpoint.id} ${columns}`;
    if (this.#body === null || this.#body.key !== key || this.#body.of !== preview) {
      this.#body = { of: preview, key, rows: this.#makeBody(checkpoint, preview, columns) };
    }
    return this.#body.rows;
  }

  #makeBody(checkpoint: ListedCheckpoint, preview: Preview | null, columns: number): string[] {
    const { io, paint } = this.#call;
    const { id, agent, createdAt } = checkpoint;
    const about = [relativeTime(createdAt, io.now()), agent ?? 'by hand', id.slice(0, 8)];
    const head = [
      ...wrapWords(checkpointName(checkpoint), columns).map((line) => paint('bold', line)),
      paint('dim', displayText(about.join(', '))),
      '',
    ];
    if (preview === null) return [...head, paint('dim', '…')];
    const rows =
      'plan' in preview
        ? previewText(preview, paint, columns)
        : wrapWords(displayText(preview.problem), columns);
    return [...head, ...rows];
  }
}

type KnownPaths = ReadonlyMap<CheckpointId, readonly string[]>;

function optionsOf(
  { checkpoints, idLength, current }: PickRequest,
  paint: Paint,
  paths: KnownPaths = new Map(),
): ChooserOption<ListedCheckpoint>[] {
  return checkpoints.map((checkpoint) => {
    const { id, description, label, sessionId, agent, kind, createdAt } = checkpoint;
    const texts = [description, label, id, agent, sessionId, kind, ...(paths.get(id) ?? [])];
    return {
      value: checkpoint,
      label: `${id === current ? '@' : ' '} ${id.slice(0, idLength)}`,
      search: searchable(texts.filter((text) => text !== null).join('\n')),
      rows: ({ columns, now }) => {
        const when = shortTime(createdAt, now).padEnd(4);
        const row = `${when} ${clipWidth(checkpointName(checkpoint), Math.max(1, columns - 5))}`;
        return [checkpoint.takenBack === 'yes' ? paint('dim', row) : row];
      },
    };
  });
}

const AT_ONCE = 200;

/** The paths that changed under each checkpoint. Keys are heard meanwhile; null once it is stopped. */
async function pathsOf(
  savepoint: Savepoint,
  checkpoints: readonly ListedCheckpoint[],
  isStopped: () => boolean,
): Promise<KnownPaths | null> {
  const paths = new Map<CheckpointId, string[]>();
  for (let from = 0; from < checkpoints.length; from += AT_ONCE) {
    await setImmediate();
    if (isStopped()) return null;
    const checkpointIds = checkpoints.slice(from, from + AT_ONCE).map(({ id }) => id);
    const changes = await savepoint.changes({ checkpointIds });
    for (const [id, made] of Map.groupBy(changes, ({ checkpointId }) => checkpointId)) {
      if (id !== null)
        paths.set(
          id,
          made.map(({ path }) => path),
        );
    }
  }
  return paths;
}

/** "40s", "5m", "3h": as much as fits in a narrow column. */
function shortTime(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  // As long as the list says "just now".
  if (seconds < 10) return 'now';
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  return `${Math.min(999, Math.floor(minutes / (24 * 60)))}d`;
}

/** The plan that a yes would be about; null where there is nothing that could be agreed to. */
export function planToAgree(preview: Preview | null): RewindPlan | null {
  return preview === null || !('plan' in preview) || isIdle(preview.plan) ? null : preview.plan;
}

const BACK = '  Esc back';
const YES_OR_NO = ' y/N';
const LEAST_NAME = 8;

/** The last row once a checkpoint is chosen; the answers fit on it in any case. */
export function questionText(
  checkpoint: ListedCheckpoint,
  preview: Preview | null,
  { take, columns }: { readonly take: RewindRequest['take']; readonly columns: number },
): string {
  if (preview === null) return `Planning…${BACK}`;
  const plan = planToAgree(preview);
  if (plan === null) {
    const reason = 'problem' in preview ? preview.problem : 'Nothing to take back there.';
    return clipWidth(displayText(reason), Math.max(0, columns - BACK.length)) + BACK;
  }
  const [begin, end] = around(checkpoint, plan, take);
  const room = columns - textWidth(begin) - textWidth(end);
  return room < LEAST_NAME
    ? `Rewind?${YES_OR_NO}`
    : begin + clipWidth(checkpointName({ ...checkpoint, takenBack: 'no' }), room) + end;
}

function around(
  { kind }: ListedCheckpoint,
  plan: RewindPlan,
  take: RewindRequest['take'],
): [begin: string, end: string] {
  const counts = planCounts(plan);
  const paths = pathsText(counts);
  const left = counts.conflicts === 0 ? '' : ` (${counts.conflicts} left in conflict)`;
  const end = `"${left}?${YES_OR_NO}`;
  if (take === 'message') return [`Take back ${paths} of only "`, end];
  if (take === 'exact') return [`Restore ${paths} as they were at "`, end];
  return [`Rewind ${paths} to ${kind === 'message' ? 'before ' : ''}"`, end];
}
