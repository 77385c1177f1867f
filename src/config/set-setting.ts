import { placeOfSettings, rewriteFile } from '../fs/rewrite-file.ts';
import { SavepointError } from '../index.ts';
import { checkOwn, readSettingsFile, type SettingsTable } from './load-settings.ts';

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
  if (text !== null && table[key].isSecret) {
    const message = `"${key}" is not set at a command line, where others could read it`;
    const hint = `write it into ${userFile}, and let nobody else read that file (chmod 600)`;
    throw new SavepointError('config-invalid', message, { path: userFile, hint });
  }
  const file = placeOfSettings(userFile);
  const read = readSettingsFile(file);
  const { [key]: before, ...others } = read?.values ?? {};
  const value = text === null ? undefined : valueFor(table, key, text);
  if (JSON.stringify(before) === JSON.stringify(value)) return false;
  const values = value === undefined ? others : { ...read?.values, [key]: value };
  checkOwn(table, userFile, values);
  const written = `${JSON.stringify(values, null, indentOf(read?.text))}\n`;
  rewriteFile(file, Buffer.from(written), read?.bytes ?? null);
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

function indentOf(text: string | undefined): string {
  return /^\s*\{[^\S\n]*\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  ';
}
