import { AMOUNT, BOOLEAN, COUNT, integer, listOf, nullable, TEXT, where } from '../model/check.ts';
import type { SettingKind } from './load-settings.ts';

/** A number of bytes, which may have a unit. */
export const SIZE: SettingKind<number> = {
  kind: where(COUNT, 'a number of bytes, such as 1048576 or "10 MiB"', () => true),
  fromText: parseBytes,
  textInFiles: true,
  toText: bytesText,
};

export const WHOLE_NUMBER: SettingKind<number> = { kind: COUNT, fromText: numberIn };

export const AT_LEAST_ONE: SettingKind<number> = { kind: integer(1), fromText: numberIn };

export const DAYS: SettingKind<number> = {
  kind: where(AMOUNT, 'a number of days, not below 0', Number.isFinite),
  fromText: numberIn,
};

/** Null, or "none" in a variable: as long as it takes. */
export const DEADLINE: SettingKind<number | null> = {
  kind: nullable(where(COUNT, 'a number of milliseconds', () => true)),
  fromText: (text) => (text === 'none' ? null : numberIn(text)),
};

export const SWITCH: SettingKind<boolean> = {
  kind: BOOLEAN,
  fromText: (text) => SWITCH_WORDS.get(text.toLowerCase()),
};

/** A name, or the path of a file; null where there is none. */
export const NAME: SettingKind<string | null> = {
  kind: nullable(where(TEXT, 'a text in one line', isOneLine)),
  fromText: (text) => text,
};

/** Null, or "auto" in a variable: as the program finds right. */
export const SWITCH_OR_AUTO: SettingKind<boolean | null> = {
  kind: nullable(BOOLEAN),
  fromText: (text) => (text === 'auto' ? null : SWITCH.fromText(text)),
};

/** In a variable separated by ":", as folders are in PATH. */
export const PATTERNS: SettingKind<readonly string[]> = {
  kind: listOf(where(TEXT, 'a pattern as in .gitignore, in one line', isOneLine)),
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

/** "500 MB", "10MiB", "1048576"; undefined for a text that is not a size. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS.get((unit ?? '').toLowerCase());
  if (digits === undefined || factor === undefined) return undefined;
  const bytes = Math.round(Number(digits) * factor);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const SHOWN_UNITS = [
  ['TiB', 1024 ** 4],
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;

/** "10 MiB"; the plain number where no unit says it exactly. */
function bytesText(bytes: number): string {
  const [unit, factor] = SHOWN_UNITS.find(([, size]) => bytes > 0 && bytes % size === 0) ?? [];
  return factor === undefined ? String(bytes) : `${bytes / factor} ${unit}`;
}

/** Number('') is 0, and an empty variable does not say 0. */
function numberIn(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function isOneLine(text: string): boolean {
  return text !== '' && !/[\n\r\0]/.test(text);
}
