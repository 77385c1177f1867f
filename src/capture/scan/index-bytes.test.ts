import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, pathsIn, ScanPlace } from '../../../test/scan/scan-place.ts';
import type { TrackedPath } from '../../model/path.ts';
import { decodeIndex, encodeIndex, IndexFile } from './kept-index.ts';
import type { ScanIndex } from './scan-index.ts';

const OPEN = 'at work \udcff' as TrackedPath;
const STAMP = {
  storeId: 'dummy',
  seq: 42,
  open: [OPEN],
  newest: { seq: 41, path: OPEN, createdAt: 1 },
};

let place: ScanPlace;
let index: ScanIndex;
beforeEach(async () => {
  place = new ScanPlace();
  for (const file of ['a/b/c', 'a/é', 'z', 'out/hidden']) place.write(file);
  for (const folder of ['', 'a/'])
    place.write(`${folder}.gitignore`, '*.log\n\ud83d\ude00\n/out/\n');
  place.write('a/package.json');
  index = (await place.scan(null)).index.stamped(STAMP);
});
afterEach(() => place.remove());

describe('an index', () => {
  it('comes back from its bytes as it was', async () => {
    const copy = decoded(bytesOf(index));
    expect(copy.stamp).toEqual(STAMP);
    expect(pathsIn(copy)).toEqual(pathsIn(index));
    for (let entry = 0; entry < index.count; entry += 1) {
      expect(copy.stampOf(entry)).toEqual(index.stampOf(entry));
      expect(copy.find(index.path(entry))).toBe(entry);
    }
    expect(copy.meta).toEqual(index.meta);
    expect((await place.scan(copy)).index).toBe(copy);
  });

  it('judges by the rules as they were, also when it comes from a file', async () => {
    const copy = decoded(bytesOf(index));
    place.write('.gitignore', '\n');
    expectDifferences(await place.scan(copy), {
      touched: ['.gitignore'],
      entered: ['out', 'out/hidden'],
    });
  });

  it('of an empty project comes back too', async () => {
    const empty = new ScanPlace();
    try {
      const copy = decoded(bytesOf((await empty.scan(null)).index));
      expect(copy.count).toBe(0);
      expect(copy.find('x' as TrackedPath)).toBe(-1);
      expect(copy.covers('x/y' as TrackedPath)).toBe(true);
    } finally {
      await empty.remove();
    }
  });

  it('is refused after any flipped bit', () => {
    const bytes = bytesOf(index);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      expect(decodeIndex(damaged), `byte ${at}`).toBeNull();
    }
  });

  it('is refused when cut short or too long', () => {
    const bytes = bytesOf(index);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeIndex(bytes.slice(0, length)), `${length} bytes`).toBeNull();
    }
    expect(decodeIndex(Uint8Array.of(...bytes, 0))).toBeNull();
  });

  it.each([
    ['another format', (words: Uint32Array) => words.fill(1, 3, 4)],
    ['more entries than there are', (words: Uint32Array) => words.fill(0xffffffff, 4, 5)],
  ])('of %s is refused though its checksum fits', (_what, spoil) => {
    const bytes = bytesOf(index);
    const words = new Uint32Array(bytes.buffer, 0, 8);
    spoil(words);
    words[2] = crc32(bytes.subarray(12));
    expect(decodeIndex(bytes)).toBeNull();
  });

  it('can be read from the middle of other bytes', () => {
    const bytes = bytesOf(index);
    const around = new Uint8Array(bytes.length + 3);
    around.set(bytes, 3);
    expect(pathsIn(decoded(around.subarray(3)))).toEqual(pathsIn(index));
  });
});

describe('an index file', () => {
  it('is private, and replaced as a whole', () => {
    mkdirSync(place.at('store'));
    const file = new IndexFile(place.at('store/index'));
    file.save(index);
    file.save(index.stamped({ ...STAMP, seq: 43 }));
    expect(file.load()?.stamp.seq).toBe(43);
    expect(statSync(place.at('store/index')).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.at('store'))).toEqual(['index']);
  });

  it('tells whether somebody else has replaced or removed it', () => {
    const [ours, theirs] = [new IndexFile(place.at('index')), new IndexFile(place.at('index'))];
    expect(ours.isAsSeen()).toBe(false);
    ours.save(index);
    expect([ours.isAsSeen(), theirs.isAsSeen()]).toEqual([true, false]);
    theirs.load();
    expect(theirs.isAsSeen()).toBe(true);
    theirs.save(index);
    expect([ours.isAsSeen(), theirs.isAsSeen()]).toEqual([false, true]);
    rmSync(place.at('index'));
    expect([ours.isAsSeen(), theirs.isAsSeen()]).toEqual([false, false]);
  });

  it('that is missing, damaged or a folder gives no index', () => {
    const file = new IndexFile(place.at('index'));
    expect(file.load()).toBeNull();
    file.save(index);
    truncateSync(place.at('index'), 100);
    expect(file.load()).toBeNull();
    writeFileSync(place.at('index'), '');
    expect(file.load()).toBeNull();
    expect(new IndexFile(place.root).load()).toBeNull();
  });

  it('leaves nothing behind when it cannot be written', () => {
    mkdirSync(place.at('taken/x'), { recursive: true });
    const before = readdirSync(place.root);
    const file = new IndexFile(place.at('taken'));
    expect(() => file.save(index)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(place.root)).toEqual(before);
  });
});

function bytesOf(whole: ScanIndex): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(encodeIndex(whole)));
}

function decoded(bytes: Uint8Array): ScanIndex {
  const copy = decodeIndex(bytes);
  if (copy === null) throw new Error('the index was refused');
  return copy;
}
