import { bytesToPath } from '../../model/path.ts';
import { MARKER_NAMES } from '../ignore/default-rules.ts';
import { type IgnoreFile, MAX_IGNORE_FILE_LENGTH, parseIgnore } from '../ignore/ignore-file.ts';
import type { FolderRules } from '../ignore/ignore-scope.ts';
import { type EntryStat, isFileMode, type RacyRule } from './entry-stat.ts';
import { isMissing, isUnreadable, type ScanFileSystem } from './file-system.ts';

/** A rule file as it was read. */
export interface RuleFile {
  /** Null for an entry that is not used as a rule file: a link, or a file that is too large. */
  readonly text: string | null;
  /** The stat in one text; null when it proves nothing, so that the file is read again each time. */
  readonly stamp: string | null;
}

/**
 * The rules of a folder, as texts: the index keeps them, so that a later scan can judge by the rules as
 * they were.
 */
export interface FolderRuleTexts {
  readonly gitignore: RuleFile | null;
  readonly savepointignore: RuleFile | null;
  readonly markers: readonly string[];
  /** Names that the last listing left out. */
  readonly leftOut: LeftOutNames;
}

/** Names that are out of scope because of a rule, or because of their size or number; `many`: too many to list. */
export type LeftOutNames = readonly string[] | 'many';

export const NO_RULE_TEXTS: FolderRuleTexts = {
  gitignore: null,
  savepointignore: null,
  markers: [],
  leftOut: [],
};

export interface RuleReader {
  readonly fileSystem: ScanFileSystem;
  readonly racyRule: RacyRule;
}

/**
 * The rules of a folder as they are now. `names` is null where the folder was not listed because it did
 * not change. Where nothing changed, returns `known` itself.
 */
export function readRules(
  reader: RuleReader,
  folder: string,
  names: ReadonlySet<string> | null,
  known: FolderRuleTexts,
): FolderRuleTexts {
  const read = (name: string, was: RuleFile | null): RuleFile | null => {
    if (names === null ? was === null : !names.has(name)) return null;
    return readRuleFile(reader, `${folder}/${name}`, was);
  };
  const gitignore = read('.gitignore', known.gitignore);
  const savepointignore = read('.savepointignore', known.savepointignore);
  const markers = names === null ? known.markers : markersAmong(names, known.markers);
  return gitignore === known.gitignore &&
    savepointignore === known.savepointignore &&
    markers === known.markers
    ? known
    : { gitignore, savepointignore, markers, leftOut: known.leftOut };
}

/** The rules with another list of names that are left out; the same object where the list is the same. */
export function withLeftOut(rules: FolderRuleTexts, leftOut: LeftOutNames): FolderRuleTexts {
  const isSame =
    leftOut === rules.leftOut ||
    (leftOut !== 'many' && rules.leftOut !== 'many' && sameList(leftOut, rules.leftOut));
  return isSame ? rules : { ...rules, leftOut };
}

/** Whether two folders have the same rules, no matter when they were read. */
export function sameRules(a: FolderRuleTexts, b: FolderRuleTexts): boolean {
  return (
    textOf(a.gitignore) === textOf(b.gitignore) &&
    textOf(a.savepointignore) === textOf(b.savepointignore) &&
    sameList(a.markers, b.markers)
  );
}

export function isEmpty(rules: FolderRuleTexts): boolean {
  return (
    rules.gitignore === null &&
    rules.savepointignore === null &&
    rules.markers.length === 0 &&
    rules.leftOut.length === 0
  );
}

const parsedBefore = new WeakMap<FolderRuleTexts, FolderRules>();

export function parseRules(texts: FolderRuleTexts): FolderRules {
  const before = parsedBefore.get(texts);
  if (before !== undefined) return before;
  const parsed = {
    gitignore: parseFile(texts.gitignore),
    savepointignore: parseFile(texts.savepointignore),
    markers: new Set(texts.markers),
  };
  parsedBefore.set(texts, parsed);
  return parsed;
}

function readRuleFile(reader: RuleReader, path: string, was: RuleFile | null): RuleFile | null {
  try {
    const stat = reader.fileSystem.lstat(path);
    if (stat === null) return null;
    if (was !== null && was.stamp !== null && was.stamp === stampOf(stat)) return was;
    // Git, too, reads no rules through a link: it could lead out of the worktree.
    const bytes = isFileMode(stat.mode)
      ? reader.fileSystem.read(path, MAX_IGNORE_FILE_LENGTH)
      : null;
    // The stat is older than the bytes: if the file changed in between, the next scan reads it again.
    const stamp = reader.racyRule.isRacy(stat) ? null : stampOf(stat);
    return { text: bytes && bytesToPath(bytes), stamp };
  } catch (error) {
    if (!isMissing(error) && !isUnreadable(error)) throw error;
    return { text: null, stamp: null };
  }
}

function stampOf({ mtimeMs, ctimeMs, ino, size }: EntryStat): string {
  return `${mtimeMs} ${ctimeMs} ${ino} ${size}`;
}

function markersAmong(names: ReadonlySet<string>, known: readonly string[]): readonly string[] {
  const found = [...MARKER_NAMES].filter((name) => names.has(name));
  return sameList(found, known) ? known : found;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function textOf(file: RuleFile | null): string | null {
  return file?.text ?? null;
}

function parseFile(file: RuleFile | null): IgnoreFile | null {
  const text = textOf(file);
  return text === null ? null : parseIgnore(text);
}
