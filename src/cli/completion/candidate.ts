import { displayText } from '../../index.ts';

/** Something that a shell may offer. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

const LONGEST_ABOUT = 60;

/**
 * Labels and ids can come from anybody. What would break out of its line, steer a terminal or pass for an
 * option is not offered. Quoting is left to the shells, each of which knows its own.
 */
export function isHarmless({ value }: Candidate): boolean {
  return value !== '' && displayText(value) === value && !value.startsWith('-');
}

/** Lines for the scripts: the value, a tab, what it is. */
export function candidateLines(
  candidates: readonly Candidate[],
  typed: string,
  before: string,
): string[] {
  const fitting = candidates.filter(({ value }) => value.startsWith(typed));
  const unique = new Map(fitting.map(({ value, about }) => [value, about]));
  return [...unique].map(([value, about]) => `${before}${value}\t${shortAbout(about)}`);
}

function shortAbout(about: string): string {
  const text = displayText(about);
  return text.length > LONGEST_ABOUT ? `${text.slice(0, LONGEST_ABOUT - 1).toWellFormed()}…` : text;
}
