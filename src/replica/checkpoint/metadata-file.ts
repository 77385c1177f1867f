import { join } from 'node:path';
import { moveIntoPlace } from '../../fs/entries.ts';
import { setPermissions } from '../../fs/pinned-folder.ts';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import {
  accepts,
  type Kind,
  listOf,
  matching,
  object,
  TEXT,
  unchecked,
  where,
} from '../../model/check.ts';
import type { CheckpointMetadata } from './checkpoint-manager.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;

/** Where a session keeps what it knows of its checkpoints. */
export function checkpointsFolder(sessionDir: string): string {
  return join(sessionDir, 'checkpoints');
}

export function makeFolder(folder: string): void {
  makePrivateFolder(folder);
  // The file mode mask, or an older program, may have left it open.
  setPermissions(folder, 0o700);
}

/** Null where there is no file. What cannot be read at all counts as damaged. */
export function readMetadata(file: string): MetadataRead | null {
  const read = readFile(file, { maxBytes: LARGEST_BYTES });
  if (read.bytes !== null) return parseMetadata(read.bytes.toString());
  return read.why === 'missing' ? null : { checkpoints: [], isWhole: false };
}

/** Gives a damaged file another name, and never one that something else has. Returns that name. */
export function setAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[:.]/g, '-');
  for (let attempt = 0; ; attempt += 1) {
    const aside = `${file}.damaged-${time}${attempt === 0 ? '' : `-${attempt}`}`;
    try {
      moveIntoPlace(file, aside);
      return aside;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export function writeMetadata(file: string, checkpoints: readonly CheckpointMetadata[]): void {
  writeFile(file, Buffer.from(formatMetadata(checkpoints)));
}

const LONGEST_ID = 200;
const LONGEST_DESCRIPTION = 10_000;

/** What a `metadata.json` holds, and whether all of it could be understood. */
interface MetadataRead {
  readonly checkpoints: readonly CheckpointMetadata[];
  readonly isWhole: boolean;
}

/** Keeps every entry that is valid; newest first, an id once. */
function parseMetadata(text: string): MetadataRead {
  const entries = entriesOf(text);
  if (entries === null) return { checkpoints: [], isWhole: false };
  const valid = entries.flatMap((entry) => checkpointOf(entry) ?? []);
  const sorted = valid.toSorted((a, b) => b.timestamp.getTime() - a.timestamp.getTime());
  const byId = new Map<string, CheckpointMetadata>();
  for (const one of sorted) if (!byId.has(one.id)) byId.set(one.id, one);
  return { checkpoints: [...byId.values()], isWhole: valid.length === entries.length };
}

function formatMetadata(checkpoints: readonly CheckpointMetadata[]): string {
  const entries = checkpoints.map(({ id, timestamp, description, sessionId }) => ({
    id,
    timestamp: timestamp.toISOString(),
    description,
    sessionId,
  }));
  return `${JSON.stringify({ checkpoints: entries }, null, 2)}\n`;
}

const ID: Kind<string> = where(
  TEXT,
  `a text of 1 to ${LONGEST_ID} characters`,
  ({ length }) => length > 0 && length <= LONGEST_ID,
);

const FILE = object({ checkpoints: listOf(unchecked<unknown>()) });

const ENTRY = object({
  id: ID,
  // Only a full date and time: `Date` would also take "1" or a name of a month.
  timestamp: where(
    matching<string>(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, 'a time'),
    'a time in ISO 8601',
    (text) => !Number.isNaN(Date.parse(text)),
  ),
  description: where(TEXT, 'a shorter text', ({ length }) => length <= LONGEST_DESCRIPTION),
  sessionId: ID,
});

function entriesOf(text: string): readonly unknown[] | null {
  try {
    const file: unknown = JSON.parse(text);
    return accepts(FILE, file) ? file.checkpoints : null;
  } catch {
    return null;
  }
}

function checkpointOf(entry: unknown): CheckpointMetadata | null {
  if (!accepts(ENTRY, entry)) return null;
  const { id, timestamp, description, sessionId } = entry;
  return { id, timestamp: new Date(timestamp), description, sessionId };
}
