import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES, isSavepointError, SavepointError } from './errors.ts';

it('has a line in docs/errors.md for every code, and no other', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(documented.sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

it('carries what a caller branches on', () => {
  const cause = new Error('disk');
  const error = new SavepointError('store-failed', 'no', { path: 'a', hint: 'try', cause });
  expect(isSavepointError(error)).toBe(true);
  expect(isSavepointError(error, 'store-failed')).toBe(true);
  expect(isSavepointError(error, 'aborted')).toBe(false);
  expect(isSavepointError(cause)).toBe(false);
  expect(error).toMatchObject({ code: 'store-failed', path: 'a', hint: 'try', cause });
});
