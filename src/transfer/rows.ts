import {
  BOOLEAN,
  exact,
  ID,
  integer,
  type Kind,
  listOf,
  MAX_TEXT,
  matching,
  nullable,
  oneOf,
  problemWith,
  storableText,
  unchecked,
} from '../model/check.ts';
import { isSavepointError } from '../model/errors.ts';
import { isTextPath, pathToBytes, relativePath, type TrackedPath } from '../model/path.ts';
import { protectionOf } from '../model/protection.ts';
import { STATE } from '../model/state.ts';
import {
  CANCELLATIONS,
  CHANGES,
  CHECKPOINTS,
  type Field,
  type Kind as FieldKind,
  OPERATIONS,
  SESSIONS,
  type Table,
} from '../store/tables.ts';
import { RANDOM_ID } from '../timeline/new-id.ts';
import { type History, LISTS } from './history.ts';
import { invalid } from './requests.ts';

/** A row that was checked against the table of its list. */
export interface ReadRow {
  readonly list: keyof History;
  readonly row: object;
}

/** The lines of a history, each of them `[NAME, FIELDS]`. */
export function* writeRows(history: History): Generator<string> {
  for (const list of LISTS) {
    for (const row of history[list]) {
      const fields = 'path' in row ? { ...row, path: writePath(row.path) } : row;
      yield JSON.stringify([nameOfRow(list), fields]);
    }
  }
}

/** A line as a row; `place` says which one it was. */
export function readRow(place: string, line: string): ReadRow {
  const parsed = parseJson(place, line);
  if (!Array.isArray(parsed) || parsed.length !== 2) throw invalid(`${place} must be a row`);
  const [name, fields] = parsed as [unknown, Record<string, unknown>];
  const list = LISTS.find((one) => nameOfRow(one) === name);
  if (list === undefined) throw invalid(`${place} is a row of an unknown kind`);
  refuseOther(ROWS[list], place, fields);
  const row = list === 'changes' ? { ...fields, path: readPath(place, fields.path) } : fields;
  return { list, row };
}

/** The rows of `sessions` are called `session` in the file, and so on. */
function nameOfRow(list: keyof History): string {
  return list.slice(0, -1);
}

/** Throws `export-invalid` for a value of another kind. */
export function refuseOther<T>(kind: Kind<T>, place: string, value: unknown): asserts value is T {
  const problem = problemWith(kind, place, value);
  if (problem !== null) throw invalid(problem);
}

export function parseJson(place: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid(`${place} must be JSON`, { cause: error });
  }
}

const KINDS: { readonly [Name in FieldKind]?: Kind<unknown> } = {
  id: ID,
  session: ID,
  checkpoint: matching(RANDOM_ID, 'the id of a checkpoint'),
  operation: matching(RANDOM_ID, 'the id of an operation'),
  seq: integer(1),
  // The end of the year 9999: beyond it a date has no ordinary text.
  time: integer(0, 253_402_300_799_999),
  prose: storableText(0, MAX_TEXT),
  commit: matching(/^[0-9a-f]{40,64}$/, 'the id of a commit'),
  boolean: BOOLEAN,
  state: STATE,
  // Read by itself, since it comes in two spellings.
  path: unchecked(),
};

const CO_AUTHORS = listOf(
  exact({ sessionId: ID, checkpointId: matching(RANDOM_ID, 'the id of a checkpoint') }),
);

const ROWS: { readonly [List in keyof History]: Kind<unknown> } = {
  // Where a run began and ended in another timeline means nothing here, nor does a process of another machine.
  sessions: rowOf(SESSIONS, { run: oneOf(null), owner: oneOf(null), told: oneOf(null) }),
  // A conversation stays where its agent keeps it.
  checkpoints: rowOf(CHECKPOINTS, { importedAt: oneOf(null), conversation: oneOf(null) }),
  operations: rowOf(OPERATIONS),
  // Every change of an export has ended, and a process or an import of another machine means nothing here.
  changes: rowOf(CHANGES, {
    after: STATE,
    owner: oneOf(null),
    coAuthors: nullable(CO_AUTHORS),
  }),
  cancellations: rowOf(CANCELLATIONS),
};

/** Exactly the fields that the table has; `others` replace what it says of some. */
function rowOf<Row>(
  table: Table<Row>,
  others: Readonly<Record<string, Kind<unknown>>> = {},
): Kind<unknown> {
  const fields = Object.entries(table.fields) as [string, Field<unknown>][];
  return exact(
    Object.fromEntries(fields.map(([name, field]) => [name, others[name] ?? kindOf(field)])),
  );
}

function kindOf({ kind, words = [], isNullable }: Field<unknown>): Kind<unknown> {
  const known = kind === 'word' ? oneOf(...words) : KINDS[kind];
  // A table that is moved must say only what an import can check.
  if (known === undefined) throw new Error(`an import cannot check a field of the kind ${kind}`);
  return isNullable ? nullable(known) : known;
}

/** A path as it is written: its text, or its bytes in base64 where they are not text. */
function writePath(path: TrackedPath): string | { readonly bytes: string } {
  if (isTextPath(path)) return path;
  return { bytes: Buffer.from(pathToBytes(path)).toString('base64') };
}

/** Only a path below the project, in the one spelling that `writePath` gives, and none of git's. */
function readPath(place: string, value: unknown): TrackedPath {
  const path = checkedPath(`${place}.path`, bytesIn(value) ?? value);
  if (JSON.stringify(writePath(path)) !== JSON.stringify(value)) {
    throw invalid(`${place}.path must be in its plain spelling`, { path });
  }
  if (protectionOf(path) === 'git') throw invalid(`${place}.path belongs to git`, { path });
  return path;
}

function bytesIn(value: unknown): Uint8Array | null {
  const { bytes } = Object(value) as { readonly bytes?: unknown };
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : null;
}

function checkedPath(place: string, given: unknown): TrackedPath {
  try {
    return relativePath(given as string | Uint8Array);
  } catch (error) {
    if (!isSavepointError(error)) throw error;
    throw invalid(`${place}: ${error.message}`, { path: error.path, cause: error });
  }
}
