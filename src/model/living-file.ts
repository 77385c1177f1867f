import { nameOf, type TrackedPath } from './path.ts';

/** Lock files of package managers, which are work like any other file. */
export const DEPENDENCY_LOCKS: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'Gemfile.lock',
  'composer.lock',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'go.sum',
  'mix.lock',
  'pubspec.lock',
  'flake.lock',
]);

const LIVING = /\.(sqlite3?|db3?|mdb|log|pid|lock|lck)$|\.log\.\d+$|^\.?lock(file)?$/i;
/** The files that SQLite keeps beside a database. */
const BESIDE_DATABASE = /-(wal|shm|journal)$/;
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal'];

/** Whether a program may be using a file as long as it is there: a database, a log or a lock file, by its name. */
export function isLiving(path: TrackedPath): boolean {
  const name = nameOf(path);
  if (DEPENDENCY_LOCKS.has(name)) return false;
  return LIVING.test(name) || BESIDE_DATABASE.test(name);
}

/** A living file with those that make up one database with it: half of them would be a damaged one. */
export function livingGroup(path: TrackedPath): TrackedPath[] {
  const database = path.replace(BESIDE_DATABASE, '');
  return DATABASE_SUFFIXES.map((suffix) => `${database}${suffix}` as TrackedPath);
}
