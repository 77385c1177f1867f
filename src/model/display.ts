/**
 * The one sanitizer for everything shown to a person or a model: control characters, bidirectional
 * marks and bytes that are not text come out visible, so that a name cannot steer a terminal.
 */
export function displayText(text: string): string {
  return text.replace(UNSAFE, visible);
}

/** As `displayText`, but newlines and tabs stay: for file contents, which have lines. */
export function displayLines(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : visible(character),
  );
}

// Controls, format characters (bidirectional, zero width, tags), line separators, lone surrogates.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
// Emoji are joined by U+200D and shaped by U+FE0F; the joiner is harmless and makes one picture.
const ZERO_WIDTH_JOINER = '\u200d';

function visible(character: string): string {
  if (character === ZERO_WIDTH_JOINER) return character;
  const code = character.codePointAt(0) as number;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
