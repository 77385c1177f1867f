import { UsageError } from '../../terminal/usage-error.ts';

const WORD = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))\s*/;

/** The first word of what follows a command, in quotes where it has blanks, and what comes after it. */
export function firstWord(args: string): { readonly word: string; readonly rest: string } {
  const [all = '', double, single, plain] = WORD.exec(args) ?? [];
  return { word: double ?? single ?? plain ?? '', rest: args.slice(all.length) };
}

/** At most `limit` words. */
export function wordsOf(args: string, limit: number): string[] {
  const words: string[] = [];
  for (let rest = args; rest.trim() !== ''; ) {
    const next = firstWord(rest);
    words.push(next.word);
    rest = next.rest;
    if (words.length > limit) throw new UsageError('That is too much.');
  }
  return words;
}

/** All that follows as one text, blanks and all; quotes around it are not part of it. */
export function wholeText(args: string, question: string): string {
  const trimmed = args.trim();
  const { word, rest } = firstWord(trimmed);
  const text = rest === '' ? word : trimmed;
  if (text.trim() === '') throw new UsageError(question);
  return text;
}

export function noArguments(args: string): void {
  if (args.trim() !== '') throw new UsageError('It takes nothing.');
}
