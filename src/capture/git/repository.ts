import { type BigIntStats, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundRepository, findRepository } from './find-repository.ts';
import { type GitEnvironment, runGit } from './git-child.ts';
import { type GitRefusal, Refusal } from './refusal.ts';

/** A repository that may be read. */
export interface Repository extends FoundRepository {
  /** From its top to the project: empty, or ending with "/". */
  readonly prefix: string;
}

/**
 * Finds the repository that a project lies in and looks at its files, before any program is started.
 * Throws a `Refusal` unless it belongs to us and keeps its objects in the plain way.
 */
export function openRepository(root: string): Repository {
  const found = findRepository(root);
  if (found === null) throw new Refusal('no-repository');
  const { top, gitDir, commonDir } = found;
  const files = [join(gitDir, 'HEAD'), join(commonDir, 'config')];
  // Git would wait for ever at a FIFO in place of one of these.
  if (!files.every(isFile) || !existsSync(objectsOf(commonDir))) throw new Refusal('no-repository');
  const repository = { ...found, prefix: prefixOf(top, root) };
  checkOwner(repository);
  checkObjects(commonDir);
  return repository;
}

export function objectsOf(commonDir: string): string {
  return join(commonDir, 'objects');
}

export function indexOf(repository: Repository): string {
  return join(repository.gitDir, 'index');
}

export function packNames(objects: string): string[] {
  try {
    return readdirSync(join(objects, 'pack'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Refuses while git is about to replace the index. */
export function checkUnlocked(repository: Repository): void {
  if (existsSync(`${indexOf(repository)}.lock`)) throw new Refusal('index-locked');
}

/**
 * Refuses repositories whose configuration says that objects may be elsewhere or of another kind, or
 * that programs convert files. Runs before any command that would read an object.
 */
export async function checkConfiguration(
  { top, gitDir, commonDir }: Repository,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const call = { gitDir, top, environment, signal };
  const list = ['config', '--null', '--list'];
  const printed = await Promise.all([
    // The file by itself as well: a git that does not know an extension leaves the whole file out.
    runGit({ ...call, args: [...list, '--file', join(commonDir, 'config')] }),
    runGit({ ...call, args: list }),
  ]);
  for (const output of printed) {
    for (const record of output.split('\0')) checkSetting(record);
  }
}

function checkSetting(record: string): void {
  const end = record.indexOf('\n');
  // A key without "=" has no value, and then means true.
  const [key, value] =
    end === -1 ? [record, 'true'] : [record.slice(0, end), record.slice(end + 1)];
  const refusal = refusalOf(key, value);
  if (refusal !== null) throw new Refusal(refusal);
}

const PLAIN_EXTENSIONS = ['noop', 'preciousobjects', 'worktreeconfig', 'relativeworktrees'];

function refusalOf(key: string, value: string): GitRefusal | null {
  if (key.startsWith('extensions.')) return extensionRefusal(key.slice(11), value);
  if (key.startsWith('filter.') && driverOf(key) !== 'lfs') return 'filter-driver';
  return /^remote\..*\.(promisor|partialclonefilter)$/s.test(key) ? 'partial-clone' : null;
}

function extensionRefusal(name: string, value: string): GitRefusal | null {
  if (name === 'objectformat') return value === 'sha1' ? null : 'sha256';
  if (name === 'refstorage') return value === 'files' ? null : 'reftable';
  if (name === 'partialclone') return 'partial-clone';
  return PLAIN_EXTENSIONS.includes(name) ? null : 'repository-extension';
}

/** The name between the first and the last dot; it may hold dots itself. */
function driverOf(key: string): string {
  return key.slice('filter.'.length, key.lastIndexOf('.'));
}

function prefixOf(top: string, root: string): string {
  if (top === root) return '';
  return `${root.slice(top === '/' ? 1 : top.length + 1)}/`;
}

/**
 * Stricter than git's own check, which an explicit git directory would switch off: whoever can write
 * these files decides what git reads and what we believe about the worktree.
 */
function checkOwner(repository: Repository): void {
  const { top, gitDir, commonDir } = repository;
  const shared = [commonDir, objectsOf(commonDir), join(commonDir, 'config')];
  const files = [top, join(top, '.git'), gitDir, ...shared, indexOf(repository)];
  if (files.flatMap(looks).some((stats) => !isOwn(stats))) throw new Refusal('foreign-owner');
}

/** The stats of a link and of its target. Missing files are refused elsewhere, by their own names. */
function looks(path: string): BigIntStats[] {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  return [lstatSync(path, options), statSync(path, options)].filter((stats) => stats !== undefined);
}

function isOwn(stats: BigIntStats): boolean {
  const uid = process.geteuid?.();
  return uid !== undefined && stats.uid === BigInt(uid);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function checkObjects(commonDir: string): void {
  const objects = objectsOf(commonDir);
  if (existsSync(join(commonDir, 'reftable'))) throw new Refusal('reftable');
  if (existsSync(join(objects, 'info', 'alternates'))) throw new Refusal('alternates');
  if (packNames(objects).some((name) => name.endsWith('.promisor'))) {
    throw new Refusal('partial-clone');
  }
}
