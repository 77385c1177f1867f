import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { storeDirectory } from '../../src/engine/project.ts';
import { carryStore, openSavepoint, type Savepoint, sqliteStore } from '../../src/index.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';
import { MemoryPlace, memoryStore } from '../../src/store/sqlite/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import type { Command } from './commands.ts';
import { Disk } from './disk.ts';
import type { Entry } from './model/entry.ts';
import type { Event } from './model/event.ts';
import { ANYBODY, type Finder } from './model/history.ts';
import { type OpenWindow, Scans } from './model/scans.ts';
import { Timeline } from './model/timeline.ts';
import { makeScratch } from './scratch.ts';
import { lineBy, SLOTS } from './written-lines.ts';

export type StoreKind = 'sqlite' | 'memory' | 'postgres' | 'carried';

const PROGRAMS = 2;

const STORES: Readonly<Record<StoreKind, (scratch: string) => (() => Promise<Store>) | null>> = {
  sqlite: () => null,
  memory: () => {
    const place = new MemoryPlace();
    return async () => memoryStore(place);
  },
  postgres: (scratch) => {
    const project = randomUUID();
    const directory = join(scratch, 'server');
    return async () => postgresStore({ url: await sharedPostgres(), project, directory });
  },
  // Whenever all programs are opened anew, the timeline goes from a folder to a server, or back.
  carried: (scratch) => {
    let opened = 0;
    let places = 0;
    let open = (): Promise<Store> => sqliteStore({ directory: join(scratch, 'folder-0') });
    return async () => {
      if (opened > 0 && opened % PROGRAMS === 0) {
        places += 1;
        const next = await placeFor(places, scratch);
        await (
          await openSavepoint({ project: join(scratch, 'project'), store: await open() })
        ).close();
        await carryAll(open, next);
        open = next;
      }
      opened += 1;
      return open();
    };
  },
};

async function placeFor(number: number, scratch: string): Promise<() => Promise<Store>> {
  const directory = join(scratch, `folder-${number}`);
  if (number % 2 === 0) return () => sqliteStore({ directory });
  const options = { url: await sharedPostgres(), project: randomUUID(), directory };
  return () => postgresStore(options);
}

/** Copies and compares, once every restore is finished. The old store stays, and nobody opens it any more. */
async function carryAll(from: () => Promise<Store>, to: () => Promise<Store>): Promise<void> {
  const [old, fresh] = [await from(), await to()];
  try {
    await carryStore(old, fresh);
  } finally {
    await old.close();
    await fresh.close();
  }
}

/** One project, opened by two programs that take turns, and the model beside it. */
export class World {
  readonly timeline: Timeline = new Timeline();
  readonly disk: Disk;
  /** What was done, in words, for a person who reads a failure. */
  readonly trace: string[] = [];
  /** The message that each session is at. */
  readonly messages: Map<string, number> = new Map();
  /** Paths where the edits that count no longer tell what is there. */
  readonly muddled: Set<string> = new Set();
  /** Lines with a smaller number came to a path with its file, by a rename, not by their writer. */
  readonly births: Map<string, number> = new Map();
  /** What a rule hides: no rewind may touch it. */
  readonly ignored: Map<string, Entry> = new Map();
  /** Null as long as the worktree is not scanned. */
  scans: Scans | null = null;
  /** Commands whose end nobody has told yet. */
  readonly started: OpenWindow[] = [];
  /** The home directory of the person whose project it is. */
  readonly user: string;
  readonly #names = new Map<string, string>();
  readonly #scratch: string;
  /** How a program opens its store; null where the engine keeps it below its home. */
  readonly #openStore: (() => Promise<Store>) | null;
  readonly #programs: Savepoint[] = [];
  /** Those that do nothing any more, and never said that they were done. */
  readonly #killed: Savepoint[] = [];
  #turn = 0;

  constructor(kind: StoreKind) {
    this.#scratch = makeScratch();
    this.#openStore = STORES[kind](this.#scratch);
    this.disk = new Disk(join(this.#scratch, 'project'));
    this.user = join(this.#scratch, 'user');
    for (const folder of [this.disk.root, this.user]) mkdirSync(folder);
  }

  /** The engine of the program whose turn it is. */
  get savepoint(): Savepoint {
    const found = this.#programs[this.#turn % PROGRAMS];
    if (found === undefined) throw new Error('the project is not open');
    return found;
  }

  /** The session whose command was started last and runs, as far as the engine knows. */
  get running(): string | null {
    return this.scans?.windows.at(-1)?.session ?? null;
  }

  /** The engine has scanned, if it does: so does the model. */
  scanned(movedOn: string | null = null): Event[] {
    return this.scans?.scan(this.#turn % PROGRAMS, movedOn) ?? [];
  }

  /** What the program whose turn it is can say about what its tools meet. */
  get finder(): Finder {
    return this.scans?.finder(this.#turn % PROGRAMS) ?? ANYBODY;
  }

  /** One program after the other scans. */
  async scanByAll(): Promise<void> {
    for (let program = 0; program < PROGRAMS; program += 1) {
      this.takeTurn();
      await this.savepoint.scan();
      this.scanned();
    }
  }

  /** From here on the worktree is scanned at every message, command and end of a turn. */
  async beginScans(): Promise<Scans> {
    if (this.scans !== null) return this.scans;
    this.note('from here on the worktree is scanned');
    const scans = new Scans(this.history, this.#openStore === null);
    this.scans = scans;
    await this.reopen();
    return scans;
  }

  /** The file that the scans' index is kept in; null where it is kept in memory. */
  get indexFile(): string | null {
    if (this.#openStore !== null) return null;
    return join(storeDirectory(this.#stores, this.disk.root), 'scan.index');
  }

  takeTurn(): void {
    this.#turn += 1;
  }

  get history(): Timeline['history'] {
    return this.timeline.history;
  }

  fresh(): number {
    return this.history.tick();
  }

  say(command: Command, what: string): void {
    this.note(`${command.who} ${what}`);
  }

  note(what: string): void {
    this.trace.push(what);
  }

  /** A short name for an id, the same each time. */
  name(id: string): string {
    const known = this.#names.get(id) ?? `#${this.#names.size + 1}`;
    this.#names.set(id, known);
    return known;
  }

  /** Begins with a few files that nobody has looked at yet. */
  async open(): Promise<void> {
    this.#begin('d', { kind: 'folder', mode: 0o755 });
    this.#begin('new\nline ☃', { kind: 'link', target: 'a' });
    this.#begin('raw \udcff\udc80', { kind: 'binary', seed: this.fresh(), mode: 0o644 });
    for (const path of ['a', 'b', 'd/a']) this.#begin(path, this.text(path));
    await this.reopen();
  }

  async reopen(): Promise<void> {
    await closeAll(this.#programs);
    this.scans?.endPrograms();
    await this.#openPrograms();
  }

  /** As `reopen`, but what the programs would have written at their end is lost. */
  async restart(): Promise<void> {
    this.#killed.push(...this.#programs.splice(0));
    this.scans?.endPrograms();
    await this.#openPrograms();
  }

  async close(): Promise<void> {
    await closeAll(this.#programs);
    await closeAll(this.#killed);
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  get #stores(): string {
    return join(this.#scratch, 'home');
  }

  async #openProgram(): Promise<Savepoint> {
    const environment = { PATH: process.env.PATH, HOME: this.user };
    const options = {
      project: this.disk.root,
      scan: this.scans !== null,
      environment,
      // The model takes ignored files for files that nobody looks at.
      keepIgnored: false,
    };
    if (this.#openStore === null) return openSavepoint({ ...options, home: this.#stores });
    return openSavepoint({ ...options, store: await this.#openStore() });
  }

  async #openPrograms(): Promise<void> {
    while (this.#programs.length < PROGRAMS) this.#programs.push(await this.#openProgram());
  }

  #begin(path: string, entry: Entry): void {
    this.disk.put(path, entry);
    this.history.place(path, entry);
  }

  text(path: string): Entry {
    const slots = Array.from({ length: SLOTS }, () => lineBy(this, 'nobody', path, 0));
    return { kind: 'text', text: this.fresh(), slots, mode: 0o644 };
  }
}

async function closeAll(programs: Savepoint[]): Promise<void> {
  for (const savepoint of programs.splice(0)) await savepoint.close();
}
