import { readFile } from '../../fs/read-file.ts';
import { SavepointError } from '../../index.ts';
import { type Placing, writePrivateFile } from '../private-file.ts';
import type { Session, Turn } from './session.ts';

const VERSION = 1;

/** Null where there is no such file. Throws `file-failed` where it holds no session of this id. */
export async function readSessionFile(path: string, id: string): Promise<Session | null> {
  const text = textOf(path);
  if (text === null) return null;
  const session = sessionOf(jsonOf(path, text), path);
  if (session.id !== id) throw damaged(path, 'it is the file of another session');
  return session;
}

/** Readable by people: one value a line. */
export async function writeSessionFile(
  path: string,
  session: Session,
  placing: Placing,
): Promise<void> {
  const text = JSON.stringify({ version: VERSION, ...session }, null, 2);
  await writePrivateFile(path, `${text}\n`, placing);
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
