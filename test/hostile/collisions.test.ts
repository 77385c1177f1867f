import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { relativePath } from '../../src/index.ts';
import { protectionOf } from '../../src/model/protection.ts';
import { hostileBed } from './hostile-bed.ts';

const bed = hostileBed();

describe('names that are one name elsewhere', () => {
  const pairs: [what: string, one: string, other: string][] = [
    ['NFC and NFD', 'caf\u00e9', 'cafe\u0301'],
    ['the Angstrom sign and the letter', '\u212b', '\u00c5'],
    ['upper and lower case', 'README', 'readme'],
    ['sharp s and double s', 'stra\u00dfe', 'strasse'],
    ['with and without a trailing dot', 'name', 'name.'],
    ['with and without a trailing space', 'name', 'name '],
    ['with and without a joiner', 'name', 'na\u200dme'],
    ['with and without a byte order mark', 'name', '\ufeffname'],
    ['wide and narrow letters', 'abc', '\uff41\uff42\uff43'],
    ['two ways to write Hangul', '\uac00', '\u1100\u1161'],
  ];
  it.each(pairs)('stay two files: %s', async (_what, one, other) => {
    bed().put(one, 'one');
    // Some file systems hold only one of them; there is nothing to mix up there.
    if (existsSync(bed().at(other))) return;
    bed().put(other, 'other');
    const start = bed().tree();
    await bed().write('m1', one, 'ONE');
    await bed().tool('m2', [other], () => rmSync(bed().at(other)));
    await bed().rewind('m2');
    expect([bed().text(one), bed().text(other)]).toEqual(['ONE', 'other']);
    await bed().rewind('m1');
    expect(bed().tree()).toEqual(start);
  });
});

describe('what some file system takes for .git', () => {
  const spellings = [
    '.git',
    '.GIT',
    '.Git',
    '.gIt',
    '.git ',
    '.git.',
    '.git...',
    '.git . ',
    '.g\u200cit',
    '.gi\u200dt',
    '\u200e.git',
    '.git\u200f',
    '.\u202agit',
    '.g\u202eit',
    '.gi\u206at',
    '.git\u206f',
    '\ufeff.git',
    '.\u200cG\u200dI\u206aT',
    '.git\u200c ',
    'git~1',
    'GIT~1',
  ];

  it.each(spellings)('is never captured and never written: %j', async (name) => {
    for (const path of [`${name}/config`, `sub/${name}/hooks/post-checkout`]) {
      expect(protectionOf(relativePath(path))).toBe('git');
      const request = { sessionId: 's', messageId: 'm', paths: [path] };
      const { changes } = await bed().savepoint.captureBefore(request);
      expect(changes).toMatchObject([{ before: { kind: 'unknown', reason: 'protected' } }]);
    }
    const receipt = await bed().savepoint.rewind({ to: 'latest', onConflict: 'restore' });
    expect(receipt).toMatchObject({ restoredFiles: [], deletedFiles: [], operationId: null });
  });

  it.each(['.gitignore', '.github/workflows/ci.yml', 'git', 'x.git/config', '.git-x', 'git~2'])(
    'is not %s',
    async (path) => {
      bed().put(path, 'before');
      await bed().write('m1', path, 'after');
      await bed().rewind('m1');
      expect(bed().text(path)).toBe('before');
    },
  );
});

describe("what some file system takes for an agent's configuration", () => {
  it.each(['.CLAUDE/x', '.claude./x', '.mcp.JSON', '.Mcp.json ', '.v\u200cscode/x', '.gemini /x'])(
    'is restored only when asked for by name: %j',
    async (path) => {
      bed().put(path, 'before');
      await bed().tool('m1', [path], () => writeFileSync(bed().at(path), 'after'));
      await bed().rewind('m1');
      expect(bed().text(path)).toBe('after');
      await bed().rewind('m1', { paths: [path] });
      expect(bed().text(path)).toBe('before');
    },
  );
});
