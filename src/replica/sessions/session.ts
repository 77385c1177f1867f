import { dirname } from 'node:path';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { SavepointError } from '../../index.ts';
import {
  AMOUNT,
  accepts,
  type Kind,
  listOf,
  nullable,
  object,
  oneOf,
  problemWith,
  TEXT,
  where,
} from '../../model/check.ts';

/** One conversation of the interactive agent, kept under `~/.claude-replica/sessions/{id}/`. */
export interface Session {
  /** The folder's name. The SDK's session has the same id: whoever starts it chooses it. */
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
  /** The uuid of the prompt. */
  readonly promptId: string;
  readonly prompt: string;
  /** The uuid of the last message of the turn; null while it runs and where it never ended. */
  readonly lastMessageId: string | null;
}

const VERSION = 1;

/** Null where there is no such file. Throws `file-failed` where it holds no session of this id. */
export function readSessionFile(path: string, id: string): Session | null {
  const text = textOf(path);
  if (text === null) return null;
  const session = sessionOf(jsonOf(path, text), path);
  if (session.id !== id) throw damaged(path, 'it is the file of another session');
  return session;
}

/** Readable by people: one value a line. `onlyNew`: throws `file-exists` where there is a file already. */
export function writeSessionFile(
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

const TIME: Kind<string> = where(TEXT, 'a time', (text) => !Number.isNaN(Date.parse(text)));

/** A session as the file holds it. */
const FILE = object({
  version: oneOf(VERSION),
  id: TEXT,
  name: nullable(TEXT),
  project: TEXT,
  parentId: nullable(TEXT),
  createdAt: TIME,
  updatedAt: TIME,
  turns: listOf(object({ promptId: TEXT, prompt: TEXT, lastMessageId: nullable(TEXT) })),
});

function sessionOf(value: unknown, path: string): Session {
  if (accepts(object({ version: AMOUNT }), value) && value.version > VERSION) {
    throw damaged(path, 'a newer version of this program wrote it');
  }
  if (!accepts(FILE, value)) {
    throw damaged(path, `it does not hold a session: ${problemWith(FILE, 'it', value)}`);
  }
  const { id, name, project, parentId, turns } = value;
  return {
    id,
    name,
    project,
    parentId,
    createdAt: new Date(value.createdAt),
    updatedAt: new Date(value.updatedAt),
    turns: turns.map(({ promptId, prompt, lastMessageId }) => {
      return { promptId, prompt, lastMessageId };
    }),
  };
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
