import { dirname } from 'node:path';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { SavepointError } from '../../index.ts';

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

function sessionOf(value: unknown, path: string): Session {
  if (!isObject(value)) throw damaged(path, 'it holds no session');
  const { version, id, name, project, parentId, turns } = value;
  if (typeof version === 'number' && version > VERSION) {
    throw damaged(path, 'a newer version of this program wrote it');
  }
  const [createdAt, updatedAt] = [dateOf(value.createdAt), dateOf(value.updatedAt)];
  if (
    version === VERSION &&
    typeof id === 'string' &&
    isTextOrNull(name) &&
    typeof project === 'string' &&
    isTextOrNull(parentId) &&
    createdAt !== null &&
    updatedAt !== null &&
    Array.isArray(turns) &&
    turns.every(isTurn)
  ) {
    return { id, name, project, parentId, createdAt, updatedAt, turns: turns.map(turnOf) };
  }
  throw damaged(path, 'it holds no session');
}

function isTurn(value: unknown): value is Turn {
  return (
    isObject(value) &&
    typeof value.promptId === 'string' &&
    typeof value.prompt === 'string' &&
    isTextOrNull(value.lastMessageId)
  );
}

function turnOf({ promptId, prompt, lastMessageId }: Turn): Turn {
  return { promptId, prompt, lastMessageId };
}

function dateOf(value: unknown): Date | null {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
