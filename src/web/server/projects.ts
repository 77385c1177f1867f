import { basename, join } from 'node:path';
import { timeOrNull } from '../../cli/json-shapes.ts';
import { exists, statOf } from '../../fs/entries.ts';
import { namesIn } from '../../fs/tree.ts';
import {
  isSavepointError,
  type OpenOptions,
  openSavepoint,
  type Savepoint,
  SavepointError,
  type Store,
  sqliteStore,
} from '../../index.ts';
import type { ProjectJson } from '../api.ts';
import { errorAnswer, WebError } from './web-error.ts';

export interface ProjectsOptions {
  /** Where all stores are. */
  readonly home: string;
  /** How a project is opened, besides its place: its settings. */
  readonly optionsFor: (root: string) => Partial<OpenOptions>;
  /** How the store of a project is opened that has this private folder; left out: it is in the folder. */
  readonly openStore?: (directory: string) => Promise<Store>;
  /** Whether the store of the project that has this private folder is on a server; left out: none is. */
  readonly isOnServer?: (directory: string) => boolean;
  readonly idleMs?: number;
}

/** An open project, and how many requests use it. */
interface Opened {
  readonly savepoint: Promise<Savepoint>;
  users: number;
  usedAt: number;
}

/** A name of a folder in `home/projects`, which is the hash of the project's path. */
const PROJECT_ID = /^[0-9a-f]{24}$/;
const IDLE_MS = 60_000;

/** Every project of a home. Those that are asked about stay open for a while. */
export class Projects {
  readonly home: string;
  readonly #options: ProjectsOptions;
  readonly #opened = new Map<string, Opened>();
  readonly #listed = new Map<string, { readonly stamp: string; readonly json: ProjectJson }>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ProjectsOptions) {
    this.home = options.home;
    this.#options = options;
    const idleMs = options.idleMs ?? IDLE_MS;
    this.#timer = setInterval(() => this.#closeIdle(idleMs), Math.max(50, idleMs / 4));
    this.#timer.unref();
  }

  /** How many are open. */
  get open(): number {
    return this.#opened.size;
  }

  /** Runs `work` with an open project, which is not closed meanwhile. */
  async use<T>(id: string, work: (savepoint: Savepoint) => Promise<T>): Promise<T> {
    const opened = this.#openedAs(id);
    opened.users += 1;
    try {
      return await work(await opened.savepoint);
    } catch (error) {
      // A repair has put another database there, or a disk failed: the next request opens it anew.
      if (isSavepointError(error) && GONE.includes(error.code)) this.#forget(id, opened);
      throw error;
    } finally {
      opened.users -= 1;
      opened.usedAt = Date.now();
    }
  }

  /** Most recently active first. */
  async list(): Promise<ProjectJson[]> {
    // Together: one on a server that is away must not keep the others waiting.
    const all = await Promise.all(this.#ids().map((id) => this.#describe(id)));
    const found = all.filter((json) => json !== null);
    return found.sort((a, b) => ((a.lastActiveAt ?? '') < (b.lastActiveAt ?? '') ? 1 : -1));
  }

  /** The project's folder, as its store has it. Throws `not-found`. */
  async #rootOf(id: string): Promise<string> {
    const store = await this.#openStore(this.#folder(id));
    try {
      const { project } = await store.state();
      if (project === null) throw unknownProject();
      return project.root;
    } finally {
      await store.close();
    }
  }

  /** The folder that has the whole store of a project. Throws `not-found`, and `store-on-server`. */
  storeFolder(id: string): string {
    const folder = this.#folder(id);
    if (this.#options.isOnServer?.(folder) !== true) return folder;
    throw new SavepointError('store-on-server', 'the timeline of this project is on a server', {
      hint: 'the server looks after its own files: pg_amcheck, data checksums',
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(all.map(closeOne));
  }

  #folder(id: string): string {
    const folder = join(this.home, 'projects', id);
    if (!PROJECT_ID.test(id) || !exists(folder)) throw unknownProject();
    return folder;
  }

  #ids(): string[] {
    const folder = join(this.home, 'projects');
    return exists(folder) ? namesIn(folder).filter((name) => PROJECT_ID.test(name)) : [];
  }

  #openedAs(id: string): Opened {
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const opened: Opened = { savepoint: this.#open(id), users: 0, usedAt: Date.now() };
    this.#opened.set(id, opened);
    opened.savepoint.catch(() => this.#opened.delete(id));
    return opened;
  }

  async #open(id: string): Promise<Savepoint> {
    const root = await this.#rootOf(id);
    return openSavepoint({
      ...this.#options.optionsFor(root),
      project: root,
      home: this.home,
      create: false,
      store: (directory) => this.#openStore(directory),
    });
  }

  #openStore(directory: string): Promise<Store> {
    return this.#options.openStore?.(directory) ?? sqliteStore({ directory, create: false });
  }

  async #describe(id: string): Promise<ProjectJson | null> {
    const folder = this.#folder(id);
    const stamp = stampOf(folder);
    const known = this.#listed.get(id);
    if (stamp !== '' && known?.stamp === stamp) return this.#asNow(known.json);
    try {
      const store = await this.#openStore(folder);
      try {
        const json = await describe(id, store);
        if (json !== null) this.#listed.set(id, { stamp, json });
        return json && (await this.#asNow(json));
      } finally {
        await store.close();
      }
    } catch (error) {
      // It was removed just now.
      if (isSavepointError(error, 'store-missing')) return null;
      return {
        ...NOTHING,
        id,
        name: known?.json.name ?? id,
        root: known?.json.root ?? '',
        health: 'damaged',
        problem: errorAnswer(error).body.error,
      };
    }
  }

  /** A folder comes and goes, and a command dies, without a word in the store. */
  async #asNow(json: ProjectJson): Promise<ProjectJson> {
    const health = healthOf(json);
    if (!json.running || health.health !== 'ok') return { ...json, ...health };
    const running = await this.use(json.id, (savepoint) => savepoint.running()).catch(() => []);
    return { ...json, ...health, running: running.length > 0 };
  }

  #closeIdle(idleMs: number): void {
    for (const [id, opened] of [...this.#opened]) {
      const { users, usedAt } = opened;
      if (users === 0 && Date.now() - usedAt >= idleMs) this.#forget(id, opened);
    }
  }

  #forget(id: string, opened: Opened): void {
    if (this.#opened.get(id) === opened) this.#opened.delete(id);
    void closeOne(opened);
  }
}

const GONE: readonly string[] = ['store-closed', 'store-missing', 'store-corrupt', 'store-failed'];

const NOTHING = {
  lastActiveAt: null,
  agents: [],
  sessions: 0,
  checkpoints: 0,
  running: false,
} as const;

async function closeOne({ savepoint }: Opened): Promise<void> {
  try {
    await (await savepoint).close();
  } catch {
    // It could not be opened, or is closed.
  }
}

async function describe(id: string, store: Store): Promise<ProjectJson | null> {
  const { project } = await store.state();
  if (project === null) return null;
  const sessions = await store.timeline.sessions();
  const { checkpoints } = await store.maintain('stats');
  const [newest] = await store.timeline.checkpoints({ limit: 1 });
  const times = [sessions[0]?.lastActiveAt, newest?.createdAt].filter((time) => time !== undefined);
  return {
    id,
    root: project.root,
    name: basename(project.root),
    lastActiveAt: timeOrNull(times.length === 0 ? null : Math.max(...times)),
    agents: [...new Set(sessions.map(({ agent }) => agent))],
    sessions: sessions.length,
    checkpoints,
    running: (await store.timeline.windows()).some(
      ({ kind, closed }) => kind === 'command' && closed === null,
    ),
    health: 'ok',
    problem: null,
  };
}

function healthOf({ root }: ProjectJson): Pick<ProjectJson, 'health' | 'problem'> {
  if (exists(root)) return { health: 'ok', problem: null };
  const problem = {
    code: 'project-missing',
    message: 'the folder of the project is gone',
    path: root,
    hint: 'if it was moved, go there and run: savepoint adopt',
  };
  return { health: 'missing', problem };
}

/** Tells when a store was last written to: its database, and the log beside it. Empty for one on a server. */
function stampOf(folder: string): string {
  return namesIn(folder)
    .filter((name) => /\.db(-wal)?$/.test(name))
    .map((name) => {
      const { mtimeNs, size } = statOf(join(folder, name));
      return `${name} ${mtimeNs} ${size}`;
    })
    .join('\n');
}

function unknownProject(): WebError {
  return new WebError(404, 'not-found', 'there is no such project in this home');
}
