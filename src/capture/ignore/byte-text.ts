/**
 * A text with one character for each byte. git's patterns speak of bytes: its "?" takes half of an
 * "é". Most names are ASCII, and are then their own byte text.
 */
export type ByteText = string;

const ESCAPED_BYTES = /[\udc80-\udcff]+/gu;
const CHARACTERS = /[^\0-\x7f]+/gu;

/** The byte text of a path, or of a whole rule file; in runs, because a file can be long. */
export function byteText(path: string): ByteText {
  if (!/[^\0-\x7f]/.test(path)) return path;
  const parts: ByteText[] = [];
  let end = 0;
  for (const { 0: escaped, index } of path.matchAll(ESCAPED_BYTES)) {
    parts.push(encoded(path.slice(end, index)), unescaped(escaped));
    end = index + escaped.length;
  }
  return [...parts, encoded(path.slice(end))].join('');
}

function encoded(text: string): ByteText {
  return text.replace(CHARACTERS, (run) => Buffer.from(run).toString('latin1'));
}

/** Surrogates U+DC80 to U+DCFF stand for the bytes 0x80 to 0xFF. */
function unescaped(text: string): ByteText {
  return Buffer.from(text, 'latin1').toString('latin1');
}
