import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type GitRepository, withGitRepository } from './git-repository.ts';
import { refusalFrom, takenFrom } from './taken.ts';

const ROT13 = 'tr A-Za-z N-ZA-Mn-za-m';
const ID = `$Id: ${'0123456789'.repeat(4)} $\n`;

describe('files that git converts', () => {
  it('takes no file whose line ends were converted, and takes those without any', () =>
    withGitRepository(async (repository) => {
      const attributes = '* text=auto eol=crlf\n.gitattributes eol=lf\n';
      await repository.commit({ '.gitattributes': attributes, lines: 'a\nb\n', word: 'word' });
      await repository.checkOutAnew('lines', 'word');
      assert.equal(textOf(repository, 'lines'), 'a\r\nb\r\n');
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'word']);
    }));

  it('takes no file that git committed without its carriage returns', () =>
    withGitRepository(async (repository) => {
      repository.git('config', 'core.autocrlf', 'input');
      await repository.commit({ lines: 'a\r\nb\r\n', word: 'word' });
      assert.deepEqual(await takenFrom(repository), ['word']);
    }));

  it('refuses a repository with a filter of its own, even one that keeps the size', () =>
    withGitRepository(async (repository) => {
      await commitThroughFilter(repository, 'rot');
      assert.equal(repository.git('cat-file', 'blob', 'HEAD:secret'), 'frperg\n');
      assert.equal(await refusalFrom(repository), 'filter-driver');
    }));

  it('refuses a driver whose name only begins like that of LFS', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ same: 'one' });
      repository.git('config', 'filter.lfs.x.clean', ROT13);
      assert.equal(await refusalFrom(repository), 'filter-driver');
    }));

  it('takes no file with a filter whose driver is not configured any more', () =>
    withGitRepository(async (repository) => {
      await commitThroughFilter(repository, 'rot');
      repository.git('config', '--remove-section', 'filter.rot');
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'same']);
    }));

  it('takes no file of LFS, and the others of its repository', () =>
    withGitRepository(async (repository) => {
      await commitThroughFilter(repository, 'lfs');
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'same']);
    }));

  it('takes no file of LFS that holds its pointer still', () =>
    withGitRepository(async (repository) => {
      const pointer = 'version https://git-lfs.github.com/spec/v1\nsize 9\n';
      await repository.commit({ '.gitattributes': '*.bin filter=lfs\n', 'a.bin': pointer });
      assert.deepEqual(await takenFrom(repository), ['.gitattributes']);
    }));

  it('takes no file in another encoding, even one of the same size', () =>
    withGitRepository(async (repository) => {
      const attributes = 'word working-tree-encoding=UTF-16LE\n';
      await repository.commit({ '.gitattributes': attributes, same: 'one' });
      // Two bytes for each letter in either encoding.
      writeFileSync(join(repository.root, 'word'), 'Привет', 'utf16le');
      await repository.commit();
      assert.equal(repository.git('cat-file', '-s', 'HEAD:word').trim(), '12');
      assert.equal(readFileSync(join(repository.root, 'word')).length, 12);
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'same']);
    }));

  it('takes no file with an expanded $Id$ in place of another of the same length', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ stamped: ID, same: 'one' });
      await repository.commit({ '.gitattributes': 'stamped ident\n' });
      await repository.checkOutAnew('stamped');
      assert.notEqual(textOf(repository, 'stamped'), ID);
      assert.equal(textOf(repository, 'stamped').length, ID.length);
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'same']);
    }));

  it('takes files whose attributes are switched off', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ '.gitattributes': '* -filter -ident !text\n', same: 'one' });
      assert.deepEqual(await takenFrom(repository), ['.gitattributes', 'same']);
    }));

  it.each([
    ['.git/info/attributes', (repository: GitRepository) => repository.root],
    ['.config/git/attributes', (repository: GitRepository) => repository.environment.HOME],
  ])('finds attributes in %s', (file, folder) =>
    withGitRepository(async (repository) => {
      await repository.commit({ stamped: ID, same: 'one' });
      repository.write(
        join('..', folder(repository).split('/').pop() ?? '', file),
        'stamped ident\n',
      );
      assert.deepEqual(await takenFrom(repository), ['same']);
    }),
  );

  it.each(['modified', 'staged'])('takes nothing below attributes that are %s', (how) =>
    withGitRepository(async (repository) => {
      const files = { 'a/stamped': ID, 'a/same': 'one', b: 'two' };
      await repository.commit({ 'a/.gitattributes': 'stamped ident\n', ...files });
      await repository.checkOutAnew('a/stamped');
      repository.write('a/.gitattributes', 'other ident\n');
      if (how === 'staged') repository.git('add', 'a/.gitattributes');
      await repository.tick();
      repository.rewriteIndex();
      assert.deepEqual(await takenFrom(repository), ['b']);
    }),
  );

  // Beside names that come before and after it, where the listings of index and HEAD differ.
  it.each(['z/-', 'z/a'])('takes nothing below attributes that only HEAD has, like %s', (path) =>
    withGitRepository(async (repository) => {
      await repository.commit({ 'z/.gitattributes': 'b ident\n', [path]: 'one', b: 'two' });
      repository.git('rm', '--quiet', '--force', 'z/.gitattributes');
      assert.deepEqual(await takenFrom(repository), ['b']);
    }),
  );
});

/** `secret` goes through a filter that keeps its size, `same` does not. */
async function commitThroughFilter(repository: GitRepository, driver: string): Promise<void> {
  for (const way of ['clean', 'smudge']) repository.git('config', `filter.${driver}.${way}`, ROT13);
  const attributes = `secret filter=${driver}\n`;
  await repository.commit({ '.gitattributes': attributes, secret: 'secret\n', same: 'one' });
}

function textOf(repository: GitRepository, path: string): string {
  return readFileSync(join(repository.root, path), 'utf8');
}
