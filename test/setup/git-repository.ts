import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A bare repository, worked on by the real git, which sees nothing of the caller's settings. */
export class GitRepository {
  readonly path: string;
  readonly #home: string;

  /** `home` stands for the user's, and takes files for a moment. */
  constructor(home: string, path: string = join(home, 'repository.git')) {
    this.path = path;
    this.#home = home;
    mkdirSync(this.path, { recursive: true });
    this.run(['init', '--quiet', '--bare', '.']);
  }

  run(args: readonly string[], input: string | Uint8Array = ''): Buffer {
    const env = { PATH: process.env.PATH ?? '', HOME: this.#home, GIT_CONFIG_NOSYSTEM: '1' };
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    return execFileSync('git', args, { cwd: this.path, env, input, stdio });
  }

  /** Makes a loose object; gives its id. */
  addBlob(bytes: Uint8Array): Buffer {
    const hex = this.run(['hash-object', '-w', '--stdin'], bytes).toString('latin1').trim();
    return Buffer.from(hex, 'hex');
  }

  /** As `addBlob`, in a pack of its own. */
  packBlob(bytes: Uint8Array): Buffer {
    const id = this.addBlob(bytes);
    this.pack([id]);
    return id;
  }

  /** As `addBlob`, with one process for all of them. */
  addBlobs(contents: readonly Uint8Array[]): Buffer[] {
    const folder = join(this.#home, 'contents');
    mkdirSync(folder);
    const files = contents.map((bytes, at) => {
      writeFileSync(join(folder, String(at)), bytes);
      return `${join(folder, String(at))}\n`;
    });
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
    const ids = this.run(args, files.join('')).toString('latin1').trim().split('\n');
    rmSync(folder, { recursive: true });
    return ids.map((hex) => Buffer.from(hex, 'hex'));
  }

  /** Packs objects, and removes their loose files. Gives the pack's name without its ending. */
  pack(ids: readonly Buffer[], ...options: readonly string[]): string {
    const list = ids.map((id) => `${id.toString('hex')} name\n`).join('');
    const args = ['pack-objects', '--quiet', ...options, 'objects/pack/pack'];
    const hash = this.run(args, list).toString('latin1').trim();
    this.run(['prune-packed', '--quiet']);
    return join(this.path, 'objects', 'pack', `pack-${hash}`);
  }

  /** How many deltas stand behind one another in a pack, at most. */
  depthOf(pack: string): number {
    const report = this.run(['verify-pack', '--stat-only', `${pack}.idx`]).toString('latin1');
    const depths = [...report.matchAll(/^chain length = (\d+):/gm)].map(([, depth]) => depth);
    return Math.max(0, ...depths.map(Number));
  }
}
