import { posix } from 'node:path';
import { isThere, realPathBytes } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';
import {
  displayText,
  isBelow,
  isOutside,
  type NamedPath,
  type Savepoint,
  selectedPath,
  type TrackedPath,
} from '../index.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { Call } from './command.ts';

/**
 * Paths as a person typed them, made absolute. They are relative to the current folder, as everywhere;
 * from outside of the project, to the project. Undefined: all of it.
 */
export function pathArguments(
  call: Call,
  root: string,
  typed: readonly string[],
): NamedPath[] | undefined {
  if (typed.length === 0) return undefined;
  const { cwd } = call.io;
  const base = isWithin(cwd, root) ? cwd : root;
  const paths = typed.map((text) => absolute(base, root, text));
  const whole = paths.some((path) => Buffer.compare(path, Buffer.from(root)) === 0);
  return whole ? undefined : paths;
}

function absolute(base: string, root: string, text: string): Buffer {
  if (text === '') throw new UsageError('a path must not be empty');
  // File names are bytes. As Latin-1 each byte is one character, and "/" and ".." stay what they are.
  const path = posix.resolve(latin1(Buffer.from(base)), latin1(bytesOf(text)));
  const bytes = Buffer.from(path, 'latin1');
  return isWithin(path, latin1(Buffer.from(root))) ? bytes : throughLinks(bytes);
}

/** A path that leads into the project by a link to a folder above it. */
function throughLinks(path: Buffer): Buffer {
  const slash = path.lastIndexOf('/');
  try {
    const folder = realPathBytes(path.subarray(0, slash));
    return Buffer.concat([folder, path.subarray(slash)]);
  } catch {
    return path;
  }
}

const REPLACEMENT = '\ufffd';

/** Node replaces bytes that are not UTF-8 in arguments; on Linux the kernel still has them. */
function bytesOf(text: string): Buffer {
  if (!text.includes(REPLACEMENT)) return Buffer.from(text);
  const fitting = rawArguments().filter((argument) => argument.toString('utf8') === text);
  const [first] = fitting;
  if (first !== undefined && fitting.every((other) => other.equals(first))) return first;
  throw new UsageError(
    `"${text}" holds bytes that are not UTF-8, which cannot be passed here`,
    'name the folder that it is in',
  );
}

function rawArguments(): Buffer[] {
  const { bytes } = readFile('/proc/self/cmdline');
  if (bytes === null) return [];
  const words = bytes.toString('latin1').split('\0');
  return words.map((argument) => Buffer.from(argument, 'latin1'));
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1');
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** A path that was named on the command line, and of which no change is on record. */
export interface Unmatched {
  /** As it was typed. */
  readonly typed: string;
  /** Whether there is such a file in the project all the same. */
  readonly exists: boolean;
}

/** Those of the named paths that match no change. `found` are paths with changes, known already. */
export async function unmatchedPaths(
  savepoint: Savepoint,
  typed: readonly string[],
  paths: readonly NamedPath[] | undefined,
  found: readonly TrackedPath[],
): Promise<Unmatched[]> {
  const unmatched: Unmatched[] = [];
  for (const [i, named] of (paths ?? []).entries()) {
    const path = selectedPath(savepoint.root, named);
    if (found.some((other) => covers(path, other)) || (await hasChanges(savepoint, path))) continue;
    const exists = !isOutside(path) && standsThere(named);
    unmatched.push({ typed: typed[i] ?? path, exists });
  }
  return unmatched;
}

export function sayUnmatched(call: Call, unmatched: readonly Unmatched[]): void {
  for (const line of unmatchedText(unmatched)) call.say(line);
}

export function unmatchedText(unmatched: readonly Unmatched[]): string[] {
  return unmatched.map(
    ({ typed, exists }) => `${displayText(typed)}: ${exists ? 'no change' : 'nothing'} on record`,
  );
}

/** Whether a change of the path, or of something below it, is on record. */
export function isOnRecord(savepoint: Savepoint, path: NamedPath): Promise<boolean> {
  return hasChanges(savepoint, selectedPath(savepoint.root, path));
}

async function hasChanges(savepoint: Savepoint, path: TrackedPath): Promise<boolean> {
  if ((await savepoint.changes({ paths: [path] })).length > 0) return true;
  // The store finds whole paths only, so paths below a folder are looked for among all changes.
  return (await savepoint.changes({})).some((change) => isBelow(change.path, path));
}

function covers(named: TrackedPath, path: TrackedPath): boolean {
  return path === named || isBelow(path, named);
}

function standsThere(path: NamedPath): boolean {
  const name = typeof path === 'string' ? path : Buffer.from(path);
  try {
    return isThere(name);
  } catch {
    return false;
  }
}
