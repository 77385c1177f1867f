import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { type OpenOptions, openSavepoint, type Savepoint } from '../../src/index.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { canaryOf, type Picture, pictureOf } from './picture.ts';
import { isGits, isIgnored, PLANT } from './planted-tree.ts';

/** A real project with the planted tree, in which real programs run. */
export class ShellProject {
  readonly scratch: string = makeScratch();
  readonly root: string = join(this.scratch, 'project');
  readonly stores: string = join(this.scratch, 'stores');
  /** The home directory of every program that runs here. */
  readonly user: string = join(this.scratch, 'user');
  /** Of the programs that run here; ours unless it says otherwise. */
  protected identity: { readonly uid?: number; readonly gid?: number } = {};
  readonly #open: Savepoint[] = [];

  /** `extra` is a script that adds to the planted tree; with git, everything is then committed and packed. */
  constructor({ git, extra = '' }: { readonly git: boolean; readonly extra?: string }) {
    for (const folder of [this.root, this.user]) mkdirSync(folder);
    const planted = `${PLANT}${extra}\n${BACKDATE}\n${git ? COMMIT : ''}`;
    if (extra !== '') this.sh(planted);
    else this.#copy(join(inject('built'), `planted-${process.pid}-${git}`), planted, git);
  }

  /** Takes a tree that was planted before, or is the first to plant it. Git has to learn of the new files. */
  #copy(template: string, planted: string, git: boolean): void {
    if (existsSync(template)) {
      this.sh(`cp -a '${template}/.' .${git ? '; git update-index -q --refresh' : ''}`);
    } else this.sh(`${planted}\ncp -a . '${template}'`);
  }

  get environment(): Record<string, string> {
    return {
      PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      HOME: this.user,
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'dummy',
      GIT_AUTHOR_EMAIL: 'dummy@example.com',
      GIT_COMMITTER_NAME: 'dummy',
      GIT_COMMITTER_EMAIL: 'dummy@example.com',
    };
  }

  /**
   * Gives everything to a user whom permissions can stop; programs run as that user from here on. Git is told
   * that the files are what they were.
   */
  asOrdinaryUser(): void {
    if (process.getuid?.() !== 0) return;
    this.sh(`chown -R ${NOBODY}:${NOBODY} '${this.scratch}'`);
    this.identity = { uid: NOBODY, gid: NOBODY };
    this.sh('sleep 0.1; git update-index --refresh');
  }

  /** Runs a script to its end. Throws if a command in it fails. */
  sh(script: string): string {
    const { status, stdout, stderr } = this.#spawned(script);
    if (status === 0) return stdout;
    throw new Error(`the script ended with ${status}: ${stderr}`);
  }

  /** As `sh`, for scripts that are meant to fail. Null: ended by a signal. */
  failing(script: string): number | null {
    return this.#spawned(script).status;
  }

  /** As `sh`, beside others. */
  start(script: string): Promise<number | null> {
    const child = spawn('bash', ['-c', STRICT + script], { ...this.#options(), stdio: 'ignore' });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
  }

  async open(options: Partial<OpenOptions> = {}): Promise<Savepoint> {
    const { root: project, stores: home, environment } = this;
    const savepoint = await openSavepoint({ project, home, scan: true, environment, ...options });
    this.#open.push(savepoint);
    return savepoint;
  }

  at(path: string): string {
    return join(this.root, path);
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  /** What is in scope. */
  picture(): Picture {
    return pictureOf(this.root, (path) => isGits(path) || isIgnored(path));
  }

  /** What is not in scope, git's own files included, with every sign of a touch. */
  untouchable(): Picture {
    return canaryOf(this.root, (path) => isGits(path) || isIgnored(path));
  }

  async remove(): Promise<void> {
    for (const savepoint of this.#open) await savepoint.close();
    removeScratch(this.scratch);
  }

  #spawned(script: string): { status: number | null; stdout: string; stderr: string } {
    return spawnSync('bash', ['-c', STRICT + script], { ...this.#options(), encoding: 'utf8' });
  }

  #options(): { cwd: string; env: Record<string, string>; uid?: number; gid?: number } {
    return { cwd: this.root, env: this.environment, ...this.identity };
  }
}

export const NOBODY = 65534;

const STRICT = 'set -euo pipefail; umask 022\n';

// Git trusts its index for files that are clearly older than it.
const BACKDATE = "find . -exec touch -h -d '2020-01-01 00:00' {} +";

const COMMIT = `
git init --quiet --initial-branch main --template=
git config gc.auto 0
git add --all
git commit --quiet --message planted
git repack --quiet -d
`;
