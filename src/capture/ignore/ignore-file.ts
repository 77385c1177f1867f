import {
  type ByteText,
  byteText,
  type NamePattern,
  type Pattern,
  parsePattern,
} from './pattern.ts';

/**
 * A rule file beyond one of these limits counts as empty. To use only its first half could miss the rule
 * that brings a file back into scope, and an ignored file cannot be rewound.
 */
export const MAX_IGNORE_FILE_LENGTH: number = 1024 * 1024;
export const MAX_PATTERNS = 10_000;

/** A pattern within one folder: only the name is still to be compared. */
export interface Rule {
  /** Its place in the file; a later rule is stronger. */
  readonly index: number;
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  readonly name: NamePattern;
}

/** The strongest rules for one plain name. */
export interface NamedRules {
  readonly file: Rule | null;
  readonly directory: Rule | null;
}

export interface PlacedPattern extends Pattern {
  readonly index: number;
}

/** The compiled patterns of one rule file. Only the files of this folder look inside. */
export interface IgnoreFile {
  /** Plain names that count in every folder. */
  readonly named: ReadonlyMap<ByteText, NamedRules>;
  /** Other patterns that count in every folder, strongest first. */
  readonly anywhere: readonly Rule[];
  /** Patterns for certain folders, strongest first. */
  readonly anchored: readonly PlacedPattern[];
}

/** Compiles the text of a rule file, as `bytesToPath` decodes it. */
export function parseIgnore(text: string): IgnoreFile {
  if (text.length > MAX_IGNORE_FILE_LENGTH) return compile([]);
  const lines = patternLines(byteText(text));
  if (lines.length > MAX_PATTERNS) return compile([]);
  const patterns: PlacedPattern[] = [];
  for (const [index, line] of lines.entries()) {
    const pattern = parsePattern(line);
    if (pattern !== null) patterns.push({ ...pattern, index });
  }
  return compile(patterns.reverse());
}

/** `patterns`: strongest first. */
function compile(patterns: readonly PlacedPattern[]): IgnoreFile {
  const named = new Map<ByteText, NamedRules>();
  const anywhere: Rule[] = [];
  for (const pattern of patterns.filter((each) => each.anywhere)) {
    const rule = ruleOf(pattern);
    const { literal } = rule.name;
    if (literal === null) anywhere.push(rule);
    else named.set(literal, withWeaker(named.get(literal), rule));
  }
  const anchored = patterns.filter((each) => !each.anywhere);
  return { named, anywhere, anchored };
}

function withWeaker(stronger: NamedRules | undefined, rule: Rule): NamedRules {
  return {
    file: stronger?.file ?? (rule.directoryOnly ? null : rule),
    directory: stronger?.directory ?? rule,
  };
}

/** The rule of a pattern within the folder that its other components lead to. */
export function ruleOf({ index, negated, directoryOnly, components }: PlacedPattern): Rule {
  return { index, negated, directoryOnly, name: components.at(-1) as NamePattern };
}

const BYTE_ORDER_MARK = '\xef\xbb\xbf';

function patternLines(bytes: ByteText): ByteText[] {
  const text = bytes.startsWith(BYTE_ORDER_MARK) ? bytes.slice(BYTE_ORDER_MARK.length) : bytes;
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => withoutTrailingSpaces(line.replace(/\r$/, '').replace(/\0.*$/s, '')));
}

/** A space that is escaped stays. */
function withoutTrailingSpaces(line: ByteText): ByteText {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  if (end === line.length) return line;
  return isEscape(line, end - 1) ? line.slice(0, end + 1) : line.slice(0, end);
}

/** Whether the backslash at `at` escapes what follows, and is not itself escaped. */
function isEscape(line: ByteText, at: number): boolean {
  let first = at;
  while (line[first] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
