import { OID_SIZE } from './index-layout.ts';
import { comparePaths, type PathBytes } from './path-bytes.ts';
import { Refusal } from './refusal.ts';

const NUL = 0;
const TAB = 9;
const SPACE = 32;
const MODE_DIGITS = 6;
const OID_DIGITS = 2 * OID_SIZE;

/**
 * Goes through what `ls-tree -r -l -z` printed, which has the order of the index:
 * `mode SP type SP oid SP+ size TAB path NUL`. The fields are those of the entry it stands on.
 */
export class TreeListing {
  readonly path: PathBytes;
  mode = 0;
  /** -1 for what is no blob. */
  size = -1;
  #oidAt = 0;
  #next = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.path = { bytes, start: 0, end: 0 };
  }

  /** Steps to the next entry; false behind the last one. */
  next(): boolean {
    if (this.#next >= this.#bytes.length) return false;
    const start = this.#next;
    const typeEnd = this.#bytes.indexOf(SPACE, start + MODE_DIGITS + 1);
    this.#oidAt = typeEnd + 1;
    const tab = this.#oidAt + OID_DIGITS < this.#bytes.length ? this.#tabAfterOid() : -1;
    const end = tab === -1 ? -1 : this.#bytes.indexOf(NUL, tab);
    if (typeEnd === -1 || tab === -1 || end === -1) throw new Refusal('git-failed');
    this.mode = this.#digits(start, start + MODE_DIGITS, 8);
    this.size = this.#digits(this.#oidAt + OID_DIGITS + 1, tab, 10);
    this.path.start = tab + 1;
    this.path.end = end;
    this.#next = end + 1;
    return true;
  }

  #tabAfterOid(): number {
    return this.#bytes.indexOf(TAB, this.#oidAt + OID_DIGITS);
  }

  /** Whether the entry's object is the one whose id stands in `bytes` at `at`. */
  hasOid(bytes: Uint8Array, at: number): boolean {
    for (let i = 0; i < OID_SIZE; i += 1) {
      const digits = this.#oidAt + 2 * i;
      const high = hexValue(this.#bytes[digits]);
      const low = hexValue(this.#bytes[digits + 1]);
      if (high * 16 + low !== bytes[at + i]) return false;
    }
    return true;
  }

  comparePath(path: PathBytes): number {
    return comparePaths(this.path, path);
  }

  #digits(from: number, to: number, radix: number): number {
    let value = -1;
    for (let at = from; at < to; at += 1) {
      const digit = (this.#bytes[at] as number) - 48;
      // Sizes are padded with spaces, and "-" where there is none.
      if (digit >= 0 && digit < radix) value = Math.max(value, 0) * radix + digit;
    }
    return value;
  }
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte >= 97 && byte <= 102 ? byte - 87 : -1;
}
