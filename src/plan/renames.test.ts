import { expect, test } from 'vitest';
import type { TrackedPath } from '../model/path.ts';
import { ABSENT, type State } from '../model/state.ts';
import { blobOf } from '../store/blob.ts';
import { findRenames, type Moved } from './renames.ts';

test('tells a rename by its content', () => {
  const diffs = [gone('old.ts', 'text'), made('new.ts', 'text'), made('other.ts', 'other')];
  expect([...findRenames(diffs)]).toEqual([['new.ts', 'old.ts']]);
});

test('prefers the same last name where several fit', () => {
  const diffs = [
    gone('a/x', 'text'),
    gone('a/y', 'text'),
    made('b/y', 'text'),
    made('b/x', 'text'),
  ];
  expect([...findRenames(diffs)]).toEqual([
    ['b/y', 'a/y'],
    ['b/x', 'a/x'],
  ]);
});

test('takes each deleted path once: a copy is no rename', () => {
  const diffs = [gone('old', 'text'), made('one', 'text'), made('two', 'text')];
  expect([...findRenames(diffs)]).toEqual([['one', 'old']]);
});

test('sees no rename in empty files, and none between a file and a link', () => {
  const link: State = { kind: 'captured', type: 'symlink', mode: 0o777, ...blob('text') };
  const diffs = [gone('empty', ''), made('hollow', ''), gone('old', 'text')];
  expect(findRenames([...diffs, { path: path('link'), before: ABSENT, after: link }]).size).toBe(0);
});

function gone(name: string, text: string): Moved {
  return { path: path(name), before: file(text), after: ABSENT };
}

function made(name: string, text: string): Moved {
  return { path: path(name), before: ABSENT, after: file(text) };
}

function file(text: string): State {
  return { kind: 'captured', type: 'file', mode: 0o644, ...blob(text) };
}

function blob(text: string): { blob: ReturnType<typeof blobOf>['id']; size: number } {
  const { id, bytes } = blobOf(Buffer.from(text));
  return { blob: id, size: bytes.length };
}

function path(name: string): TrackedPath {
  return name as TrackedPath;
}
