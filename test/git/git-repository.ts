import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTemporaryFolder } from '../setup/temporary-folder.ts';

/** A real repository with a home of its own; nothing of the caller's git configuration is seen. */
export class GitRepository {
  readonly root: string;
  readonly environment: { readonly PATH: string; readonly HOME: string };

  constructor(root: string, home: string) {
    this.root = root;
    this.environment = { PATH: process.env.PATH ?? '', HOME: home };
  }

  git(...args: string[]): string {
    return this.gitWith('', ...args);
  }

  gitWith(input: string, ...args: string[]): string {
    const identity = ['user.name=dummy', 'user.email=dummy@example.com', 'gc.auto=0'];
    const settings = identity.flatMap((set) => ['-c', set]);
    const env = { ...this.environment, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...settings, ...args], {
      cwd: this.root,
      env,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  /** Writes files, commits everything at a moment that is clearly after the writing, and packs it. */
  async commit(files: Readonly<Record<string, string>> = {}): Promise<void> {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    await this.tick();
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'dummy');
    this.git('repack', '--quiet', '-d');
  }

  /** Has git write files as a clone would, and the index clearly after them. */
  async checkOutAnew(...paths: string[]): Promise<void> {
    execFileSync('rm', ['-f', '--', ...paths], { cwd: this.root, env: this.environment });
    this.git('checkout', '--', ...paths);
    await this.tick();
    this.rewriteIndex();
  }

  /** Makes git write the index again, with nothing changed in it but its time. */
  rewriteIndex(): void {
    this.write('.extra', 'dummy');
    this.git('update-index', '--add', '.extra');
    this.git('update-index', '--force-remove', '.extra');
    execFileSync('rm', ['.extra'], { cwd: this.root, env: this.environment });
  }

  /** Waits until the file system's clock, which moves in steps, has moved on. */
  async tick(): Promise<void> {
    const probe = join(this.root, '..', 'probe');
    const stamp = (): bigint => {
      writeFileSync(probe, '');
      return lstatSync(probe, { bigint: true }).mtimeNs;
    };
    const before = stamp();
    for (let i = 0; i < 1_000 && stamp() === before; i += 1) await sleep(2);
  }
}

/** Runs `body` with an empty repository, which is removed afterwards. */
export async function withGitRepository<Result>(
  body: (repository: GitRepository, folder: string) => Promise<Result>,
  ...initFlags: string[]
): Promise<Result> {
  return withTemporaryFolder(async (folder) => {
    const repository = new GitRepository(join(folder, 'project'), join(folder, 'home'));
    mkdirSync(repository.root);
    mkdirSync(repository.environment.HOME);
    repository.git('init', '--quiet', '--initial-branch', 'main', ...initFlags);
    return body(repository, folder);
  });
}
