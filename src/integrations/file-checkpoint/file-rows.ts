import {
  type Change,
  displayText,
  isOutside,
  isTextPath,
  type Savepoint,
  type TrackedPath,
} from '../../index.ts';
import type { FileCheckpoint } from './types.ts';

/** A change that is a row of the service: a file, a link or nothing was seen before a tool ran. */
export function isFileRow(change: Change): boolean {
  const { before, origin } = change;
  if (origin !== 'tool' || before.kind === 'unknown') return false;
  return before.kind === 'absent' ? !becameFolder(change) : before.type !== 'directory';
}

function becameFolder({ after }: Change): boolean {
  return after?.kind === 'captured' && after.type === 'directory';
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
  return { ...row, originalContent, fileExisted: true, mode: before.mode, binary };
}

export function rowId(change: Change): string {
  return `change-${change.seq}`;
}

/** As callers know files. A name that is not UTF-8 is shown, not passed on. */
export function absolutePath(root: string, path: TrackedPath): string {
  const text = isTextPath(path) ? path : displayText(path);
  return isOutside(path) ? text : `${root}/${text}`;
}
