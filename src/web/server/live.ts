import type { CheckpointId, Savepoint } from '../../index.ts';
import type { LiveEvent, RunningWork } from '../api.ts';
import type { Projects } from './projects.ts';
import { runningJson } from './timeline-answer.ts';
import { errorAnswer } from './web-error.ts';

const LOOK_MS = 300;
const HEARTBEAT_MS = 15_000;
const MOST_NAMED = 200;

type Listener = (event: LiveEvent) => void;

/**
 * Looks at a project as long as somebody listens, and tells what is new. The newest number on record says whether
 * anything is: reading it costs a fraction of a millisecond, and it also grows when another process writes.
 */
class Watch {
  readonly listeners = new Set<Listener>();
  readonly #projects: Projects;
  readonly #id: string;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #first: Promise<void> | null = null;
  #seq = -1;
  #operation = '';
  #running = '[]';
  #executions = '';

  constructor(projects: Projects, id: string, onEnd: () => void) {
    this.#projects = projects;
    this.#id = id;
    this.#onEnd = onEnd;
  }

  /** What a new listener hears first; what happens from then on it hears as it happens. */
  async greet(since: number | undefined): Promise<LiveEvent[]> {
    // From the first look on, nothing is missed.
    this.#first ??= this.#look();
    await this.#first;
    return this.#projects.use(this.#id, async (savepoint) => {
      const seq = await savepoint.head();
      const running = await runningIn(savepoint);
      const checkpoints = since === undefined ? null : await newSince(savepoint, since);
      return [
        { type: 'changed', seq, checkpoints, operations: since === undefined || seq > since },
        { type: 'running', running },
      ];
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.listeners.clear();
  }

  async #look(): Promise<void> {
    try {
      const events = await this.#projects.use(this.#id, (savepoint) => this.#news(savepoint));
      for (const event of events) this.#tell(event);
    } catch (error) {
      this.#tell({ type: 'gone', error: errorAnswer(error).body.error });
      this.stop();
    }
    if (this.listeners.size > 0) this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
    else this.#onEnd();
  }

  #tell(event: LiveEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }

  async #news(savepoint: Savepoint): Promise<LiveEvent[]> {
    const [seq, before] = [await savepoint.head(), this.#seq];
    const events: LiveEvent[] = [];
    if (seq !== before) {
      this.#seq = seq;
      const [newest] = await savepoint.operations(1);
      const operation = `${newest?.id} ${newest?.inEffect}`;
      if (before !== -1) {
        const checkpoints = await newSince(savepoint, before);
        const operations = operation !== this.#operation;
        events.push({ type: 'changed', seq, checkpoints, operations });
      }
      this.#operation = operation;
    }
    // A command that is killed ends without a word on record.
    const running = await runningIn(savepoint);
    const text = JSON.stringify(running);
    if (text !== this.#running && before !== -1) events.push({ type: 'running', running });
    this.#running = text;
    const executions = await executionsIn(savepoint);
    if (executions !== this.#executions && before !== -1) events.push({ type: 'executions' });
    this.#executions = executions;
    return events;
  }
}

async function runningIn(savepoint: Savepoint): Promise<RunningWork[]> {
  return (await savepoint.running()).map(runningJson);
}

/** The newest execution says whether any was updated. */
async function executionsIn(savepoint: Savepoint): Promise<string> {
  const reader = await savepoint.executions();
  return reader.newest().then((one) => `${one?.id} ${one?.updatedAt} ${one?.token}`);
}

/** Those that were made, or under which something changed; null where there are too many to name. */
async function newSince(savepoint: Savepoint, since: number): Promise<CheckpointId[] | null> {
  const newest = await savepoint.list({ limit: MOST_NAMED + 1 });
  const made = newest.filter(({ seq }) => seq > since).map(({ id }) => id);
  const changes = await savepoint.changes({ after: since });
  const changed = changes.flatMap(({ checkpointId }) => checkpointId ?? []);
  const all = [...new Set([...made, ...changed])];
  return all.length > MOST_NAMED ? null : all;
}

/** The streams of all pages. Pages that look at one project share one watch. */
export class Live {
  readonly #projects: Projects;
  readonly #watches = new Map<string, Watch>();
  readonly #ends = new Set<() => void>();

  constructor(projects: Projects) {
    this.#projects = projects;
  }

  /** A stream of server-sent events. It ends with the page, with the server, and when the project is gone. */
  async stream(id: string, since: number | undefined, gone: AbortSignal): Promise<ReadableStream> {
    const watch = this.#watchOf(id);
    const early: LiveEvent[] = [];
    const wait: Listener = (event) => void early.push(event);
    // It listens first and is greeted then, so that nothing falls between.
    watch.listeners.add(wait);
    const greeting = await watch.greet(since).catch((error: unknown) => {
      watch.listeners.delete(wait);
      throw error;
    });
    const encoder = new TextEncoder();
    let end = (): void => {};
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string): void => {
          // A page that does not read must not fill our memory: it asks again when it wakes up.
          if ((controller.desiredSize ?? 0) < -MOST_WAITING) end();
          else controller.enqueue(encoder.encode(text));
        };
        const hear: Listener = (event) => {
          send(`data: ${JSON.stringify(event)}\n\n`);
          if (event.type === 'gone') end();
        };
        const beat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS);
        end = () => {
          clearInterval(beat);
          watch.listeners.delete(hear);
          watch.listeners.delete(wait);
          this.#ends.delete(end);
          gone.removeEventListener('abort', end);
          end = () => {};
          try {
            controller.close();
          } catch {
            // The page has gone.
          }
        };
        this.#ends.add(end);
        gone.addEventListener('abort', end);
        if (gone.aborted) return end();
        watch.listeners.add(hear);
        watch.listeners.delete(wait);
        for (const event of [...greeting, ...early]) hear(event);
      },
      cancel: () => end(),
    });
  }

  /** How many pages listen. */
  get listening(): number {
    return this.#ends.size;
  }

  stop(): void {
    for (const end of [...this.#ends]) end();
    for (const watch of this.#watches.values()) watch.stop();
    this.#watches.clear();
  }

  #watchOf(id: string): Watch {
    const known = this.#watches.get(id);
    if (known !== undefined) return known;
    const watch = new Watch(this.#projects, id, () => {
      if (this.#watches.get(id) === watch) this.#watches.delete(id);
    });
    this.#watches.set(id, watch);
    return watch;
  }
}

const MOST_WAITING = 1000;
