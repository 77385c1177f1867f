import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesToPath, relativePath, type TrackedPath } from '../model/path.ts';
import { pinFolder } from './pinned-folder.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-pinned-')));
  root = join(base, 'project');
  mkdirSync(join(root, 'a/b/c'), { recursive: true });
  mkdirSync(join(base, 'outside/b/c'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

/** The inode of the folder that is pinned; null where none is. */
function inodeOf(folder: TrackedPath): number | null {
  const pinned = pinFolder(root, folder, false);
  if (pinned === null) return null;
  try {
    return statSync(pinned.self()).ino;
  } finally {
    pinned.close();
  }
}

describe('a walk to a folder', () => {
  it.each(['a', 'a/b', 'a/b/c'])('ends at %s itself', (folder) => {
    expect(inodeOf(relativePath(folder))).toBe(statSync(join(root, folder)).ino);
  });

  it.each(['a', 'a/b', 'a/b/c'])('is refused where %s is a link', (link) => {
    rmSync(join(root, link), { recursive: true });
    symlinkSync(join(base, 'outside'), join(root, link));
    mkdirSync(join(base, 'outside/c'));
    const behind = relativePath(`${link}/b/c`);
    expect(() => inodeOf(behind)).toThrow(expect.objectContaining({ code: 'symlinked-parent' }));
    const itself = relativePath(link);
    expect(() => inodeOf(itself)).toThrow(expect.objectContaining({ code: 'symlinked-parent' }));
  });

  it('is refused where a link leads back into the project, or nowhere', () => {
    symlinkSync('a', join(root, 'again'));
    symlinkSync('nothing', join(root, 'lost'));
    for (const folder of ['again/b', 'lost/b']) {
      const behind = relativePath(folder);
      expect(() => inodeOf(behind)).toThrow(expect.objectContaining({ code: 'symlinked-parent' }));
    }
  });

  it('finds nothing where a component is missing or a file', () => {
    writeFileSync(join(root, 'a/file'), '');
    expect(inodeOf(relativePath('a/none/c'))).toBeNull();
    expect(inodeOf(relativePath('a/file/c'))).toBeNull();
  });

  it('does not begin where the project has become a link', () => {
    renameSync(root, join(base, 'moved'));
    symlinkSync(join(base, 'moved'), root);
    expect(() => inodeOf(relativePath('a/b'))).toThrow(/ELOOP|ENOTDIR/);
  });

  it.each(['a/b (deleted)', 'a/\uFFFD', 'a/new\nline', 'a/\u{1F600}'])('ends at %j', (folder) => {
    mkdirSync(join(root, folder));
    expect(inodeOf(relativePath(folder))).toBe(statSync(join(root, folder)).ino);
  });

  it.runIf(process.platform === 'linux')('takes no name for another that looks like it', () => {
    const bytes = Buffer.concat([Buffer.from('a/'), Buffer.from([0xff]), Buffer.from('/c')]);
    const at = Buffer.concat([Buffer.from(`${root}/`), bytes]);
    mkdirSync(at, { recursive: true });
    symlinkSync(Buffer.from([0xff]), join(root, 'a/\uFFFD'));
    const lookalike = relativePath('a/\uFFFD/c');
    expect(() => inodeOf(lookalike)).toThrow(expect.objectContaining({ code: 'symlinked-parent' }));
    expect(inodeOf(bytesToPath(bytes) as TrackedPath)).toBe(statSync(at).ino);
  });
});
