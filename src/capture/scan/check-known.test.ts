import { chmodSync, renameSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScanPlace } from '../../../test/scan/scan-place.ts';
import { type EntryStat, RACY } from './entry-stat.ts';
import { diskFileSystem } from './file-system.ts';
import { isSettledAt, newColumns, newStamp, setStamp } from './index-columns.ts';

const STAT: EntryStat = {
  mode: 0o100644,
  ino: 7,
  size: 5_000_000_000,
  mtimeMs: 1_800_000_000_123.4568,
  ctimeMs: 1_800_000_000_987.6543,
};

function isSettled(known: EntryStat, stat: EntryStat, flags = 0): boolean {
  const columns = newColumns({ entries: 2, folders: 1, nameBytes: 0 });
  setStamp(columns, 1, newStamp(0, known, flags));
  return isSettledAt(columns, 1, stat);
}

describe('a known entry', () => {
  it('is settled if its stat is the same', () => {
    expect(isSettled(STAT, { ...STAT })).toBe(true);
  });

  it.each<[string, Partial<EntryStat>]>([
    ['mode', { mode: 0o100600 }],
    ['kind', { mode: 0o120644 }],
    ['inode', { ino: 8 }],
    ['size by one byte', { size: 5_000_000_001 }],
    ['size by four gibibytes', { size: 5_000_000_000 - 2 ** 32 }],
    ['mtime by a microsecond', { mtimeMs: STAT.mtimeMs + 0.001 }],
    ['ctime by a microsecond', { ctimeMs: STAT.ctimeMs - 0.001 }],
  ])('is not settled with another %s', (_what, other) => {
    expect(isSettled(STAT, { ...STAT, ...other })).toBe(false);
  });

  it('is not settled if its stat is racy', () => {
    expect(isSettled(STAT, STAT, RACY)).toBe(false);
  });
});

describe('on a real disk', () => {
  let place: ScanPlace;
  beforeEach(() => {
    place = new ScanPlace();
    place.write('file', 'text');
  });
  afterEach(() => place.remove());

  it('a file that nobody touched is settled', () => {
    expect(isSettled(statOf('file'), statOf('file'))).toBe(true);
  });

  it.each<[string, () => void]>([
    ['got another mode', () => chmodSync(place.at('file'), 0o600)],
    ['was edited and set back to its time', () => editInSecret()],
    ['was replaced by another', () => renameSync(place.at('twin'), place.at('file'))],
  ])('a file that %s is not settled', async (_what, work) => {
    place.write('twin', 'text');
    const before = statOf('file');
    await place.tick();
    work();
    expect(isSettled(before, statOf('file'))).toBe(false);
  });

  function editInSecret(): void {
    const { mtimeMs } = statOf('file');
    place.write('file', 'TEXT');
    utimesSync(place.at('file'), new Date(), mtimeMs / 1e3);
  }

  function statOf(path: string): EntryStat {
    const stat = diskFileSystem.lstat(place.at(path));
    if (stat === null) throw new Error('the file is gone');
    return stat;
  }
});
