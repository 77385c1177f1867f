import type { TrackedPath } from './path.ts';

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

/** Whether a program may be using a file of this name as long as it is there: a database, a log or a lock file. */
export function isLiving(name: string): boolean {
  if (DEPENDENCY_LOCKS.has(name)) return false;
  return LIVING.test(name) || BESIDE_DATABASE.test(name);
}

/** The name of the database that a file is a part of; its own name if it is no such part. */
export function databaseOf<Name extends string>(name: Name): Name {
  return name.replace(BESIDE_DATABASE, '') as Name;
}

/** All files that may make up a database: half of them would be a damaged one. */
export function partsOf(database: TrackedPath): TrackedPath[] {
  return DATABASE_SUFFIXES.map((suffix) => `${database}${suffix}` as TrackedPath);
}

/** Whether a database is damaged without this part. SQLite makes `-shm` again by itself. */
export function isNeeded(part: TrackedPath): boolean {
  return !part.endsWith('-shm');
}
