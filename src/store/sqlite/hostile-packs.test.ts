import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { isSavepointError } from '../../model/errors.ts';
import { GitObjects } from './git-objects.ts';

const [BLOB, OFS_DELTA, REF_DELTA] = [3, 6, 7];
const BASE = Buffer.from('the base of it all');
const HEADER_BYTES = 12;

/** What a pack says of its one object; `named` is what the index calls it. */
interface Hostile {
  readonly entries: readonly Buffer[];
  readonly named?: readonly Buffer[];
}

describe('a pack that somebody made by hand', () => {
  it('is read where it is right', () =>
    withPack(rightPack(), (objects) => {
      assert.deepEqual(objects.read(idOf(BASE)), Uint8Array.from(BASE));
      const made = Buffer.from('the base, twice: the base');
      assert.deepEqual(objects.read(idOf(made)), Uint8Array.from(made));
    }));

  const id = Buffer.alloc(20, 1);
  const other = Buffer.alloc(20, 2);
  const cases: readonly (readonly [string, Hostile])[] = [
    [
      'is whole, but another than the index says',
      { entries: [entry(BLOB, BASE.length, deflateSync(BASE))], named: [id] },
    ],
    ['is made from itself, by id', { entries: [refDelta(id, copying())], named: [id] }],
    [
      'is made from what is made from it',
      { entries: [refDelta(id, copying()), refDelta(other, copying())], named: [other, id] },
    ],
    ['is made from itself, by place', { entries: [ofsDelta(0, copying())], named: [id] }],
    ['is made from what lies before the pack', { entries: [ofsDelta(9_999, copying())] }],
    ['is made from what lies nowhere', { entries: [refDelta(other, copying())] }],
    ['says it has 2^60 bytes', { entries: [entry(BLOB, 2 ** 60, deflateSync(BASE))] }],
    [
      'says a byte more than it has',
      { entries: [entry(BLOB, BASE.length + 1, deflateSync(BASE))] },
    ],
    [
      'says a byte less than it has',
      { entries: [entry(BLOB, BASE.length - 1, deflateSync(BASE))] },
    ],
    ['has a size that does not end', { entries: [Buffer.alloc(40, 0xff)] }],
    ['is of a kind that there is not', { entries: [entry(5, BASE.length, deflateSync(BASE))] }],
    ['does not inflate', { entries: [entry(BLOB, 100, Buffer.from('no zlib'))] }],
    ['inflates to a million times its size', { entries: [bomb()] }],
    ['copies from past the end of its base', onBase(delta(BASE.length, 4, [0x91, 200, 4]))],
    ['makes more than it says', onBase(delta(BASE.length, 1, [2, 65, 66]))],
    ['makes less than it says', onBase(delta(BASE.length, 9, [2, 65, 66]))],
    ['says that it makes 2^50 bytes', onBase(delta(BASE.length, 2 ** 50, [2, 65, 66]))],
    ['is for a base of another size', onBase(delta(BASE.length + 1, 2, [2, 65, 66]))],
    ['has an instruction that there is not', onBase(delta(BASE.length, 2, [0, 65, 66]))],
    ['ends within an instruction', onBase(delta(BASE.length, 2, [0xff, 1]))],
    ['ends within new bytes', onBase(delta(BASE.length, 5, [5, 65, 66]))],
    ['has no bytes where its delta should be', onBase(Buffer.alloc(0))],
  ];
  for (const [what, hostile] of cases) {
    it(`is refused when its object ${what}`, () =>
      withPack(hostile, (objects, ids) => {
        for (const key of hostile.named ?? ids.slice(-1)) assertCorrupt(objects, key);
      }));
  }

  it('is refused when the index leads out of it', () =>
    withTemporaryFolder(async (folder) => {
      for (const offset of [0, 11, 0x7fffffff, 0x80000000, 0xffffffff]) {
        const objects = write(folder, { entries: [entry(BLOB, BASE.length, deflateSync(BASE))] }, [
          offset,
        ]).objects;
        assertCorrupt(objects, idOf(BASE));
      }
    }));

  it('costs no more time for a chain that goes in circles than for the longest there can be', () =>
    withPack(
      {
        entries: Array.from({ length: 5_000 }, (_, at) =>
          refDelta(numbered((at + 1) % 5_000), copying()),
        ),
        named: Array.from({ length: 5_000 }, (_, at) => numbered(at)),
      },
      (objects) => assertCorrupt(objects, numbered(7)),
    ));
});

/** A base, and what is made from it in both ways that git has. */
function rightPack(): Hostile {
  const base = entry(BLOB, BASE.length, deflateSync(BASE));
  // Copy 8 bytes from 0, take 9 new ones, copy 8 bytes from 0.
  const text = Buffer.from(', twice: ');
  const steps = [0x90, 8, text.length, ...text, 0x90, 8];
  const made = delta(BASE.length, 16 + text.length, steps);
  const result = Buffer.from('the base, twice: the base');
  return { entries: [base, ofsDelta(base.length, made)], named: [idOf(BASE), idOf(result)] };
}

/** A base, and an object that is made from it by these instructions. */
function onBase(instructions: Buffer): Hostile {
  const base = entry(BLOB, BASE.length, deflateSync(BASE));
  return {
    entries: [base, ofsDelta(base.length, instructions)],
    named: [Buffer.from('made from the base..')],
  };
}

function copying(): Buffer {
  return delta(BASE.length, 4, [0x90, 4]);
}

function delta(from: number, to: number, instructions: readonly number[]): Buffer {
  return Buffer.from([...varint(from), ...varint(to), ...instructions]);
}

function bomb(): Buffer {
  return entry(BLOB, 1_000, deflateSync(Buffer.alloc(32 * 1024 * 1024)));
}

function refDelta(base: Buffer, instructions: Buffer): Buffer {
  return entry(REF_DELTA, instructions.length, Buffer.concat([base, deflateSync(instructions)]));
}

/** `distance` back from where the entry begins, up to 16,511. */
function ofsDelta(distance: number, instructions: Buffer): Buffer {
  const far = distance - 128;
  const back = distance < 128 ? [distance] : [0x80 | (far >> 7), far & 127];
  const data = Buffer.concat([Buffer.from(back), deflateSync(instructions)]);
  return entry(OFS_DELTA, instructions.length, data);
}

function entry(kind: number, size: number, data: Buffer): Buffer {
  const rest = Math.floor(size / 16);
  const first = (kind << 4) | (size % 16);
  const header = rest === 0 ? [first] : [first | 128, ...varint(rest)];
  return Buffer.concat([Buffer.from(header), data]);
}

function varint(value: number): number[] {
  const rest = Math.floor(value / 128);
  return rest === 0 ? [value % 128] : [(value % 128) | 128, ...varint(rest)];
}

function numbered(at: number): Buffer {
  const id = Buffer.alloc(20);
  id.writeUInt32BE(at, 16);
  return id;
}

function idOf(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest();
}

function withPack(
  hostile: Hostile,
  body: (objects: GitObjects, ids: readonly Buffer[]) => void,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const { objects, ids } = write(folder, hostile);
    body(objects, ids);
  });
}

/** Entries that `named` leaves out are called after a blob that they hold. */
function write(
  folder: string,
  { entries, named = [] }: Hostile,
  places?: readonly number[],
): { objects: GitObjects; ids: Buffer[] } {
  const header = Buffer.from([...Buffer.from('PACK'), 0, 0, 0, 2, 0, 0, 0, entries.length & 255]);
  const trailer = Buffer.alloc(20);
  let at = HEADER_BYTES;
  const offsets = entries.map(({ length }) => {
    at += length;
    return at - length;
  });
  const skipped = entries.length - named.length;
  const ids = entries.map((_, index) => named[index - skipped] ?? idOf(BASE));
  const pack = join(folder, 'objects', 'pack');
  mkdirSync(pack, { recursive: true });
  writeFileSync(join(pack, 'pack-1.pack'), Buffer.concat([header, ...entries, trailer]));
  writeFileSync(join(pack, 'pack-1.idx'), indexOf(ids, places ?? offsets));
  return { objects: new GitObjects(folder), ids };
}

function indexOf(ids: readonly Buffer[], offsets: readonly number[]): Buffer {
  const order = ids.map((_, at) => at).sort((a, b) => Buffer.compare(idAt(ids, a), idAt(ids, b)));
  const numbers = (values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
    return bytes;
  };
  const fanout = Array.from(
    { length: 256 },
    (_, byte) => ids.filter((id) => (id[0] ?? 0) <= byte).length,
  );
  return Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    numbers(fanout),
    ...order.map((at) => idAt(ids, at)),
    numbers(order.map(() => 0)),
    numbers(order.map((at) => offsets[at] ?? 0)),
    Buffer.alloc(40),
  ]);
}

function idAt(ids: readonly Buffer[], at: number): Buffer {
  return ids[at] ?? Buffer.alloc(20);
}

function assertCorrupt(objects: GitObjects, id: Buffer): void {
  assert.throws(
    () => objects.read(id),
    (error) => isSavepointError(error, 'blob-corrupt'),
  );
}
