import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

it('Removed requirement: no source has or names a RewindManager any more', () => {
  const sources = ['src', 'bin'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]s$/.test(name))
      .map((name) => join(folder, name)),
  );
  expect(sources).toContain(join('src', 'replica', 'runners', 'runner-factory.ts'));
  const naming = sources.filter((file) =>
    /rewind-?manager/i.test(file + readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(naming).toEqual([]);
});
