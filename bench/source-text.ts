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

function makeSample(): Buffer {
  const random = randomNumbers();
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
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
