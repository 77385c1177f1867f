import { chmodSync, renameSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScanPlace } from '../../../test/scan/scan-place.ts';
import { QuickCheck } from './check-known.ts';
import { newColumns, newStamp, setStamp } from './columns.ts';
import { RACY, type RawStat } from './entry-stat.ts';
import { diskFileSystem, type QuickStat } from './file-system.ts';

const STAT: RawStat = {
  mode: 0o100644n,
  ino: 7n,
  size: 5_000_000_000n,
  mtimeNs: 1_800_000_000_123_456_789n,
  ctimeNs: 1_800_000_000_987_654_321n,
};
const QUICK: QuickStat = {
  mode: 0o100644,
  ino: 7,
  size: 5_000_000_000,
  mtimeMs: 1_800_000_000_123.4568,
  ctimeMs: 1_800_000_000_987.6543,
};

function isSettled(known: RawStat, stat: QuickStat, flags = 0): boolean {
  const columns = newColumns({ entries: 2, folders: 1, nameBytes: 0 });
  setStamp(columns, 1, newStamp(0, known, flags));
  return new QuickCheck(columns).isSettled(1, stat);
}

describe('a quick check', () => {
  it('calls settled what has the same stat in plain numbers', () => {
    expect(isSettled(STAT, QUICK)).toBe(true);
  });

  it.each<[string, Partial<QuickStat>]>([
    ['mode', { mode: 0o100600 }],
    ['kind', { mode: 0o120644 }],
    ['inode', { ino: 8 }],
    ['size by one byte', { size: 5_000_000_001 }],
    ['size by four gibibytes', { size: 5_000_000_000 - 2 ** 32 }],
    ['mtime by a few microseconds', { mtimeMs: QUICK.mtimeMs + 0.005 }],
    ['ctime by a few microseconds', { ctimeMs: QUICK.ctimeMs - 0.005 }],
  ])('notices another %s', (_what, other) => {
    expect(isSettled(STAT, { ...QUICK, ...other })).toBe(false);
  });

  it('trusts no stat that is racy', () => {
    expect(isSettled(STAT, QUICK, RACY)).toBe(false);
  });

  it('leaves times before 1970 to the exact look', () => {
    const early = { ...STAT, mtimeNs: -1_000_000_000n };
    expect(isSettled(early, { ...QUICK, mtimeMs: -1000 })).toBe(false);
  });
});

describe('on a real disk', () => {
  let place: ScanPlace;
  beforeEach(() => {
    place = new ScanPlace();
    place.write('file', 'text');
  });
  afterEach(() => place.remove());

  it('knows a file again by its exact stat', () => {
    expect(isSettled(exact('file'), quick('file'))).toBe(true);
  });

  it.each<[string, () => void]>([
    ['given another mode', () => chmodSync(place.at('file'), 0o600)],
    ['set back to its time after an edit', () => editInSecret()],
    ['replaced by another', () => renameSync(place.at('twin'), place.at('file'))],
  ])('does not know a file that was %s', async (_what, work) => {
    place.write('twin', 'text');
    const before = exact('file');
    await place.tick();
    work();
    expect(isSettled(before, quick('file'))).toBe(false);
  });

  function editInSecret(): void {
    const { mtimeNs } = exact('file');
    place.write('file', 'TEXT');
    utimesSync(place.at('file'), new Date(), Number(mtimeNs) / 1e9);
  }

  function exact(path: string): RawStat {
    return found(diskFileSystem.lstat(place.at(path)));
  }

  function quick(path: string): QuickStat {
    return found(diskFileSystem.quickLstat(place.at(path)));
  }

  function found<T>(stat: T | null): T {
    if (stat === null) throw new Error('the file is gone');
    return stat;
  }
});
