const WORDS = [
  'const',
  'return',
  'import',
  'value',
  'index',
  'result',
  'await',
  'table',
  'session',
];
const WIDEST = 1024 * 1024;
const PIECE = 256;

let sample: Buffer | null = null;

/**
 * Bytes that compress about as source code does, the same for the same size and seed. The seed is in
 * the first line, so that no store has seen the content before; the rest is made once and copied,
 * because garbage would grow the process that git is spawned from.
 */
export function sourceText(size: number, seed: number): Buffer {
  sample ??= makeSample();
  const text = Buffer.from(sample.subarray(0, size));
  text.write(`// ${seed}\n`);
  return text;
}

/**
 * As `sourceText`, but files differ all through, as those of a real tree do: shadow git would keep the
 * beginnings of one long text as if they were one file.
 */
export function mixedText(size: number, seed: number): Buffer {
  sample ??= makeSample();
  const random = randomNumbers(seed);
  const text = Buffer.allocUnsafe(size);
  for (let length = 0; length < size; length += PIECE) {
    const from = random() % (WIDEST - PIECE);
    sample.copy(text, length, from, from + Math.min(PIECE, size - length));
  }
  text.write(`// ${seed}\n`);
  return text;
}

function makeSample(): Buffer {
  const random = randomNumbers(1);
  const text = Buffer.alloc(WIDEST);
  for (let length = 0; length < WIDEST; ) {
    const name = `${word(random())}_${random().toString(36)}`;
    length += text.write(`  ${word(random())} ${name} = ${random() % 997};\n`, length);
  }
  return text;
}

function word(number: number): string {
  return WORDS[number % WORDS.length] as string;
}

/** A linear congruential generator of 32 bits; its low bits are poor and left out. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
