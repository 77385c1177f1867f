import { dirname } from 'node:path';
import { isThere, permissionsOf, realPathOrNull } from '../fs/entries.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { SavepointError } from '../index.ts';
import { checkOwn, readSettingsFile, type SettingsTable, textIn } from './load-settings.ts';

/**
 * Sets a value in the user's own file, as its variable would name it, or takes it out with null. Other keys
 * stay as they are, in their order. False where the file said so already. Throws `config-invalid`, and writes
 * nothing, for a value of another kind and for a file that does not hold settings.
 */
export function setOwnSetting<Values>(
  table: SettingsTable<Values>,
  userFile: string,
  key: keyof Values & string,
  text: string | null,
): boolean {
  const file = whereItIs(userFile);
  const read = readSettingsFile(file);
  const { [key]: before, ...others } = read?.values ?? {};
  const value = text === null ? undefined : valueFor(table, key, text);
  if (JSON.stringify(before) === JSON.stringify(value)) return false;
  const values = value === undefined ? others : { ...read?.values, [key]: value };
  checkOwn(table, userFile, values);
  write(file, `${JSON.stringify(values, null, indentOf(read?.text))}\n`, read?.text ?? null);
  return true;
}

/** A size stays as it was typed, because "10 MiB" says more than its number of bytes. */
function valueFor<Values>(
  table: SettingsTable<Values>,
  key: keyof Values & string,
  text: string,
): unknown {
  const { fromText, textInFiles } = table[key].kind;
  const meant = fromText(text);
  if (meant === undefined) return text;
  return textInFiles && !/^\d+$/.test(text) ? text.trim() : meant;
}

/** Some keep their settings elsewhere and have a link here: the link stays, and the file behind it is written. */
function whereItIs(userFile: string): string {
  const real = realPathOrNull(userFile);
  if (real !== null || !isThere(userFile)) return real ?? userFile;
  const message = `${userFile} is a link to a file that is not there`;
  throw new SavepointError('config-invalid', message, { path: userFile });
}

function indentOf(text: string | undefined): string {
  return /^\s*\{[^\S\n]*\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  ';
}

/** `before`: what the file held when it was read; null where there was none. */
function write(file: string, text: string, before: string | null): void {
  makePrivateFolder(dirname(file));
  writeFile(file, Buffer.from(text), {
    onlyNew: before === null,
    mode: before === null ? undefined : (permissionsOf(file) ?? undefined),
    beforeNaming: () => {
      if (before !== null && textIn(file) !== before) throw changedMeanwhile(file);
    },
  });
}

function changedMeanwhile(file: string): SavepointError {
  const message = `${file} was changed by somebody else just now`;
  return new SavepointError('config-invalid', message, { path: file, hint: 'try again' });
}
