import { dirname } from 'node:path';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { SavepointError } from '../../index.ts';
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
export function readSessionFile(path: string, id: string): Session | null {
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
