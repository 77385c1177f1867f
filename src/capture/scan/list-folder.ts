import type { Entry } from '../../fs/tree.ts';
import { SavepointError } from '../../model/errors.ts';
import { MARKER_NAMES } from '../ignore/default-rules.ts';
import { IGNORE_FILE_NAMES, type IgnoreScope } from '../ignore/ignore-scope.ts';
import { bareStat, type EntryStat, isDirectoryMode } from './entry-stat.ts';
import { isMissing, isUnreadable } from './file-system.ts';
import { type FolderRuleTexts, type RuleReader, readRules } from './folder-rules.ts';
import type { ScanControl } from './scan-control.ts';
import { sortByKey } from './scan-index.ts';

export interface WalkContext extends RuleReader {
  readonly root: string;
  readonly control: ScanControl;
}

export interface Child {
  readonly name: string;
  /** The name by which entries are sorted: a folder's ends in "/". */
  readonly key: string;
  readonly stat: EntryStat;
  readonly isDirectory: boolean;
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
  /** Finds entries that stay in scope although these rules hide them; left out, there are none. */
  readonly heldUnder?: (rules: FolderRuleTexts) => Held;
}

/** Whether an entry stays in scope although a rule hides its name. */
export type Held = (name: string, isDirectory: boolean) => boolean;

const NOTHING_HELD: Held = () => false;

const NONE: ReadonlySet<string> = new Set();

/** Reads a folder and looks at each entry that is in scope. */
export function listFolder(
  context: WalkContext,
  { path, knownRules, scopeWith, heldUnder }: ListRequest,
): Listing | 'missing' | 'unreadable' {
  const at = path === '' ? context.root : `${context.root}/${path}`;
  const names = listNames(context, at);
  if (typeof names === 'string') return names;
  const rules = readRules(context, at, namesThatRule(names), knownRules);
  const scope = scopeWith(rules);
  const held = heldUnder?.(rules) ?? NOTHING_HELD;
  const isHidden: Held = (name, isDirectory) =>
    scope.ignores(name, isDirectory) && !held(name, isDirectory);
  return { rules, scope, ...lookAt(context, at, names, isHidden) };
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
  isHidden: Held,
): Pick<Listing, 'children' | 'names' | 'failed'> {
  const children: Child[] = [];
  const gone = new Set<string>();
  const failed = new Set<string>();
  for (const { name, isDirectory } of listed) {
    if (isHidden(name, isDirectory)) continue;
    const stat = statOf(context, `${at}/${name}`);
    if (stat === 'missing') gone.add(name);
    else if (stat === 'unreadable') failed.add(name);
    else addChild(children, name, stat, isDirectory, isHidden);
  }
  const names = gone.size === 0 ? listed : listed.filter(({ name }) => !gone.has(name));
  return { children: sortByKey(children), names, failed };
}

function addChild(
  children: Child[],
  name: string,
  stat: EntryStat,
  wasDirectory: boolean,
  isHidden: Held,
): void {
  const isDirectory = isDirectoryMode(stat.mode);
  // If a file became a folder or the reverse since the folder was read, other rules apply to it.
  if (isDirectory !== wasDirectory && isHidden(name, isDirectory)) return;
  children.push({ name, key: isDirectory ? `${name}/` : name, stat, isDirectory });
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
