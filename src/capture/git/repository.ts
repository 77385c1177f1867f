import { type BigIntStats, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundRepository, findRepository } from './find-repository.ts';
import { Refusal } from './refusal.ts';

/** A repository that may be read. */
export interface Repository extends FoundRepository {
  /** From its top to the project: empty, or ending with "/". */
  readonly prefix: string;
}

/**
 * Finds the repository that a project lies in and looks at its files, before any program is started.
 * Throws a `Refusal` unless it is one of ours and keeps its objects in the plain way.
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

/** Refuses while git is about to replace the index: what it says is on its way out. */
export function checkUnlocked(repository: Repository): void {
  if (existsSync(`${indexOf(repository)}.lock`)) throw new Refusal('index-locked');
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

/** A link and what it leads to both count. What is missing is refused elsewhere, by its own name. */
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

export function packNames(objects: string): string[] {
  try {
    return readdirSync(join(objects, 'pack'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
