import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadGlobalRules, readRuleText } from '../../../src/capture/ignore/global-rules.ts';
import { parseIgnore } from '../../../src/capture/ignore/ignore-file.ts';
import {
  type FolderRules,
  type IgnoreScope,
  rootScope,
} from '../../../src/capture/ignore/ignore-scope.ts';
import { bytesToPath } from '../../../src/model/path.ts';
import { makeScratch } from '../scratch.ts';
import type { ByteText, SampleTree } from './sample-tree.ts';

/** One real repository in which one tree after another is laid out. */
export class GitBed {
  readonly #base: string = makeScratch();
  readonly #top: string = join(this.#base, 'top');
  readonly #environment: { HOME: string; PATH: string } = {
    HOME: join(this.#base, 'home'),
    PATH: process.env.PATH ?? '',
  };

  constructor() {
    mkdirSync(this.#top);
    mkdirSync(join(this.#environment.HOME, '.config/git'), { recursive: true });
    this.#git(this.#top, 'init', '--quiet', '--template=');
    mkdirSync(join(this.#top, '.git/info'));
  }

  remove(): void {
    rmSync(this.#base, { recursive: true });
  }

  lay(tree: SampleTree): void {
    for (const name of readdirSync(this.#top, { encoding: 'buffer' })) {
      if (name.toString() !== '.git') {
        rmSync(this.#at(name.toString('latin1')), { recursive: true });
      }
    }
    for (const file of tree.files) this.#put(file, '');
    for (const { folder, text } of tree.gitignores) {
      this.#put(folder === '' ? '.gitignore' : `${folder}/.gitignore`, text);
    }
    writeFileSync(join(this.#top, '.git/info/exclude'), tree.infoExclude, 'latin1');
    const excludesFile = join(this.#environment.HOME, '.config/git/ignore');
    writeFileSync(excludesFile, tree.excludesFile, 'latin1');
  }

  /** A file where the tree also wants a folder, or the other way round, is left out. */
  #put(path: ByteText, content: ByteText): void {
    const at = this.#at(path);
    const slash = path.lastIndexOf('/');
    try {
      if (slash !== -1) mkdirSync(this.#at(path.slice(0, slash)), { recursive: true });
      writeFileSync(at, content, 'latin1');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(code)) throw error;
    }
  }

  /** The files that git would add, seen from a folder. */
  inScopeForGit(from: ByteText): ByteText[] {
    const listed = this.#git(this.#at(from), 'ls-files', '--others', '--exclude-standard', '-z');
    return listed.split('\0').slice(0, -1).sort();
  }

  /**
   * The files that we would capture with that folder as the project. None where git ignores the
   * folder as a whole: we leave the repository's rules aside then, and git lists nothing.
   */
  inScopeForUs(from: ByteText): ByteText[] {
    const root = this.#at(from);
    const global = loadGlobalRules(root.toString(), this.#environment);
    if (from !== '' && global.above?.length === 0) return [];
    const scope = rootScope(global, rulesIn(root), { defaults: false });
    return filesIn(root, scope).sort();
  }

  hasFolder(path: ByteText): boolean {
    return existsSync(below(this.#at(path), '.'));
  }

  #at(path: ByteText): Buffer {
    return path === '' ? Buffer.from(this.#top) : below(Buffer.from(this.#top), path);
  }

  #git(folder: string | Buffer, ...args: string[]): ByteText {
    return execFileSync('git', args, {
      cwd: folder.toString(),
      env: this.#environment,
      encoding: 'latin1',
    });
  }
}

function below(folder: Buffer, path: ByteText): Buffer {
  return Buffer.concat([folder, Buffer.from(`/${path}`, 'latin1')]);
}

function rulesIn(folder: Buffer): FolderRules {
  const text = readRuleText(below(folder, '.gitignore'), { followLink: false });
  const gitignore = text === null ? null : parseIgnore(text);
  return { gitignore, savepointignore: null, markers: new Set() };
}

function filesIn(folder: Buffer, scope: IgnoreScope): ByteText[] {
  return readdirSync(folder, { encoding: 'buffer', withFileTypes: true }).flatMap((entry) => {
    const name = bytesToPath(entry.name);
    const bytes = entry.name.toString('latin1');
    if (scope.ignores(name, entry.isDirectory())) return [];
    if (!entry.isDirectory()) return [bytes];
    const at = below(folder, bytes);
    return filesIn(at, scope.enter(name, rulesIn(at))).map((path) => `${bytes}/${path}`);
  });
}
