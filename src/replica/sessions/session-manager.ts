import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { removeTree } from '../../fs/entries.ts';
import { readFile } from '../../fs/read-file.ts';
import { namesIn } from '../../fs/tree.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { isSavepointError, SavepointError } from '../../index.ts';
import {
  accepts,
  type Kind,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  problemWith,
  TEXT,
  where,
} from '../../model/check.ts';

/** One conversation of the interactive agent, kept under `~/.claude-replica/sessions/{id}/`. */
export interface Session {
  /** The folder's name. The SDK's session has the same id, which is chosen here. */
  readonly id: string;
  readonly name: string | null;
  /** The project's real path. */
  readonly project: string;
  /** The conversation that this one was forked from by a rewind. */
  readonly parentId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** In the order of the conversation. */
  readonly turns: readonly Turn[];
}

/** A prompt and where its turn ended: what a conversation is cut at when it goes back. */
export interface Turn {
  readonly promptId: string;
  readonly prompt: string;
  /** The uuid of the last message of the turn; null while it runs and where it never ended. */
  readonly lastMessageId: string | null;
}

export interface SessionManagerOptions {
  /** Where the sessions lie, a folder each: `~/.claude-replica/sessions`. */
  readonly root: string;
  readonly now?: () => Date;
}

export interface NewSession {
  /** The project's real path. */
  readonly project: string;
  /** A UUID; a new one where none is given. */
  readonly id?: string;
}

export interface SessionList {
  /** Newest first. Those that hold neither a prompt nor a name are left out. */
  readonly sessions: readonly Session[];
  /** What could not be read, in a sentence each; it stays where it is. */
  readonly problems: readonly string[];
}

/**
 * The conversations of this user. Each change is made to what the file holds at that time, one after the
 * other, and is on the disk when its promise resolves; a session that was deleted meanwhile comes back with
 * its next turn. Ids are UUIDs, and any other text is refused with `argument-invalid`: they name folders.
 */
export class SessionManager {
  readonly #root: string;
  readonly #now: () => Date;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ root, now = () => new Date() }: SessionManagerOptions) {
    this.#root = root;
    this.#now = now;
  }

  /** The session's folder, which others keep things in as well. */
  directoryOf(id: string): string {
    if (!UUID.test(id)) throw new SavepointError('argument-invalid', `${id} is no id of a session`);
    return join(this.#root, id);
  }

  /** Throws `file-exists` where there is a session with this id. */
  async create({ project, id = randomUUID() }: NewSession): Promise<Session> {
    return this.#add({ id, project, parentId: null, turns: [] });
  }

  /** Throws `session-not-found`, or `file-failed` where its file is damaged. */
  async open(id: string): Promise<Session> {
    const session = readSessionFile(this.#fileOf(id), id);
    if (session !== null) return session;
    throw new SavepointError('session-not-found', `There is no session ${id}.`);
  }

  /** Of one project, or of all. */
  async list(project?: string): Promise<SessionList> {
    const sessions: Session[] = [];
    const problems: string[] = [];
    for (const id of await this.#ids()) {
      try {
        const session = readSessionFile(this.#fileOf(id), id);
        const isOf = project === undefined || session?.project === project;
        if (session !== null && isOf && !isEmpty(session)) sessions.push(session);
      } catch (error) {
        if (!isSavepointError(error, 'file-failed')) throw error;
        problems.push(error.message);
      }
    }
    return { sessions: sessions.sort(newestFirst), problems };
  }

  /** Gives the session a name that `findByName` finds. Throws where another one of the project has it. */
  async save(session: Session, name: string): Promise<Session> {
    return this.#change(session, async (current) => {
      const wanted = normal(name);
      if (wanted === '')
        throw new SavepointError('argument-invalid', 'A name has to say something.');
      const holder = findByName((await this.list(current.project)).sessions, wanted);
      if (holder !== null && holder.id !== current.id) throw taken(wanted);
      return { ...current, name: wanted };
    });
  }

  /** Removes the session's folder with all that is in it, and nothing that a link in it points to. */
  async delete(id: string): Promise<void> {
    await this.#inTurn(async () => removeTree(this.directoryOf(id)));
  }

  /** Removes a session in which nothing was ever said and that has no name. */
  async deleteIfEmpty({ id }: Session): Promise<void> {
    const session = readSessionFile(this.#fileOf(id), id);
    if (session !== null && isEmpty(session)) await this.delete(id);
  }

  /** A prompt is about to be sent. Idempotent. */
  async addTurn(session: Session, promptId: string, prompt: string): Promise<Session> {
    return this.#change(session, async (current) => {
      if (current.turns.some((turn) => turn.promptId === promptId)) return current;
      const turn: Turn = { promptId, prompt, lastMessageId: null };
      return { ...current, turns: [...current.turns, turn] };
    });
  }

  /** The turn of a prompt is over; null where it ended before anything could be resumed at. */
  async endTurn(
    session: Session,
    promptId: string,
    lastMessageId: string | null,
  ): Promise<Session> {
    return this.#change(session, async (current) => ({
      ...current,
      turns: current.turns.map((turn) =>
        turn.promptId === promptId ? { ...turn, lastMessageId } : turn,
      ),
    }));
  }

  /** A new session with the turns before that prompt. The old one stays as it is, and keeps its name. */
  async fork(session: Session, beforePromptId: string, newId: string): Promise<Session> {
    const { id, project, turns } = session;
    const at = turns.findIndex(({ promptId }) => promptId === beforePromptId);
    if (at === -1) {
      throw new SavepointError('argument-invalid', 'This conversation has no such prompt.');
    }
    return this.#add({ id: newId, project, parentId: id, turns: turns.slice(0, at) });
  }

  async #add(session: Pick<Session, 'id' | 'project' | 'parentId' | 'turns'>): Promise<Session> {
    const now = this.#now();
    const added: Session = { ...session, name: null, createdAt: now, updatedAt: now };
    await this.#inTurn(async () =>
      writeSessionFile(this.#fileOf(session.id), added, { onlyNew: true }),
    );
    return added;
  }

  async #change(
    session: Session,
    change: (current: Session) => Promise<Session>,
  ): Promise<Session> {
    const file = this.#fileOf(session.id);
    return this.#inTurn(async () => {
      const current = readSessionFile(file, session.id) ?? session;
      const changed = { ...(await change(current)), updatedAt: this.#now() };
      writeSessionFile(file, changed, { onlyNew: false });
      return changed;
    });
  }

  /** One after the other: each reads what the one before wrote. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #fileOf(id: string): string {
    return join(this.directoryOf(id), 'session.json');
  }

  async #ids(): Promise<string[]> {
    try {
      return namesIn(this.#root).filter((name) => UUID.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A keyboard and a paste may give the same letters composed or decomposed. */
function normal(name: string): string {
  return name.normalize('NFC').trim();
}

/** The session that goes by this name; null where none does. */
export function findByName(listed: readonly Session[], name: string): Session | null {
  const wanted = normal(name);
  return listed.find((session) => session.name === wanted) ?? null;
}

function isEmpty({ turns, name }: Session): boolean {
  return turns.length === 0 && name === null;
}

function newestFirst(a: Session, b: Session): number {
  return b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1);
}

function taken(name: string): SavepointError {
  const hint = 'choose another name, or delete that conversation first';
  return new SavepointError('argument-invalid', `Another conversation is called "${name}".`, {
    hint,
  });
}

const VERSION = 1;

/** A full date and time: `Date` would also take "1" or the name of a month. */
export const TIME: Kind<string> = where(
  matching<string>(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, 'a date and time'),
  'a date and time',
  (text) => !Number.isNaN(Date.parse(text)),
);

const STORED = object({
  version: oneOf(VERSION),
  id: TEXT,
  name: nullable(TEXT),
  project: TEXT,
  parentId: nullable(TEXT),
  createdAt: TIME,
  updatedAt: TIME,
  turns: listOf(object({ promptId: TEXT, prompt: TEXT, lastMessageId: nullable(TEXT) })),
});

/** Null where there is no such file. Throws `file-failed` where it holds no session of this id. */
function readSessionFile(path: string, id: string): Session | null {
  const text = textOf(path);
  if (text === null) return null;
  const value = jsonOf(path, text);
  if (!accepts(STORED, value)) {
    throw damaged(path, `it holds no session: ${problemWith(STORED, 'it', value)}`);
  }
  if (value.id !== id) throw damaged(path, 'it is the file of another session');
  const { name, project, parentId, turns } = value;
  const [createdAt, updatedAt] = [new Date(value.createdAt), new Date(value.updatedAt)];
  return { id, name, project, parentId, createdAt, updatedAt, turns };
}

/** Readable by people: one value a line. `onlyNew`: throws `file-exists` where there is a file already. */
function writeSessionFile(
  path: string,
  session: Session,
  { onlyNew }: { readonly onlyNew: boolean },
): void {
  const text = JSON.stringify({ version: VERSION, ...session }, null, 2);
  try {
    makePrivateFolder(dirname(path));
    writeFile(path, Buffer.from(`${text}\n`), { onlyNew });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new SavepointError('file-exists', 'there is such a session already', { path });
    }
    throw damaged(path, `it cannot be written (${code})`, error);
  }
}

function textOf(path: string): string | null {
  const read = readFile(path, { followLink: true });
  if (read.bytes !== null) return read.bytes.toString();
  if (read.why === 'missing') return null;
  throw damaged(path, `it cannot be read (${read.cause?.code ?? read.why})`, read.cause);
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(path, 'it is not JSON', error);
  }
}

function damaged(path: string, reason: string, cause?: unknown): SavepointError {
  return new SavepointError('file-failed', `${path}: ${reason}`, { path, cause });
}
