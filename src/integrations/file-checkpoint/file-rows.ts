import {
  type Change,
  displayText,
  isOutside,
  isTextPath,
  type Savepoint,
  type TrackedPath,
} from '../../index.ts';

/** One file as it was before a tool of one message touched it. */
export interface FileCheckpoint {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  /** Absolute path. */
  readonly filePath: string;
  /** The content as text; null when there was no file. Bytes that are not UTF-8 show as U+FFFD. */
  readonly originalContent: string | null;
  readonly fileExisted: boolean;
  readonly createdAt: number;
  /** Permission bits; null when there was no file. */
  readonly mode: number | null;
  /** True when `originalContent` cannot show the exact bytes. A rewind restores those. */
  readonly binary: boolean;
}

/** The changes that are rows of the service: a file, a link or nothing was seen before a tool ran. */
export function fileRows(changes: readonly Change[]): Change[] {
  const folders = foldersAbove(changes);
  // With a file the folders that have to be made for it are recorded; only the file is a row.
  return changes.filter((change) => isFileRow(change) && !isNewFolder(change, folders));
}

function isFileRow({ before, origin }: Change): boolean {
  if (origin !== 'tool' || before.kind === 'unknown') return false;
  return before.kind === 'absent' || before.type !== 'directory';
}

function isNewFolder({ path, before, after }: Change, folders: ReadonlySet<string>): boolean {
  if (before.kind !== 'absent') return false;
  return folders.has(path) || (after?.kind === 'captured' && after.type === 'directory');
}

function foldersAbove(changes: readonly Change[]): Set<string> {
  const folders = new Set<string>();
  for (const { path } of changes) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      folders.add(path.slice(0, slash));
    }
  }
  return folders;
}

export async function toFileCheckpoint(
  savepoint: Savepoint,
  change: Change,
  messageId: string,
): Promise<FileCheckpoint> {
  const { before, sessionId, createdAt } = change;
  const row = {
    id: rowId(change),
    sessionId: sessionId ?? '',
    messageId,
    filePath: absolutePath(savepoint.root, change.path),
    createdAt,
  };
  if (before.kind !== 'captured' || before.blob === null) {
    return { ...row, originalContent: null, fileExisted: false, mode: null, binary: false };
  }
  const bytes = Buffer.from(await savepoint.readBlob(before.blob));
  const originalContent = bytes.toString('utf8');
  const binary = !bytes.equals(Buffer.from(originalContent));
  return { ...row, originalContent, fileExisted: true, mode: before.mode & 0o777, binary };
}

export function rowId(change: Change): string {
  return `change-${change.seq}`;
}

/** Callers know files by their absolute paths. A name that is not UTF-8 is shown, not passed on. */
export function absolutePath(root: string, path: TrackedPath): string {
  const text = isTextPath(path) ? path : displayText(path);
  return isOutside(path) ? text : `${root}/${text}`;
}
