import { bytesToPath } from '../../model/path.ts';
import {
  type FolderRules,
  type IgnoreFile,
  MARKER_NAMES,
  MAX_IGNORE_FILE_LENGTH,
  parseIgnore,
} from '../ignore/index.ts';
import { isFileMode, type RacyRule, type RawStat } from './entry-stat.ts';
import { isMissing, isUnreadable, type ScanFileSystem } from './file-system.ts';

export type RuleFileStat = Omit<RawStat, 'mode'>;

/** A rule file as it was read. `text` is null for what is there and no rule file: a link, too large. */
export interface RuleFile {
  readonly text: string | null;
  /** Null when it could not be had, so that the file is tried again each time. */
  readonly stat: RuleFileStat | null;
  readonly racy: boolean;
}

/**
 * What a folder says about the scope, as texts: so that the index can keep it, and a later scan can
 * judge by the rules as they were.
 */
export interface FolderRuleTexts {
  readonly gitignore: RuleFile | null;
  readonly savepointignore: RuleFile | null;
  readonly markers: readonly string[];
}

export const NO_RULE_TEXTS: FolderRuleTexts = {
  gitignore: null,
  savepointignore: null,
  markers: [],
};

export interface RuleReader {
  readonly fileSystem: ScanFileSystem;
  readonly racyRule: RacyRule;
}

/**
 * The rules of a folder as they are now. `names` null means that the folder was not listed because it
 * did not change. What did not change is taken from `known`, the very same objects.
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
    : { gitignore, savepointignore, markers };
}

/** Whether two folders' rules mean the same, whenever they were read. */
export function sameRules(a: FolderRuleTexts, b: FolderRuleTexts): boolean {
  return (
    textOf(a.gitignore) === textOf(b.gitignore) &&
    textOf(a.savepointignore) === textOf(b.savepointignore) &&
    sameList(a.markers, b.markers)
  );
}

export function isEmpty(rules: FolderRuleTexts): boolean {
  return rules.gitignore === null && rules.savepointignore === null && rules.markers.length === 0;
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
    if (was !== null && isUnchanged(was, stat)) return was;
    // Git, too, takes rules from no link: it could lead out of the worktree.
    const read = isFileMode(Number(stat.mode))
      ? reader.fileSystem.readSmall(path, MAX_IGNORE_FILE_LENGTH)
      : null;
    if (read === null) return { text: null, ...kept(reader, stat) };
    return { text: bytesToPath(read.bytes), ...kept(reader, read.stat) };
  } catch (error) {
    if (!isMissing(error) && !isUnreadable(error)) throw error;
    return { text: null, stat: null, racy: true };
  }
}

function kept(reader: RuleReader, stat: RawStat): Pick<RuleFile, 'stat' | 'racy'> {
  const { mtimeNs, ctimeNs, ino, size } = stat;
  return { stat: { mtimeNs, ctimeNs, ino, size }, racy: reader.racyRule.isRacy(stat) };
}

function isUnchanged(was: RuleFile, now: RawStat): boolean {
  return (
    was.stat !== null &&
    !was.racy &&
    was.stat.mtimeNs === now.mtimeNs &&
    was.stat.ctimeNs === now.ctimeNs &&
    was.stat.ino === now.ino &&
    was.stat.size === now.size
  );
}

function markersAmong(names: ReadonlySet<string>, known: readonly string[]): readonly string[] {
  const found = [...MARKER_NAMES].filter((name) => names.has(name));
  return sameList(found, known) ? known : found;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function textOf(file: RuleFile | null): string | null {
  return file === null ? null : file.text;
}

function parseFile(file: RuleFile | null): IgnoreFile | null {
  const text = textOf(file);
  return text === null ? null : parseIgnore(text);
}
