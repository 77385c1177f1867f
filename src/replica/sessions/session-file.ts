import { readFile } from '../../fs/read-file.ts';
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
import { type Placing, writePrivateFile } from '../private-file.ts';
import type { Session } from './session.ts';

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
