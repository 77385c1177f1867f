const CLOSE_ENOUGH = 2;

/** The word that somebody who typed `word` probably meant; null when none is close. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const nearest = words
    .map((name) => ({ name, distance: distance(word.slice(0, 20), name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= CLOSE_ENOUGH ? nearest.name : null;
}

/** Letters to add, drop or replace on the way from one word to another. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
