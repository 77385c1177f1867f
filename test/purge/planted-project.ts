import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type OpenOptions,
  openSavepoint,
  type Savepoint,
  storeDirectory,
} from '../../src/index.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { GitRepository } from '../git/git-repository.ts';
import { storeFolder } from './store-search.ts';

/** What is planted, one text for each way in which a store keeps bytes. */
export const MARKERS = {
  git: 'PLANTED-git-5f0c',
  history: 'PLANTED-history-91be',
  pack: 'PLANTED-pack-77a1',
  small: 'PLANTED-small-0d4e',
  noise: 'PLANTED-noise-c2c2',
  large: 'PLANTED-large-18f9',
  largeNoise: 'PLANTED-large-noise-e6b3',
  delta: 'PLANTED-delta-3a90',
} as const;

/** Kept under another name, which is not purged. */
export const SHARED = 'PLANTED-shared-b7d5';

/** Bytes that do not compress, with a text at their beginning and here and there. */
function noiseWith(text: string, length: number): string {
  let noise = text;
  for (let part = 0; noise.length < length; part += 1) {
    noise += createHash('sha512').update(`${text}${part}`).digest('base64');
    if (part % 50 === 0) noise += text;
  }
  return noise;
}

/** A file that compresses well. */
function proseWith(text: string, lines: number): string {
  const line = (n: number): string => `line ${n} of a file that says ${n % 7} things\n`;
  return `${text}\n${Array.from({ length: lines }, (_, n) => line(n)).join('')}${text}\n`;
}

/** A project in git with secrets in `keys/`, recorded in every way there is. */
export class PlantedProject {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly repository: GitRepository;
  /** Everything that was ever written. */
  readonly contents: Buffer[];

  private constructor(contents: readonly Buffer[] = []) {
    this.base = makeScratch();
    this.root = join(this.base, 'project');
    this.home = join(this.base, 'home');
    this.contents = [...contents];
    this.repository = new GitRepository(this.root, this.base);
  }

  static async plant(): Promise<PlantedProject> {
    const project = new PlantedProject();
    mkdirSync(project.root);
    await project.#commitAll();
    const savepoint = await project.open();
    try {
      await project.#record(savepoint);
      await savepoint.cleanup({}, Number.POSITIVE_INFINITY);
      await project.#recordMore(savepoint);
    } finally {
      await savepoint.close();
    }
    return project;
  }

  /** The same in another place; its store is adopted there. */
  async copy(): Promise<PlantedProject> {
    const copy = new PlantedProject(this.contents);
    const keep = { recursive: true, preserveTimestamps: true };
    for (const name of ['project', 'home'])
      cpSync(join(this.base, name), join(copy.base, name), keep);
    renameSync(storeFolder(copy.home), storeDirectory(copy.home, copy.root));
    await (await copy.open({ adopt: true })).close();
    return copy;
  }

  open(more: Partial<OpenOptions> = {}): Promise<Savepoint> {
    const { root: project, home } = this;
    const { environment } = this.repository;
    return openSavepoint({ project, home, scan: true, environment, ...more });
  }

  put(name: string, content: string): void {
    this.contents.push(Buffer.from(content));
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), content);
  }

  async write(
    savepoint: Savepoint,
    messageId: string,
    name: string,
    content: string,
  ): Promise<void> {
    const capture = await savepoint.captureBefore({ sessionId: 's', messageId, paths: [name] });
    this.put(name, content);
    await savepoint.captureAfter(capture);
  }

  remove(): void {
    removeScratch(this.base);
  }

  /** Held by git: one content in the tree of HEAD, and one that only its history has. */
  async #commitAll(): Promise<void> {
    this.repository.git('init', '--quiet');
    this.put('keys/git.txt', proseWith(MARKERS.history, 40));
    this.put('plain/git.txt', proseWith('nothing to hide', 50));
    await this.repository.commit();
    this.put('keys/git.txt', proseWith(MARKERS.git, 60));
    await this.repository.commit();
    this.repository.git('gc', '--quiet');
    await this.repository.tick();
    this.repository.rewriteIndex();
  }

  async #record(savepoint: Savepoint): Promise<void> {
    this.put('keys/untracked.txt', proseWith(MARKERS.pack, 30));
    this.put('plain/untracked.txt', proseWith('nothing to see', 30));
    // The first scan: git's objects are linked, the rest is packed.
    await savepoint.checkpoint({ sessionId: 's', messageId: 'm0' });
    await this.write(savepoint, 'm1', 'keys/small.txt', proseWith(MARKERS.small, 20));
    await this.write(savepoint, 'm1', 'keys/noise.txt', noiseWith(MARKERS.noise, 20_000));
    await this.write(savepoint, 'm1', 'keys/large.txt', proseWith(MARKERS.large, 20_000));
    await this.write(savepoint, 'm1', 'keys/large.bin', noiseWith(MARKERS.largeNoise, 400_000));
    await this.write(savepoint, 'm1', 'keys/shared.txt', proseWith(SHARED, 20));
    await this.write(savepoint, 'm1', 'copy.txt', proseWith(SHARED, 20));
    // A secret that only differs from what was there, and a content of others that was made from it.
    const grown = `${noiseWith('nothing', 5_000)}\n${MARKERS.delta}\n`;
    await this.write(savepoint, 'm2', 'keys/delta.txt', noiseWith('nothing', 5_000));
    await this.write(savepoint, 'm3', 'keys/delta.txt', grown);
    await this.write(savepoint, 'm4', 'keys/delta.txt', grown.replace(MARKERS.delta, 'gone'));
    await this.write(savepoint, 'm4', 'plain/leaning.txt', grown.replace(MARKERS.delta, 'gone'));
    await this.write(savepoint, 'm4', 'keys/git.txt', `${proseWith(MARKERS.git, 60)}more\n`);
    await this.write(savepoint, 'm4', 'plain/git.txt', `${proseWith('nothing to hide', 50)}more\n`);
  }

  /** Not looked at by compaction any more: raw rows, and large blobs that have just arrived. */
  async #recordMore(savepoint: Savepoint): Promise<void> {
    await this.write(savepoint, 'm5', 'keys/small.txt', `${proseWith(MARKERS.small, 20)}more\n`);
    await this.write(
      savepoint,
      'm5',
      'keys/large.bin',
      `${noiseWith(MARKERS.largeNoise, 400_000)}!`,
    );
    await this.write(savepoint, 'm5', 'plain/large.bin', noiseWith('nothing', 300_000));
    rmSync(join(this.root, 'keys/noise.txt'));
    await savepoint.scan();
  }
}

/** Paths of which the record names bytes that are not there. */
export async function unreadable(savepoint: Savepoint): Promise<string[]> {
  const lost: string[] = [];
  for (const { path, before, after } of await savepoint.changes({})) {
    for (const state of [before, after]) {
      if (state?.kind !== 'captured' || state.blob === null) continue;
      const bytes = await savepoint.readBlob(state.blob).catch(() => null);
      if (bytes?.length !== state.size) lost.push(path);
    }
  }
  return lost;
}
