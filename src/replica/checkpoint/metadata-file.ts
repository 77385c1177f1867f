import { dirname, join } from 'node:path';
import { moveIntoPlace } from '../../fs/entries.ts';
import { setPermissions } from '../../fs/pinned-folder.ts';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { accepts, ID, listOf, object, storableText, unchecked } from '../../model/check.ts';
import { TIME } from '../sessions/session.ts';
import type { CheckpointMetadata } from './checkpoint-manager.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;

/** The file in which a session keeps what it knows of its checkpoints. */
export function metadataFile(sessionDir: string): string {
  return join(sessionDir, 'checkpoints', 'metadata.json');
}

/** Makes the folder that a file is to lie in, for its owner alone. */
export function makeFolderOf(file: string): void {
  makePrivateFolder(dirname(file));
  // The file mode mask, or an older program, may have left it open.
  setPermissions(dirname(file), 0o700);
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
  // A date is written as `toISOString` gives it.
  writeFile(file, Buffer.from(`${JSON.stringify({ checkpoints }, null, 2)}\n`));
}

const LONGEST_DESCRIPTION = 10_000;

const ENTRY = object({
  id: ID,
  timestamp: TIME,
  description: storableText(0, LONGEST_DESCRIPTION),
  sessionId: ID,
});
const ENTRIES = object({ checkpoints: listOf(unchecked<unknown>()) });

/** What a `metadata.json` holds, and whether all of it could be understood. */
interface MetadataRead {
  readonly checkpoints: readonly CheckpointMetadata[];
  readonly isWhole: boolean;
}

/** Keeps every entry that is valid; newest first, an id once. */
function parseMetadata(text: string): MetadataRead {
  const entries = entriesOf(text);
  if (entries === null) return { checkpoints: [], isWhole: false };
  const valid = entries.filter((entry) => accepts(ENTRY, entry));
  const sorted = valid
    .map(({ id, timestamp, description, sessionId }) => {
      return { id, timestamp: new Date(timestamp), description, sessionId };
    })
    .sort(newestFirst);
  const byId = new Map<string, CheckpointMetadata>();
  for (const one of sorted) if (!byId.has(one.id)) byId.set(one.id, one);
  return { checkpoints: [...byId.values()], isWhole: valid.length === entries.length };
}

export function newestFirst(one: CheckpointMetadata, other: CheckpointMetadata): number {
  return other.timestamp.getTime() - one.timestamp.getTime();
}

function entriesOf(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return accepts(ENTRIES, value) ? value.checkpoints : null;
  } catch {
    return null;
  }
}
