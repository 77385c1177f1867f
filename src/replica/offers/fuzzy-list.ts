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
  /** Where the last part of each text begins; the slash at the end of a folder's path belongs to it. */
  readonly #names: Uint32Array;
  /** What each text scores by itself: short ones and those in few folders come first. */
  readonly #plain: Int32Array;
  /** What the last query found: one that goes on from it finds nothing else. */
  #last: { readonly query: string; readonly found: readonly number[] } | null = null;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#lower = texts.map((text) => text.toLowerCase());
    this.#letters = new Uint32Array(texts.length);
    this.#names = new Uint32Array(texts.length);
    this.#plain = new Int32Array(texts.length);
    for (let at = 0; at < texts.length; at += 1) this.#measure(at);
  }

  /** The best first, at most a hundred. */
  best(query: string): readonly string[] {
    const wanted = query.toLowerCase();
    const best: Scored[] = [];
    for (const at of this.#matching(wanted)) {
      const score = (this.#plain[at] ?? 0) + this.#fitOf(at, wanted);
      keepBest(best, { at, score });
    }
    return best.map(({ at }) => this.#texts[at] ?? '');
  }

  /** Looks at each character once. */
  #measure(at: number): void {
    const text = this.#lower[at] ?? '';
    let letters = 0;
    let name = 0;
    let depth = 0;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      letters |= bitOf(code);
      if (code !== SLASH || i === text.length - 1) continue;
      name = i + 1;
      depth += 1;
    }
    this.#letters[at] = letters;
    this.#names[at] = name;
    this.#plain[at] = -text.length - depth * 20;
  }

  /** How well a text fits: in its name, at the beginning of a part, anywhere, or scattered. */
  #fitOf(at: number, wanted: string): number {
    if (wanted === '') return 0;
    const text = this.#lower[at] ?? '';
    const name = this.#names[at] ?? 0;
    const found = text.lastIndexOf(wanted);
    if (found === -1) return -gapsOf(text, wanted) * 10;
    if (found === name) return 4_000;
    if (text.startsWith(wanted)) return 3_500;
    if (found > name) return 3_000;
    return text.charCodeAt(found - 1) === SLASH ? 2_000 : 1_000;
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
  for (let i = 0; i < text.length; i += 1) letters |= bitOf(text.charCodeAt(i));
  return letters >>> 0;
}

/** Letters have a bit each, digits share six. */
function bitOf(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  return code >= 48 && code <= 57 ? 1 << (26 + ((code - 48) % 6)) : 0;
}
