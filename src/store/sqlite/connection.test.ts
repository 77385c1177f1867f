import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { SavepointError } from '../../model/errors.ts';
import { isBusy, storeFailure } from './connection.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('said SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
}

function fileError(code: string): Error {
  return Object.assign(new Error('said the kernel'), { code });
}

describe('a failure of the store', () => {
  const cases = [
    [sqliteError(5), 'store-locked'],
    [sqliteError(261), 'store-locked'],
    [sqliteError(11), 'store-corrupt'],
    [sqliteError(267), 'store-corrupt'],
    [sqliteError(26), 'store-corrupt'],
    [sqliteError(13), 'store-full'],
    [sqliteError(4874), 'store-full'],
    [sqliteError(10), 'store-failed'],
    [sqliteError(787), 'argument-invalid'],
    [fileError('ENOSPC'), 'store-full'],
    [fileError('EDQUOT'), 'store-full'],
    [fileError('EACCES'), 'store-failed'],
    [fileError('EROFS'), 'store-read-only'],
    [sqliteError(8), 'store-read-only'],
    [sqliteError(1032), 'store-read-only'],
    [new TypeError('a mistake'), 'store-failed'],
    ['a text', 'store-failed'],
    [null, 'store-failed'],
  ] as const;

  for (const [error, code] of cases) {
    const { errcode, code: name } = Object(error) as { errcode?: number; code?: string };
    it(`${errcode ?? name ?? String(error)} is ${code}, and keeps its cause`, () => {
      const failure = storeFailure(error);
      assert.equal(failure.code, code);
      assert.equal(failure.cause, error);
      assert.equal(isBusy(error), code === 'store-locked');
    });
  }

  it('of ours stays what it is', () => {
    const ours = new SavepointError('blob-missing', 'gone');
    assert.equal(storeFailure(ours), ours);
  });
});
