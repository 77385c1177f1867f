import { expect, it } from 'vitest';
import { bytesToPath, type TrackedPath } from '../../model/path.ts';
import { pathMatcher } from './folder-view.ts';

function matches(patterns: readonly string[], path: string, isDirectory = false): boolean {
  return pathMatcher(patterns)(path as TrackedPath, isDirectory);
}

it('fits a name without a slash in every folder', () => {
  expect(matches(['.env'], '.env')).toBe(true);
  expect(matches(['.env'], 'deep/er/.env')).toBe(true);
  expect(matches(['*.pem'], 'keys/a.pem')).toBe(true);
  expect(matches(['.env'], '.env.example')).toBe(false);
});

it('fits a path with a slash only in its own place', () => {
  expect(matches(['config/secret'], 'config/secret')).toBe(true);
  expect(matches(['/secret'], 'config/secret')).toBe(false);
  expect(matches(['config/**/key'], 'config/a/b/key')).toBe(true);
});

it('fits everything below a folder that fits; a folder pattern fits no file', () => {
  expect(matches(['secrets/'], 'secrets/a/b')).toBe(true);
  expect(matches(['secrets/'], 'secrets', true)).toBe(true);
  expect(matches(['secrets/'], 'secrets')).toBe(false);
  expect(matches(['secrets', '!secrets/a'], 'secrets/a')).toBe(true);
});

it('lets a later pattern exclude a name again', () => {
  expect(matches(['*.env', '!example.env'], 'example.env')).toBe(false);
});

it('compares bytes, also in names that are not text, and paths outside of the project', () => {
  const odd = bytesToPath(Uint8Array.of(0x61, 0xff, 0x62));
  expect(matches(['a?b'], odd)).toBe(true);
  expect(matches(['*.key'], '/etc/ssl/my.key')).toBe(true);
});

it('fits nothing without patterns', () => {
  expect(matches([], 'a')).toBe(false);
});
