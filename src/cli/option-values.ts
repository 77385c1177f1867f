import { UsageError } from '../terminal/usage-error.ts';

/**
 * Options with their values, in one word each; `valued` says which option a word stands for. Node's parser takes the -1 of `--limit -1` for an option
 * and speaks of ambiguity; a number is a value, and anything else means that the value was forgotten.
 */
export function joinValues(argv: readonly string[], valued: ReadonlyMap<string, string>): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') return [...words, ...argv.slice(i)];
    const next = argv[i + 1];
    const option = valued.get(word);
    if (option === undefined) words.push(word);
    else if (next === undefined || looksLikeOption(next)) throw missingValue(word, next);
    else {
      words.push(`${option}=${next}`);
      i += 1;
    }
  }
  return words;
}

function looksLikeOption(word: string): boolean {
  return word.startsWith('-') && word !== '-' && !/^-\d/.test(word);
}

function missingValue(option: string, next: string | undefined): UsageError {
  const hint =
    next === undefined || next === '--' ? undefined : `if ${next} is it: ${option}=${next}`;
  return new UsageError(`${option} needs a value`, hint);
}
