/** How many of the best matches are worth a look. */
const MOST = 100;

/**
 * Texts to be found by some of their letters, in order: `rfl` finds `rewind-flow.ts`. Made once for many texts, so
 * that each key is answered at once.
 */
export class FuzzyList {
  readonly #texts: readonly string[];
  readonly #lower: readonly string[];
  /** The letters and digits of each text, a bit for each: most texts are ruled out by one comparison. */
  readonly #letters: Uint32Array;
  /** What the last query found: one that goes on from it finds nothing else. */
  #last: { readonly query: string; readonly found: readonly number[] } | null = null;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#lower = texts.map((text) => text.toLowerCase());
    this.#letters = Uint32Array.from(this.#lower, lettersOf);
  }

  /** The best first, at most a hundred. */
  best(query: string): readonly string[] {
    const wanted = query.toLowerCase();
    const best: Scored[] = [];
    for (const at of this.#matching(wanted)) {
      const score = scoreOf(this.#lower[at] ?? '', wanted);
      keepBest(best, { at, score });
    }
    return best.map(({ at }) => this.#texts[at] ?? '');
  }

  #matching(wanted: string): readonly number[] {
    const isNarrower = this.#last !== null && wanted.startsWith(this.#last.query);
    const among = isNarrower ? this.#last?.found : null;
    const letters = lettersOf(wanted);
    const found: number[] = [];
    const count = among?.length ?? this.#texts.length;
    for (let i = 0; i < count; i += 1) {
      const at = among?.[i] ?? i;
      if (((this.#letters[at] ?? 0) & letters) >>> 0 !== letters) continue;
      if (hasInOrder(this.#lower[at] ?? '', wanted)) found.push(at);
    }
    this.#last = { query: wanted, found };
    return found;
  }
}

interface Scored {
  readonly at: number;
  readonly score: number;
}

/** Keeps the list sorted and short. Texts that score the same stay in the order of the list. */
function keepBest(best: Scored[], one: Scored): void {
  const last = best.at(-1);
  if (best.length === MOST && last !== undefined && last.score >= one.score) return;
  let place = best.length;
  while (place > 0 && (best[place - 1]?.score ?? 0) < one.score) place -= 1;
  best.splice(place, 0, one);
  if (best.length > MOST) best.pop();
}

const SLASH = '/'.charCodeAt(0);

/** How well a text fits: the name at its end counts most, then the beginnings of parts, then how short it is. */
function scoreOf(text: string, wanted: string): number {
  const depth = depthOf(text);
  const plain = -text.length - depth * 20;
  if (wanted === '') return plain;
  const name = nameStart(text);
  const at = text.lastIndexOf(wanted);
  if (at === -1) return plain - gapsOf(text, wanted) * 10;
  if (at === name) return plain + 4_000;
  if (text.startsWith(wanted)) return plain + 3_500;
  if (at > name) return plain + 3_000;
  return plain + (text.charCodeAt(at - 1) === SLASH ? 2_000 : 1_000);
}

/** Where the last part begins; the slash at the end of a folder's path belongs to it. */
function nameStart(text: string): number {
  return text.lastIndexOf('/', text.length - 2) + 1;
}

function depthOf(text: string): number {
  let depth = 0;
  for (let at = text.indexOf('/'); at !== -1 && at < text.length - 1; ) {
    depth += 1;
    at = text.indexOf('/', at + 1);
  }
  return depth;
}

/** How many times the letters do not follow each other, looked for from the end: names count more than folders. */
function gapsOf(text: string, wanted: string): number {
  let gaps = 0;
  let before = text.length;
  for (let i = wanted.length - 1; i >= 0; i -= 1) {
    const at = text.lastIndexOf(wanted[i] ?? '', before - 1);
    if (at !== before - 1) gaps += 1;
    before = at;
  }
  return gaps;
}

export function hasInOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (let i = 0; i < wanted.length; i += 1) {
    from = text.indexOf(wanted[i] ?? '', from) + 1;
    if (from === 0) return false;
  }
  return true;
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 97 && code <= 122) letters |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) letters |= 1 << (26 + ((code - 48) % 6));
  }
  return letters >>> 0;
}
