import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { type FileStat, isOlder, momentOf } from './file-stat.ts';

const STAT: FileStat = {
  size: 1,
  mtimeSec: 10,
  mtimeNsec: 5,
  ctimeSec: 10,
  ctimeNsec: 5,
  inode: 1,
  mode: 0o100644,
};

describe('moments', () => {
  it('counts nanoseconds forward, also before 1970', () => {
    assert.deepEqual(momentOf(1_000_000_001n), { sec: 1, nsec: 1 });
    assert.deepEqual(momentOf(-1n), { sec: -1, nsec: 999_999_999 });
    assert.deepEqual(momentOf(-1_000_000_000n), { sec: -1, nsec: 0 });
  });

  it('calls a file older only if both its times are', () => {
    assert.equal(isOlder(STAT, { sec: 10, nsec: 6 }), true);
    assert.equal(isOlder(STAT, { sec: 11, nsec: 0 }), true);
    assert.equal(isOlder(STAT, { sec: 10, nsec: 5 }), false);
    assert.equal(isOlder(STAT, { sec: 9, nsec: 9 }), false);
    assert.equal(isOlder({ ...STAT, ctimeNsec: 6 }, { sec: 10, nsec: 6 }), false);
    assert.equal(isOlder({ ...STAT, mtimeNsec: 6 }, { sec: 10, nsec: 6 }), false);
  });
});
