import { basename, dirname, join } from 'node:path';
import { SavepointError } from '../model/errors.ts';
import { isThere, permissionsOf, realPathOrNull } from './entries.ts';
import { readFile } from './read-file.ts';
import { makePrivateFolder, writeFile } from './write-file.ts';

/**
 * Where the settings under a name are, without links. Some people keep theirs elsewhere and have a link here, or
 * in a folder above: the link stays, and the file behind it is the one to read and write. Throws
 * `config-invalid` for a link that leads nowhere.
 */
export function placeOfSettings(name: string): string {
  const real = realPathOrNull(name);
  if (real !== null) return real;
  if (!isThere(name)) return join(placeOfSettings(dirname(name)), basename(name));
  const message = `${name} is a link to a file that is not there`;
  throw new SavepointError('config-invalid', message, { path: name });
}

/**
 * Writes settings that were read before, and keeps their mode. `before`: what the file held then; null where
 * there was none. Throws `config-invalid`, and writes nothing, where somebody changed the file since. `mode`
 * is that of a new file; left out, it is for its owner alone.
 */
export function rewriteFile(
  file: string,
  bytes: Uint8Array,
  before: Uint8Array | null,
  mode?: number,
): void {
  makePrivateFolder(dirname(file));
  writeFile(file, bytes, {
    onlyNew: before === null,
    mode: before === null ? mode : (permissionsOf(file) ?? undefined),
    beforeNaming: () => {
      if (before !== null && !isStill(file, before)) throw changedMeanwhile(file);
    },
  });
}

/** Whether a file holds these bytes now. */
export function isStill(file: string, bytes: Uint8Array): boolean {
  return readFile(file).bytes?.equals(bytes) ?? false;
}

function changedMeanwhile(file: string): SavepointError {
  const message = `${file} was changed by somebody else just now`;
  return new SavepointError('config-invalid', message, { path: file, hint: 'try again' });
}
