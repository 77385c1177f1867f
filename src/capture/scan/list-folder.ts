import type { Entry } from '../../fs/tree.ts';
import { SavepointError } from '../../model/errors.ts';
import { MARKER_NAMES } from '../ignore/default-rules.ts';
import { IGNORE_FILE_NAMES, type IgnoreScope } from '../ignore/ignore-scope.ts';
import { bareStat, type EntryStat } from './entry-stat.ts';
import { isMissing, isUnreadable } from './file-system.ts';
import { type FolderRuleTexts, type RuleReader, readRules, withLeftOut } from './folder-rules.ts';
import { EntryChooser, type PrivateEntries } from './ignored-entries.ts';
import type { ScanControl } from './scan-control.ts';
import { sortByKey } from './scan-index.ts';

export interface WalkContext extends RuleReader {
  readonly root: string;
  readonly control: ScanControl;
  readonly privates: PrivateEntries;
}

export interface Child {
  readonly name: string;
  /** The name by which entries are sorted: a folder's ends in "/". */
  readonly key: string;
  readonly stat: EntryStat;
  readonly isDirectory: boolean;
  /** Whether git ignores it, and it is taken all the same. */
  readonly isPrivate: boolean;
}

export interface Listing {
  readonly rules: FolderRuleTexts;
  readonly scope: IgnoreScope;
  /** The entries in scope, in the order of the index. */
  readonly children: Child[];
  /** All entries, ignored or not. */
  readonly names: readonly Entry[];
  /** Names in scope for which `lstat` failed. */
  readonly failed: ReadonlySet<string>;
}

export interface ListRequest {
  /** Empty for the root, else the path of the folder. */
  readonly path: string;
  readonly knownRules: FolderRuleTexts;
  /** Makes the folder's scope from its own rules. */
  readonly scopeWith: (rules: FolderRuleTexts) => IgnoreScope;
  /** Finds entries of the previous index, as they stand under these rules; left out, there are none. */
  readonly knownUnder?: (rules: FolderRuleTexts) => FindKnown;
}

/** An entry of the previous index. */
export interface KnownEntry {
  readonly isPrivate: boolean;
  /** Whether it stays in scope although a rule hides its name. */
  readonly isHeld: boolean;
  /** Of a folder: it, everything in it and everything below it is as it was. */
  readonly isQuiet: boolean;
}

export type FindKnown = (name: string, isDirectory: boolean) => KnownEntry | null;

const NOTHING_KNOWN: FindKnown = () => null;

const NONE: ReadonlySet<string> = new Set();

/** Reads a folder and looks at each entry that is in scope. */
export function listFolder(
  context: WalkContext,
  { path, knownRules, scopeWith, knownUnder }: ListRequest,
): Listing | 'missing' | 'unreadable' {
  const at = path === '' ? context.root : `${context.root}/${path}`;
  const names = listNames(context, at);
  if (typeof names === 'string') return names;
  const rules = readRules(context, at, namesThatRule(names), knownRules);
  const scope = scopeWith(rules);
  const chooser = new EntryChooser(context, path, scope, knownUnder?.(rules) ?? NOTHING_KNOWN);
  const seen = lookAt(context, at, names, chooser);
  return { ...seen, rules: withLeftOut(rules, chooser.leftOut), scope };
}

/** A project whose own folder cannot be read is an error, not a project without files. */
export function listRoot(context: WalkContext, request: Omit<ListRequest, 'path'>): Listing {
  const listing = listFolder(context, { ...request, path: '' });
  if (listing === 'missing') {
    throw new SavepointError('project-missing', 'the project folder is not there');
  }
  if (listing === 'unreadable') {
    throw new SavepointError('capture-failed', 'the project folder cannot be read');
  }
  return listing;
}

function listNames(context: WalkContext, at: string): Entry[] | 'missing' | 'unreadable' {
  context.control.checkNow();
  try {
    return context.fileSystem.list(at);
  } catch (error) {
    if (isMissing(error)) return 'missing';
    if (isUnreadable(error)) return 'unreadable';
    throw error;
  }
}

function namesThatRule(names: readonly Entry[]): ReadonlySet<string> {
  const found = names.filter(
    ({ name }) => MARKER_NAMES.has(name) || IGNORE_FILE_NAMES.includes(name),
  );
  return found.length === 0 ? NONE : new Set(found.map(({ name }) => name));
}

function lookAt(
  context: WalkContext,
  at: string,
  listed: readonly Entry[],
  chooser: EntryChooser,
): Pick<Listing, 'children' | 'names' | 'failed'> {
  const gone = new Set<string>();
  const failed = new Set<string>();
  for (const { name, isDirectory } of listed) {
    const choice = chooser.judge(name, isDirectory);
    if (choice === null) continue;
    const stat = statOf(context, `${at}/${name}`);
    if (stat === 'missing') gone.add(name);
    else if (stat === 'unreadable') failed.add(name);
    else chooser.take(choice, stat);
  }
  const names = gone.size === 0 ? listed : listed.filter(({ name }) => !gone.has(name));
  return { children: sortByKey(chooser.children()), names, failed };
}

function statOf(context: WalkContext, at: string): EntryStat | 'missing' | 'unreadable' {
  context.control.check();
  try {
    const stat = context.fileSystem.lstat(at);
    return stat === null ? 'missing' : bareStat(stat);
  } catch (error) {
    if (isUnreadable(error)) return 'unreadable';
    throw error;
  }
}
