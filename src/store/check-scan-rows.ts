import type { Baseline } from '../model/baseline.ts';
import { SavepointError } from '../model/errors.ts';
import { isBlobId, type Seq } from '../model/ids.ts';
import type { Window } from '../model/window.ts';
import { isPackName } from './pack-name.ts';
import type { BlobReference } from './store.ts';

const GIT_KEY_BYTES = 20;

/** Refuses numbers that were handed out before. `known` is the window that this one replaces. */
export function checkWindow(window: Window, known: Window | null, base: Seq): void {
  const { opened, closed } = window;
  if (opened !== known?.opened && (known !== null || opened <= base)) throw used(opened);
  if (closed === null || closed === known?.closed) return;
  if (closed <= Math.max(base, opened)) throw used(closed);
}

export function checkReference({ id, size, source, key }: BlobReference): void {
  const keyBytes = source === 'git' ? GIT_KEY_BYTES : undefined;
  if (!isBlobId(id) || !Number.isSafeInteger(size) || size < 0 || key?.length !== keyBytes) {
    throw refused('a reference needs a SHA-256, a size, and for git the 20 bytes of an id');
  }
}

/** Names become those of files, so nothing else may pass for one. */
export function checkBaseline({ manifest, packs }: Baseline): void {
  if (!isBlobId(manifest)) throw refused('a baseline has no SHA-256 for its manifest');
  if (!packs.every(isPackName)) throw refused('a baseline names a pack that is none');
}

function used(seq: Seq): SavepointError {
  return refused(`number ${seq} is not above those handed out`);
}

function refused(message: string): SavepointError {
  return new SavepointError('argument-invalid', message);
}
