import { createHash } from 'node:crypto';

// The longest name on the file systems that we know, in bytes; a lock file has `.lock` behind the name.
const LONGEST_NAME = 255 - '.lock'.length;
// How many bytes of a text stay readable where its name does not fit.
const KEPT_OF_LONG = 160;

/** Stands for an empty text: no file can have an empty name. */
const NOTHING = '%';
/** Names that fit never end like this, so a shortened name never belongs to another text. */
const SHORTENED = /~[0-9a-f]{64}$/;

/**
 * A dot at the beginning hides a file, and a dot alone is a folder. A slash is a path. Control characters
 * break terminals. The others would read as something that we write: an escape, nothing, a cut name.
 */
const ESCAPED =
  /^\.|[/\x00-\x1f\x7f]|^%$|%(?=[0-9a-f]{2}|u[0-9a-f]{4})|~(?=[0-9a-f]{64}$)|\p{Surrogate}/gu;
const ESCAPES = /%u([0-9a-f]{4})|%([0-9a-f]{2})/g;

/**
 * Any text as the name of a file or folder: the text itself, as other programs would name it, as far as a
 * file can have that name. The few characters that cannot stand in one are `%` and two hexadecimal digits;
 * half a surrogate pair is `%u` and four. A name that would be too long is cut, and ends with a hash.
 */
export function fileNameOf(text: string, suffix = ''): string {
  const escaped = text === '' ? NOTHING : text.replaceAll(ESCAPED, escapedCharacter);
  const whole = escaped + suffix;
  if (Buffer.byteLength(whole) <= LONGEST_NAME) return whole;
  const hash = createHash('sha256').update(escaped).digest('hex');
  return `${beginningOf(escaped)}~${hash}${suffix}`;
}

/** The text that a name stands for; null for a shortened name, and for one that we give to no text. */
export function textOfFileName(name: string, suffix = ''): string | null {
  if (!name.endsWith(suffix)) return null;
  const escaped = name.slice(0, name.length - suffix.length);
  const text = escaped === NOTHING ? '' : escaped.replaceAll(ESCAPES, unescaped);
  // Somebody else wrote a file that we would name otherwise: two files would stand for one key.
  return fileNameOf(text, suffix) === name ? text : null;
}

/** Whether a name was cut, so that it does not say its text any more. */
export function isShortened(name: string, suffix = ''): boolean {
  return name.endsWith(suffix) && SHORTENED.test(name.slice(0, name.length - suffix.length));
}

/** Names for which this is the same are one name on disks that do not tell capital from small letters. */
export function foldedName(name: string): string {
  return name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');
}

function escapedCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return character.isWellFormed() ? `%${code.padStart(2, '0')}` : `%u${code}`;
}

function unescaped(_escape: string, half: string | undefined, byte: string | undefined): string {
  return String.fromCharCode(Number.parseInt(half ?? byte ?? '', 16));
}

function beginningOf(text: string): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > KEPT_OF_LONG) break;
    kept += character;
  }
  return kept;
}
