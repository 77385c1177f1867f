// Where a long text is cut depends on the characters around the cut, not on how many stand before it. So an
// edit in the middle moves only the cuts beside it. The same holds for bytes.

const SMALLEST = 2_048;
const LARGEST = 16_384;
// One place in 4,096 is a cut, from the smallest size on: pieces of about 6 KiB.
const MASK = 0xfff << 16;

/** A random number for each byte, always the same ones: they are part of the format. */
const GEAR: Int32Array = gear();

function gear(): Int32Array {
  const numbers = new Int32Array(256);
  let state = 0x9e3779b9;
  for (let at = 0; at < numbers.length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    numbers[at] = state ^ (state >>> 13);
  }
  return numbers;
}

export function isLong(length: number): boolean {
  return length > LARGEST;
}

export function cutText(text: string): string[] {
  const ends = cuts(text.length, (at) => text.charCodeAt(at) & 0xff);
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

export function cutBytes(bytes: Uint8Array): Uint8Array[] {
  const ends = cuts(bytes.length, (at) => bytes[at] ?? 0);
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

/** Where pieces end. A text that is not longer than one piece is not cut. */
function cuts(length: number, unitAt: (at: number) => number): number[] {
  const ends: number[] = [];
  let begin = 0;
  while (length - begin > LARGEST) {
    begin = endOfPiece(begin, unitAt);
    ends.push(begin);
  }
  return length > begin || ends.length === 0 ? [...ends, length] : ends;
}

function endOfPiece(begin: number, unitAt: (at: number) => number): number {
  const last = begin + LARGEST;
  let sum = 0;
  // Only what lies shortly before a place bears on it: the rest is shifted out.
  for (let at = begin + SMALLEST - 32; at < last; at += 1) {
    sum = ((sum << 1) + (GEAR[unitAt(at)] ?? 0)) | 0;
    if ((sum & MASK) === 0 && at >= begin + SMALLEST) return at + 1;
  }
  return last;
}
