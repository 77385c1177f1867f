import { createHash } from 'node:crypto';

// The longest name on the file systems that we know, in bytes.
const LONGEST_NAME = 255;
// How much of a text stays readable where its name does not fit.
const KEPT_OF_LONG = 160;

/** Stands for an empty text: no file can have an empty name. */
const NOTHING = '%';
const PLAIN = /^[a-z0-9_.-]$/;
const CAPITAL = /^[A-Z]$/;
const ESCAPES = /\^[a-z]|%u[0-9a-f]{4}|(?:%[0-9a-f]{2})+/g;
/** Names that fit have no `~`, so a shortened name never belongs to another text. */
const SHORTENED = /~[0-9a-f]{64}$/;

/**
 * Any text as the name of a file or folder. Small letters, digits, `-`, `_` and dots stay as they are; a
 * capital letter is `^` and the small one, because some file systems take both for the same; all else is
 * `%` and two digits for each byte of its UTF-8, and half a surrogate pair, which has none, `%u` and four.
 * A name that would be too long is cut, and ends with a hash.
 */
export function fileNameOf(text: string, suffix = ''): string {
  const escaped = text === '' ? NOTHING : Array.from(text, escapedCharacter).join('');
  const whole = escaped + suffix;
  if (whole.length <= LONGEST_NAME) return whole;
  const hash = createHash('sha256').update(escaped).digest('hex');
  return `${escaped.slice(0, KEPT_OF_LONG)}~${hash}${suffix}`;
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

function escapedCharacter(character: string, at: number): string {
  // A dot at the beginning hides a file, and a dot alone is a folder.
  if (PLAIN.test(character) && !(character === '.' && at === 0)) return character;
  if (CAPITAL.test(character)) return `^${character.toLowerCase()}`;
  if (!character.isWellFormed()) return `%u${character.charCodeAt(0).toString(16)}`;
  return Buffer.from(character).toString('hex').replaceAll(/../g, '%$&');
}

function unescaped(sequence: string): string {
  if (sequence.startsWith('^')) return sequence.slice(1).toUpperCase();
  if (sequence.startsWith('%u')) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
  return Buffer.from(sequence.replaceAll('%', ''), 'hex').toString();
}
