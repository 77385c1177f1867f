import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyExport } from '../../src/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { exportOf, importOf, piecesOf, recordOf } from '../e2e/transfer.ts';
import {
  bomb,
  countsOf,
  type Fields,
  frameOf,
  framesOf,
  hugeBomb,
  type Parts,
  putTogether,
  type Row,
  sealed,
  takeApart,
} from './forged-export.ts';
import { refusalOf } from './hostile-bed.ts';

let good: Buffer;
let bed: Bed;
let record: unknown;
let cases = 0;

beforeAll(async () => {
  good = await goodExport();
  bed = await makeBed();
  bed.put('a.txt', 'local\n');
  await bed.tool('l1', ['a.txt'], () => bed.put('a.txt', 'edited\n'), { sessionId: 'local' });
  record = await recordOf(bed.savepoint);
});
afterAll(async () => {
  expect(cases).toBeGreaterThanOrEqual(100);
  await bed.remove();
});

/** Two sessions of a family, every kind of entry, a rewind. */
async function goodExport(): Promise<Buffer> {
  const source = await makeBed();
  try {
    const odd = Buffer.from([0x6f, 0xff, 0x64]);
    source.put('a.txt', 'one\n');
    symlinkSync('a.txt', source.at('link'));
    await source.tool('m1', ['a.txt', 'bin', 'link', 'dir/deep', odd], () => {
      source.put('a.txt', 'two\n'.repeat(100));
      source.put('bin', Buffer.from([0, 1, 2, 255]), 0o755);
      rmSync(source.at('link'));
      symlinkSync('elsewhere', source.at('link'));
      source.put('dir/deep', 'x');
      writeFileSync(Buffer.concat([Buffer.from(`${source.root}/`), odd]), 'odd');
    });
    const sub = { sessionId: 'sub', parentSessionId: 'agent' };
    await source.tool('s1', ['s.txt'], () => source.put('s.txt', 'sub'), sub);
    await source.write('m2', 'a.txt', 'three\n');
    await source.rewind('m2');
    return (await exportOf(source.savepoint)).bytes;
  } finally {
    await source.remove();
  }
}

/** Refused as what it is, by whoever asks, and the timeline says what it said before. */
async function expectRefused(bytes: Buffer, code = 'export-invalid'): Promise<void> {
  cases += 1;
  const refusal = await refusalOf(() => importOf(bed.savepoint, bytes));
  expect(refusal.code).toBe(code);
  expect(refusal.hint).toContain('nothing was imported');
  expect((await refusalOf(() => verifyExport(piecesOf(bytes)))).code).toBe(code);
  expect(await recordOf(bed.savepoint)).toEqual(record);
}

function forged(change: (parts: Parts) => void): Buffer {
  const parts = takeApart(good);
  change(parts);
  return putTogether(parts);
}

/** The first row of a kind, to be spoilt. */
function spoilt(kind: string, change: (fields: Fields, rows: Row[]) => void, nth = 0): Buffer {
  return forged(({ rows }) => {
    const row = rows.filter(([one]) => one === kind).at(nth);
    if (row === undefined) throw new Error(`no ${kind}`);
    change(row[1], rows);
  });
}

describe('an export', () => {
  it('is accepted when it is only taken apart and put together again', async () => {
    const other = await makeBed();
    const receipt = await importOf(
      other.savepoint,
      forged(() => undefined),
    );
    expect(receipt).toMatchObject({ imported: true, sessions: 2, operations: 1, cancellations: 1 });
    expect(receipt.blobs).toBeGreaterThan(5);
    // The same ids, and something else behind them.
    const otherwise = spoilt('change', (fields) => {
      fields.path = 'other.txt';
    });
    const refusal = await refusalOf(() => importOf(other.savepoint, otherwise));
    expect(refusal.code).toBe('import-conflict');
    await other.remove();
  });

  it('that was cut off anywhere is refused', async () => {
    let end = 0;
    for (const frame of framesOf(good)) {
      for (const cut of [end, end + 1, end + 9, end + frame.length - 1]) {
        if (cut < end + frame.length) await expectRefused(good.subarray(0, cut));
      }
      end += frame.length;
    }
  });

  it('of which any byte was changed is refused', async () => {
    const step = Math.max(1, Math.floor(good.length / 80));
    for (let at = 0; at < good.length; at += step) {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      // A larger number of the format is not damage as far as anybody can tell.
      await expectRefused(bytes, codeOfFlip(bytes, at));
    }
  });

  it('with something behind it, or twice in one file, is refused', async () => {
    await expectRefused(Buffer.concat([good, Buffer.from('\n')]));
    await expectRefused(Buffer.concat([good, good]));
    await expectRefused(putTogether(takeApart(good), [frameOf('B', 'late')]));
    await expectRefused(putTogether(takeApart(good), [frameOf('X', 'unknown')]));
  });
});

/** What a flipped bit makes of a length may be more than anybody takes. */
function codeOfFlip(bytes: Buffer, flipped: number): string {
  let at = bytes.indexOf('\n') + 1;
  while (at > 0 && at + 10 <= bytes.length) {
    const [stored, length] = [bytes.readUInt32LE(at + 2), bytes.readUInt32LE(at + 6)];
    const most = { B: 256, R: 4, E: 0.00390625 }[String.fromCharCode(bytes[at] ?? 0)];
    if (most === undefined) break;
    if (length > most * 1024 * 1024) return 'export-too-large';
    at += 10 + stored;
    // Nobody reads on behind the frame that is damaged.
    if (flipped < at) break;
  }
  return 'export-invalid';
}

describe('a first line', () => {
  it.each([
    ['', 'export-invalid'],
    ['savepoint-export', 'export-invalid'],
    ['savepoint-export 0\n', 'export-invalid'],
    ['savepoint-export 01\n', 'export-invalid'],
    ['savepoint-export -1\n', 'export-invalid'],
    ['savepoint-export 1 \n', 'export-invalid'],
    ['savepoint-export 1\r\n', 'export-invalid'],
    ['savepoint-export 1.5\n', 'export-invalid'],
    ['savepoint-export 99999999999999999999\n', 'export-invalid'],
    ['savepoint-export 2\n', 'export-too-new'],
    ['savepoint-export 999999\n', 'export-too-new'],
    ['SQLite format 3\0', 'export-invalid'],
    ['PK\u0003\u0004', 'export-invalid'],
  ])('%j is refused', async (start, code) => {
    await expectRefused(
      forged((parts) => {
        parts.start = start;
      }),
      code,
    );
  });
});

describe('an end', () => {
  const ends: Fields[] = [
    { sha256: '0'.repeat(64) },
    { sha256: null },
    { sha256: 'x' },
    { changes: 0 },
    { changes: 1e308 },
    { changes: -1 },
    { sessions: 1 },
    { blobs: 999 },
    { blobBytes: 0 },
    { extra: 1 },
    JSON.parse('{"__proto__": {"sessions": 2}}') as Fields,
  ];
  it.each(ends)('that says %j is refused', async (end) => {
    await expectRefused(
      forged((parts) => {
        parts.end = end;
      }),
    );
  });
});

describe('a path', () => {
  const paths: unknown[] = [
    '../x',
    '..',
    'a/../../x',
    'a/..',
    '/etc/passwd',
    '//etc/passwd',
    './a',
    'a//b',
    'a/',
    '.',
    '',
    'a\0b',
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.GIT/config',
    '.git./config',
    '.git /config',
    'git~1/config',
    '.g\u200cit/config',
    'x'.repeat(5000),
    `${'n'.repeat(256)}/x`,
    'lone\udc80',
    'lone\ud800',
    5,
    null,
    ['a.txt'],
    {},
    { bytes: 5 },
    { bytes: '' },
    { bytes: 'YQ==' },
    { bytes: 'YQ' },
    { bytes: '/w' },
    { bytes: '/w==', text: 'a' },
    { bytes: 'Ly8=' },
    { bytes: Buffer.from('../\xff', 'latin1').toString('base64') },
    { bytes: Buffer.from('/\xff', 'latin1').toString('base64') },
    { bytes: Buffer.from('.git/\xff', 'latin1').toString('base64') },
    { bytes: Buffer.from('a\0\xff', 'latin1').toString('base64') },
  ];
  it.each([['other.txt'], [{ bytes: '/y4uL3g=' }]])('like %j is none of those', async (path) => {
    const bytes = spoilt('change', (fields) => {
      fields.path = path;
    });
    expect(await verifyExport(piecesOf(bytes))).toMatchObject({ sessions: 2 });
  });

  it.each(paths.map((path) => [path]))('like %j is refused', async (path) => {
    await expectRefused(
      spoilt('change', (fields) => {
        fields.path = path;
      }),
    );
  });
});

describe('a field', () => {
  const HASH = 'f'.repeat(64);
  const file = { kind: 'captured', type: 'file', mode: 0o644, blob: HASH, size: 1 };
  const cases: [kind: string, field: string, value: unknown][] = [
    ['change', 'seq', 0],
    ['change', 'seq', -1],
    ['change', 'seq', 1.5],
    ['change', 'seq', 1e308],
    ['change', 'seq', 2 ** 53],
    ['change', 'seq', '1'],
    ['change', 'seq', null],
    ['change', 'seq', 1],
    ['change', 'origin', 'somebody'],
    ['change', 'origin', 'operation'],
    ['change', 'origin', 'outside'],
    ['change', 'attribution', '__proto__'],
    ['change', 'sessionId', 'nobody'],
    ['change', 'sessionId', 'x'.repeat(2000)],
    ['change', 'checkpointId', 'aaaaaaaaaaaaaaaa'],
    ['change', 'checkpointId', 'latest'],
    ['change', 'sessionId', 'sub'],
    ['change', 'operationId', 'aaaaaaaaaaaaaaaa'],
    ['change', 'toolCallId', 'a\0b'],
    ['session', 'owner', { kind: 'lease', until: 1 }],
    ['session', 'told', 1],
    ['checkpoint', 'conversation', { id: 'c' }],
    ['change', 'subagentId', ''],
    ['change', 'coAuthors', []],
    ['change', 'coAuthors', [null]],
    ['change', 'coAuthors', [{ sessionId: 'agent', checkpointId: '../x' }]],
    ['change', 'coAuthors', [{ sessionId: 'agent', checkpointId: 'a'.repeat(16) }]],
    ['change', 'owner', 'host:1:1'],
    ['change', 'owner', { kind: 'process', host: 'host', processId: 1, started: '1' }],
    ['change', 'owner', { kind: 'import', first: 1 }],
    ['change', 'createdAt', -1],
    ['change', 'createdAt', 8.64e15],
    ['change', 'after', null],
    ['change', 'after', { kind: 'absent', mode: 1 }],
    ['change', 'after', { kind: 'unknown', reason: 'because' }],
    ['change', 'after', { kind: 'unknown', reason: 'constructor' }],
    ['change', 'after', { kind: 'git', key: '' }],
    ['change', 'after', file],
    ['change', 'after', { ...file, mode: 0o20644 }],
    ['change', 'after', { ...file, mode: -1 }],
    ['change', 'after', { ...file, blob: HASH.toUpperCase() }],
    ['change', 'after', { ...file, blob: '../../etc/passwd' }],
    ['change', 'after', { ...file, blob: null }],
    ['change', 'after', { ...file, size: -1 }],
    ['change', 'after', { ...file, type: 'fifo' }],
    ['change', 'after', { ...file, type: 'directory' }],
    ['change', 'after', { ...file, type: 'symlink' }],
    ['change', 'after', { ...file, extra: true }],
    ['change', 'before', 'absent'],
    ['change', 'before', []],
    ['change', 'extra', 1],
    ['checkpoint', 'id', 'latest'],
    ['checkpoint', 'id', '~1'],
    ['checkpoint', 'id', '-rf'],
    ['checkpoint', 'id', 'AAAAAAAAAAAAAAAA'],
    ['checkpoint', 'id', '../../../../x'],
    ['checkpoint', 'id', ''],
    ['checkpoint', 'id', ['aaaaaaaaaaaaaaaa']],
    ['checkpoint', 'kind', 'magic'],
    ['checkpoint', 'coverage', 'all'],
    ['checkpoint', 'sessionId', 'nobody'],
    ['checkpoint', 'description', 'd'.repeat(100_001)],
    ['checkpoint', 'description', 'broken \ud800'],
    ['checkpoint', 'description', null],
    ['checkpoint', 'label', 'NUL \0'],
    ['checkpoint', 'label', 7],
    ['checkpoint', 'gitHead', 'HEAD'],
    ['checkpoint', 'gitHead', '--upload-pack=touch'],
    ['checkpoint', 'messageId', ''],
    ['checkpoint', 'createdAt', '2026-01-01'],
    ['checkpoint', 'toString', 1],
    ['session', 'id', ''],
    ['session', 'id', 'a\0'],
    ['session', 'agent', { $ne: null }],
    ['session', 'rootId', 5],
    ['session', 'lastActiveAt', 1e300],
    ['operation', 'id', 'undo'],
    ['operation', 'kind', 'import'],
    ['operation', 'reverts', 'aaaaaaaaaaaaaaaa'],
    ['operation', 'safetyCheckpointId', 'aaaaaaaaaaaaaaaa'],
    ['operation', 'safetyCheckpointId', null],
    ['operation', 'checkpointId', 'aaaaaaaaaaaaaaaa'],
    ['operation', 'inEffect', 1],
    ['operation', 'seq', 10_000],
    ['cancellation', 'by', 1],
    ['cancellation', 'by', 10_000],
    ['cancellation', 'change', 10_000],
    ['cancellation', 'change', 0],
    ['cancellation', 'inPart', 1],
    ['cancellation', 'also', 1],
  ];
  it.each(cases)('of a %s, %s, that is %j is refused', async (kind, field, value) => {
    await expectRefused(
      spoilt(kind, (fields) => {
        fields[field] = value;
      }),
    );
  });

  it.each(['session', 'checkpoint', 'change', 'operation', 'cancellation'])(
    'that is missing from a %s is refused, and so is one by the name of __proto__',
    async (kind) => {
      const [, fields] = takeApart(good).rows.find(([one]) => one === kind) ?? [];
      for (const name of Object.keys(fields ?? {})) {
        await expectRefused(spoilt(kind, (row) => delete row[name]));
      }
      await expectRefused(
        spoilt(kind, (row) => {
          Object.defineProperty(row, '__proto__', { value: { seq: 1 }, enumerable: true });
        }),
      );
    },
  );
});

describe('rows', () => {
  const spoils: [title: string, change: (parts: Parts) => void][] = [
    ['none at all', (parts) => void parts.rows.splice(0)],
    ['a session twice', ({ rows }) => void rows.unshift(first(rows, 'session'))],
    ['a checkpoint twice', ({ rows }) => void rows.push(first(rows, 'checkpoint'))],
    ['a change twice', ({ rows }) => void rows.push(first(rows, 'change'))],
    ['an operation twice', ({ rows }) => void rows.push(first(rows, 'operation'))],
    ['a cancellation twice', ({ rows }) => void rows.push(first(rows, 'cancellation'))],
    ['changes in another order', ({ rows }) => void rows.reverse()],
    ['an unknown kind', ({ rows }) => void rows.push(['journal', {}])],
    ['a kind by the name of __proto__', ({ rows }) => void rows.push(['__proto__', {}])],
    ['no fields', ({ rows }) => void rows.push(['session', null as never])],
    ['a list for fields', ({ rows }) => void rows.push(['session', [] as never])],
    ['three parts', ({ rows }) => void (rows[0] as unknown[]).push(1)],
    ['a change left out of a chain', ({ rows }) => renumber(rows, dropMiddle(rows))],
    [
      'no sessions',
      ({ rows }) =>
        renumber(
          rows,
          rows.filter(([kind]) => kind !== 'session'),
        ),
    ],
    [
      'no checkpoints',
      ({ rows }) =>
        renumber(
          rows,
          rows.filter(([kind]) => kind !== 'checkpoint'),
        ),
    ],
    ['parents in a circle', ({ rows }) => circle(rows)],
    ['a blob too many', ({ blobs }) => void blobs.push(Buffer.from('nobody names me'))],
    ['a blob too few', ({ blobs }) => void blobs.shift()],
    ['a blob twice', ({ blobs }) => void blobs.push(blobs[0] ?? Buffer.alloc(0))],
    ['another blob in its place', ({ blobs }) => void blobs.splice(0, 1, Buffer.from('other'))],
    ['a checkpoint after its change', ({ rows }) => swapNumbers(rows)],
    ['a gap in their numbers', ({ rows }) => lastChange(rows, 10_000)],
    ['a number twice', ({ rows }) => lastChange(rows, safetyNumber(rows))],
    ['a link that has a mode', ({ rows }) => modeOfLinks(rows, 0o644)],
    ['a link to nowhere that can be', ({ rows }) => linkTo(rows, 400)],
  ];
  it.each(spoils)('with %s are refused', async (_title, change) => {
    await expectRefused(forged(change));
  });

  it.each([
    ['that are no JSON', '["session",{'],
    ['with an empty line', '\n'],
    ['that are very deep', '['.repeat(200_000)],
    ['that are a number', '1e999'],
  ])('%s are refused', async (_title, text) => {
    const { start, rows } = takeApart(good);
    await expectRefused(sealed(start, [frameOf('R', text)], { ...countsOf(rows), blobs: 0 }));
  });

  it('that are not UTF-8 are refused', async () => {
    const { start } = takeApart(good);
    const text = Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
    await expectRefused(sealed(start, [frameOf('R', text)], {}));
  });
});

describe('a part that claims too much', () => {
  it.each([
    ['a bomb for content', bomb('B', 8 * 1024 * 1024, 1000), 'export-invalid'],
    ['a bomb for rows', bomb('R', 8 * 1024 * 1024, 4 * 1024 * 1024), 'export-invalid'],
    ['content of 4 GiB', bomb('B', 1000, 0xffffffff), 'export-too-large'],
    ['rows of 1 GiB', bomb('R', 1000, 2 ** 30), 'export-too-large'],
    ['an end of 1 MiB', bomb('E', 1000, 2 ** 20), 'export-too-large'],
    ['a packed end', bomb('E', 1000, 1000), 'export-invalid'],
    ['more stored than there is', frameOf('B', 'x', { stored: 9, length: 9 }), 'export-invalid'],
    ['stored and real length apart', frameOf('B', 'xy', { length: 3 }), 'export-invalid'],
    ['packed longer than it was', frameOf('B', 'xy', { encoding: 1, length: 1 }), 'export-invalid'],
    ['what cannot be unpacked', frameOf('B', 'xy', { encoding: 1, length: 9 }), 'export-invalid'],
    ['an unknown way of packing', frameOf('B', 'x', { encoding: 7, length: 9 }), 'export-invalid'],
    ['no type', frameOf('\0', 'x'), 'export-invalid'],
  ])('is refused: %s', async (_title, frame, code) => {
    await expectRefused(sealed('savepoint-export 1\n', [frame], {}), code);
  });

  it('is unpacked no further than it claims', async () => {
    const frame = await hugeBomb('B', 1000);
    const before = process.resourceUsage().maxRSS;
    await expectRefused(sealed('savepoint-export 1\n', [frame], {}));
    // In KiB; all of it would be two GiB.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(500_000);
  });

  it.each([[{ maxRows: 3 }], [{ maxBlobs: 2 }], [{ maxBlobBytes: 100 }], [{ maxTotalBytes: 100 }]])(
    'is refused past %j',
    async (limits) => {
      const refusal = await refusalOf(() => bed.savepoint.import(piecesOf(good), limits));
      expect(refusal.code).toBe('export-too-large');
      expect(await recordOf(bed.savepoint)).toEqual(record);
    },
  );

  it('comes from a source that gives no bytes, or fails', async () => {
    async function* texts(): AsyncGenerator<Uint8Array> {
      yield 'savepoint-export 1\n' as unknown as Uint8Array;
    }
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield good.subarray(0, 100);
      throw new Error('the disk is gone');
    }
    for (const source of [texts(), broken()]) {
      await refusalOf(() => bed.savepoint.import(source));
      expect(await recordOf(bed.savepoint)).toEqual(record);
    }
  });
});

function first(rows: readonly Row[], kind: string): Row {
  const found = rows.find(([one]) => one === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return structuredClone(found);
}

/** Puts other rows in place, with the numbers that they ought to have. */
function renumber(rows: Row[], kept: Row[]): void {
  const numbered = kept.filter(([, { seq }]) => typeof seq === 'number');
  const order = numbered.map(([, { seq }]) => seq as number).sort((a, b) => a - b);
  for (const [, fields] of numbered) fields.seq = order.indexOf(fields.seq as number) + 1;
  rows.splice(0, rows.length, ...kept.filter(([kind]) => kind !== 'cancellation'));
}

/** The second of three changes of one path. */
function dropMiddle(rows: Row[]): Row[] {
  const chain = rows.filter(([kind, { path }]) => kind === 'change' && path === 'a.txt');
  return rows.filter((row) => row !== chain[1]);
}

function circle(rows: Row[]): void {
  const [one, other] = rows.filter(([kind]) => kind === 'session').map(([, fields]) => fields);
  if (one === undefined || other === undefined) throw new Error('no two sessions');
  one.rootId = other.id;
  other.rootId = one.id;
}

function swapNumbers(rows: Row[]): void {
  const checkpoint = rows.find(([kind]) => kind === 'checkpoint')?.[1];
  const change = rows.find(([kind]) => kind === 'change')?.[1];
  if (checkpoint === undefined || change === undefined) throw new Error('nothing to swap');
  [checkpoint.seq, change.seq] = [change.seq, checkpoint.seq];
}

/** Makes a link of a file whose content no link can have. */
function linkTo(rows: Row[], size: number): void {
  for (const [, fields] of rows) {
    for (const side of ['before', 'after']) {
      const state = fields[side] as Fields | undefined;
      if (state?.size === 4) Object.assign(state, { type: 'symlink', mode: 0o777 });
      if (state?.size === size) Object.assign(state, { type: 'symlink', mode: 0o777 });
    }
  }
}

/** The newest change, of the rewind, as somebody's who is not known; with another number. */
function lastChange(rows: Row[], seq: unknown): void {
  const kept = rows.filter(([kind]) => kind !== 'cancellation');
  rows.splice(0, rows.length, ...kept);
  const change = rows.findLast(([kind]) => kind === 'change')?.[1];
  Object.assign(change ?? {}, { seq, operationId: null });
}

function safetyNumber(rows: Row[]): unknown {
  return rows.find(([, { kind }]) => kind === 'safety')?.[1].seq;
}

function modeOfLinks(rows: Row[], mode: number): void {
  for (const [, { before, after }] of rows) {
    for (const state of [before, after] as (Fields | undefined)[]) {
      if (state?.type === 'symlink') state.mode = mode;
    }
  }
}
