import { displayText, pathToBytes, type TrackedPath } from '../index.ts';

/**
 * A path as git writes it in a diff: as it is, or in quotes, with numbers for what could steer a terminal or
 * is no text. `git apply` reads both.
 */
export function gitName(path: TrackedPath, side = ''): string {
  const isPlain = displayText(path) === path && !/["\\]/.test(path);
  if (isPlain) return side + path;
  const quoted = Array.from(pathToBytes(path), quotedByte).join('');
  return `"${side}${quoted}"`;
}

/** After `---` and `+++`, a name with a space in it is ended by a tab, or it would end at the space. */
export function headerName(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quotedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  const isPrinted = byte >= 0x20 && byte < 0x7f;
  return ESCAPES[character] ?? (isPrinted ? character : `\\${byte.toString(8).padStart(3, '0')}`);
}
