/** A kind of value: how it is written in a file and in a variable, and how it is shown. */
export interface Kind<Value> {
  /** What is expected, for a message: "must be …". */
  readonly expected: string;
  /** Undefined where the value is of another kind. */
  fromJson(value: unknown): Value | undefined;
  fromText(text: string): Value | undefined;
}

/** Bytes, as a number or with a unit. */
export const BYTES: Kind<number> = {
  expected: 'a number of bytes, such as 1048576 or "10 MiB"',
  fromJson: (value) => (typeof value === 'string' ? parseBytes(value) : wholeNumber(value)),
  fromText: parseBytes,
};

export const COUNT: Kind<number> = {
  expected: 'a whole number, not below 0',
  fromJson: wholeNumber,
  fromText: (text) => wholeNumber(numberIn(text)),
};

/** Of what there always has to be one. */
export const AT_LEAST_ONE: Kind<number> = {
  expected: 'a whole number, not below 1',
  fromJson: (value) => atLeastOne(wholeNumber(value)),
  fromText: (text) => atLeastOne(wholeNumber(numberIn(text))),
};

export const DAYS: Kind<number> = {
  expected: 'a number of days, not below 0',
  fromJson: amount,
  fromText: (text) => amount(numberIn(text)),
};

export const MILLISECONDS: Kind<number> = {
  expected: 'a number of milliseconds, not below 0',
  fromJson: wholeNumber,
  fromText: (text) => wholeNumber(numberIn(text)),
};

/** Null, or "none" in a variable: as long as it takes. */
export const DEADLINE: Kind<number | null> = {
  expected: 'a number of milliseconds, or null for no limit',
  fromJson: (value) => (value === null ? null : wholeNumber(value)),
  fromText: (text) => (text === 'none' ? null : wholeNumber(numberIn(text))),
};

export const SWITCH: Kind<boolean> = {
  expected: 'true or false',
  fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
  fromText: (text) => SWITCH_WORDS.get(text.toLowerCase()),
};

/** In a variable separated by ":", as folders are in PATH. */
export const PATTERNS: Kind<readonly string[]> = {
  expected: 'a list of patterns as in .gitignore',
  fromJson: (value) => (Array.isArray(value) && value.every(isPattern) ? value : undefined),
  fromText: (text) => text.split(':').filter((pattern) => pattern !== ''),
};

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 1024],
  ['mib', 1024 ** 2],
  ['gib', 1024 ** 3],
  ['tib', 1024 ** 4],
]);

/** "500 MB", "10MiB", "1048576"; undefined where it is no size. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS.get((unit ?? '').toLowerCase());
  if (digits === undefined || factor === undefined) return undefined;
  return wholeNumber(Math.round(Number(digits) * factor));
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function atLeastOne(value: number | undefined): number | undefined {
  return value !== undefined && value >= 1 ? value : undefined;
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Number('') is 0, and that is not what an empty variable says. */
function numberIn(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/** One line, so that it cannot become two patterns. */
function isPattern(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/[\n\r\0]/.test(value);
}
