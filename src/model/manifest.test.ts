import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../test/property/runs.ts';
import { isSavepointError } from './errors.ts';
import type { BlobId } from './ids.ts';
import { type BaselineState, Manifest, ManifestWriter } from './manifest.ts';
import { bytesToPath, type TrackedPath } from './path.ts';
import { unknown } from './state.ts';

const BLOB = 'a1'.repeat(32) as BlobId;
const FOLDER: BaselineState = {
  kind: 'captured',
  type: 'directory',
  mode: 0o755,
  blob: null,
  size: 0,
};
const FILE: BaselineState = { kind: 'captured', type: 'file', mode: 0o644, blob: BLOB, size: 7 };

test('gives back every kind of state, with names that are not text', () => {
  const odd = bytesToPath(Uint8Array.of(0x61, 0xff)) as TrackedPath;
  const held: BaselineState = {
    kind: 'git',
    mode: 0o755,
    size: 2 ** 40,
    key: new Uint8Array(20).fill(9),
  };
  const link: BaselineState = { ...FILE, type: 'symlink', mode: 0o777 };
  const entries: [string, BaselineState][] = [
    ['a', FOLDER],
    ['a/one', FILE],
    ['a/two', held],
    [odd, link],
    ['b', unknown('too-large')],
    ['c', unknown('purged')],
  ];
  expect([...manifestOf(entries)]).toEqual(entries);
});

test('tells a folder from names that only begin like it', () => {
  const manifest = manifestOf([
    ['a-b', FILE],
    ['a.b', FILE],
    ['a', FOLDER],
    ['a/b', FOLDER],
    ['a/b/c', FILE],
    ['a0', FILE],
  ]);
  expect(manifest.find('a' as TrackedPath)).toEqual(FOLDER);
  expect(manifest.find('a.b' as TrackedPath)).toEqual(FILE);
  expect(manifest.find('a/b/c' as TrackedPath)).toEqual(FILE);
  expect(manifest.find('a/c' as TrackedPath)).toBeNull();
  expect(manifest.find('a/b/c/d' as TrackedPath)).toBeNull();
});

test('finds every path of any tree, and no other', () => {
  const names = fc.constantFrom('a', 'b', 'a.b', 'a-', 'a0', 'é', '~', ' ');
  const files = fc.uniqueArray(fc.array(names, { minLength: 1, maxLength: 4 }), {
    selector: (parts) => parts.join('/'),
    maxLength: 20,
  });
  fc.assert(
    fc.property(files, files, (some, others) => {
      const tree = treeOf(some.map((parts) => parts.join('/')));
      const manifest = manifestOf(
        [...tree].sort(([a, x], [b, y]) => order(sortKey(a, x), sortKey(b, y))),
      );
      for (const [path, state] of tree) expect(manifest.find(path as TrackedPath)).toEqual(state);
      for (const path of others.map((parts) => parts.join('/'))) {
        expect(manifest.find(path as TrackedPath)).toEqual(tree.get(path) ?? null);
      }
    }),
    propertyRuns(1),
  );
});

test('refuses bytes that are no manifest', () => {
  const whole = finished([['a', FILE]]);
  for (const bytes of [new Uint8Array(0), whole.slice(0, -1), whole.map((byte) => byte ^ 1)]) {
    expect(() => new Manifest(bytes)).toThrow(
      expect.toSatisfy((error) => isSavepointError(error, 'store-corrupt')),
    );
  }
});

function manifestOf(entries: readonly (readonly [string, BaselineState])[]): Manifest {
  return new Manifest(finished(entries));
}

function finished(entries: readonly (readonly [string, BaselineState])[]): Uint8Array {
  const writer = new ManifestWriter(entries.length + 1);
  // The last one gets no state, and is left out.
  for (const [at, [, state]] of entries.entries()) writer.set(at, state);
  return writer.finish((at) => (entries[at]?.[0] ?? 'left out') as TrackedPath);
}

/** The files, as far as none lies below another, and the folders above them. */
function treeOf(files: readonly string[]): Map<string, BaselineState> {
  const folders = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let end = 1; end < parts.length; end += 1) folders.add(parts.slice(0, end).join('/'));
  }
  return new Map([
    ...[...folders].map((path): [string, BaselineState] => [path, FOLDER]),
    ...files
      .filter((path) => !folders.has(path))
      .map((path): [string, BaselineState] => [path, FILE]),
  ]);
}

function sortKey(path: string, state: BaselineState): Buffer {
  return Buffer.from(state === FOLDER ? `${path}/` : path);
}

function order(a: Buffer, b: Buffer): number {
  return Buffer.compare(a, b);
}
