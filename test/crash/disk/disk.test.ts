import { expect, test } from 'vitest';
import { randomFrom } from '../campaign.ts';
import { parseCalls } from '../strace/calls.ts';
import { nameFiles } from '../strace/file-calls.ts';
import { Disk, newFile } from './disk.ts';
import { ALL_FATES, cutPower, type RemainingEntry } from './power-cut.ts';
import { Replay } from './replay.ts';

const OLD = Buffer.alloc(3000, 'o');
const NEW = Buffer.alloc(2000, 'n');

test('finds out that a program which never syncs tears a file', () => {
  expect(statesDuring([write(NEW), RENAME])).toContain('torn');
});

test('finds out that a file which is synced after its rename is torn', () => {
  expect(statesDuring([write(NEW), RENAME, SYNC])).toContain('torn');
});

test('finds out that a rename is lost without a sync of the folder', () => {
  expect(statesAfter([write(NEW), SYNC, RENAME])).toEqual(new Set(['old', 'new']));
});

test('finds nothing wrong with a program that syncs the file, renames it and syncs the folder', () => {
  const calls = [write(NEW), SYNC, RENAME, ...SYNC_FOLDER];
  expect(statesDuring(calls)).toEqual(new Set(['old', 'new']));
  expect(statesAfter(calls)).toEqual(new Set(['new']));
});

test('finds out that a mode which was not synced is lost', () => {
  const calls = [write(NEW), SYNC, 'fchmod(20, 0400) = 0', RENAME, ...SYNC_FOLDER];
  const modes = (extra: string[]): Set<number> =>
    new Set(
      remainsAfter([...calls, ...extra]).map((entry) => (entry?.kind === 'file' ? entry.mode : 0)),
    );
  expect(modes([])).toEqual(new Set([0o600, 0o400]));
  // fdatasync leaves modes out, fsync does not.
  expect(modes(['fdatasync(20) = 0'])).toEqual(new Set([0o600, 0o400]));
  expect(modes([SYNC])).toEqual(new Set([0o400]));
});

test('finds out that the names of one file need not come in order', () => {
  const calls = ['link("/disk/f", "/disk/first") = 0', 'link("/disk/f", "/disk/second") = 0'];
  const seen = new Set(allRemains(calls).map((names) => names.sort().join()));
  expect(seen).toEqual(new Set(['f', 'f,first', 'f,second', 'f,first,second']));
});

test('keeps changes of one name in order', () => {
  const calls = ['unlink("/disk/f") = 0', 'mkdir("/disk/f", 0755) = 0', 'rmdir("/disk/f") = 0'];
  const seen = new Set(remainsAfter(calls).map((entry) => entry?.kind ?? 'absent'));
  expect(seen).toEqual(new Set(['file', 'absent', 'folder']));
});

test('refuses what it cannot replay', () => {
  expect(() => remainsAfter(['truncate("/disk/f", 5) = 0'])).toThrow(
    'truncate on f cannot be replayed',
  );
});

const OPEN = 'openat(AT_FDCWD, "/disk/f.new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 20';
const SYNC = 'fsync(20) = 0';
const RENAME = 'rename("/disk/f.new", "/disk/f") = 0';
const SYNC_FOLDER = ['openat(AT_FDCWD, "/disk", O_RDONLY) = 21', 'fsync(21) = 0'];

function write(bytes: Buffer): string {
  return `write(20, ${hex(bytes)}, ${bytes.length}) = ${bytes.length}`;
}

/** What can be found under the name, over all fates and many cuts at any moment. */
function statesDuring(calls: readonly string[]): Set<string> {
  const prefixes = calls.map((_, index) => calls.slice(0, index + 1));
  return new Set(prefixes.flatMap((prefix) => [...statesAfter(prefix)]));
}

/** The same for cuts after the last call. */
function statesAfter(calls: readonly string[]): Set<string> {
  return new Set(remainsAfter(calls).map(stateOf));
}

function stateOf(entry: RemainingEntry | undefined): string {
  if (entry?.kind !== 'file') return 'lost';
  if (entry.bytes.equals(OLD)) return 'old';
  return entry.bytes.equals(NEW) ? 'new' : 'torn';
}

function remainsAfter(calls: readonly string[]): (RemainingEntry | undefined)[] {
  const starts = calls.some((call) => call.includes('(20')) ? [OPEN] : [];
  return cutsAfter([...starts, ...calls]).map(({ entries }) => entries.get('f'));
}

function allRemains(calls: readonly string[]): string[][] {
  return cutsAfter(calls).map(({ entries }) => [...entries.keys()]);
}

function cutsAfter(lines: readonly string[]): ReturnType<typeof cutPower>[] {
  const disk = new Disk();
  disk.changeNames([{ folder: disk.root, name: 'f', entry: newFile(0o600, OLD) }]);
  disk.settleAll();
  const replay = new Replay(disk, '/disk');
  const calls = nameFiles(parseCalls(lines.map(inHex).join('\n')), '/disk');
  for (const call of calls) replay.carryOut(call);
  const random = randomFrom(1);
  const rounds = Array.from({ length: 40 }, () => ALL_FATES);
  return rounds.flat().map((fate) => cutPower(disk, fate, random));
}

/** As strace writes it with -xx. */
function inHex(line: string): string {
  return line.replace(/"(\/[^"]*)"/g, (_, path: string) => hex(Buffer.from(path)));
}

function hex(bytes: Buffer): string {
  return `"${bytes.toString('hex').replace(/../g, '\\x$&')}"`;
}
