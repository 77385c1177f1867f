import { mixedText } from '../source-text.ts';

const PLACES = 3;
const LINES_OUT = 2;
const LINES_IN = 3;
const LINE_BYTES = 32;

/** The text as an agent leaves it: a few lines in some places are others now, and one more in each. */
export function edited(text: string, seed: number): string {
  const lines = text.split('\n');
  const apart = Math.floor(lines.length / PLACES);
  for (let place = 0; place < PLACES; place += 1) {
    const at = (seed * 13 + place * apart) % lines.length;
    lines.splice(at, LINES_OUT, ...newLines(seed * PLACES + place));
  }
  return lines.join('\n');
}

/** Lines as the sources have them; the number in the first makes them new to every store. */
function newLines(seed: number): string[] {
  const text = mixedText(LINES_IN * LINE_BYTES, seed).toString('latin1');
  return text.split('\n').slice(0, LINES_IN);
}
