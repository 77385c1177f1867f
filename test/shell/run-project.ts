import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeDirectory } from '../../src/index.ts';
import { runHere } from '../e2e/cli-here.ts';
import { MAIN, type Result, runNode } from '../e2e/cli-project.ts';
import { compiledCommands } from '../setup/built.ts';
import { ShellProject } from './shell-project.ts';

/** A running `savepoint run`. */
export interface Running {
  readonly ended: Promise<{ readonly code: number | null }>;
  /** The process of `savepoint` itself. */
  kill(signal: NodeJS.Signals): void;
}

/** A project for the real command line. Without git unless it is asked for. */
export class RunProject extends ShellProject {
  readonly #running: Running[] = [];

  constructor(options: ConstructorParameters<typeof ShellProject>[0] = { git: false }) {
    super(options);
  }

  get storeFolder(): string {
    return storeDirectory(this.stores, this.root);
  }

  /** A command line, in a process of its own where it runs a program or is another user's. */
  cli(args: readonly string[], cwd: string = this.root): Promise<Result> {
    const place = { cwd, env: this.childEnvironment };
    if (args[0] !== 'run' && this.identity.uid === undefined) return runHere(args, place);
    return runNode([MAIN, ...args], { ...place, ...this.identity });
  }

  /** `savepoint run` of a script. */
  run([script]: readonly [string], options: readonly string[] = []): Promise<Result> {
    return this.cli(['run', ...options, '--', 'bash', '-c', script]);
  }

  /** As `run`, without waiting for its end. */
  startRun(script: string): Running {
    const args = [MAIN, 'run', '--', 'bash', '-c', script];
    const options = { cwd: this.root, env: this.childEnvironment, stdio: 'ignore' } as const;
    const child = spawn(process.execPath, args, options);
    const ended = new Promise<{ code: number | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve({ code }));
    });
    const running: Running = { ended, kill: (signal) => child.kill(signal) };
    this.#running.push(running);
    return running;
  }

  /** Waits for a file that a program makes in its home directory, for a bounded time. */
  async appears(name: string): Promise<void> {
    const sign = join(this.user, name);
    for (let times = 0; times < 2_000 && !existsSync(sign); times += 1) await sleep(10);
    if (!existsSync(sign)) throw new Error(`no sign of ${name}`);
  }

  /** Also ends what a test that failed has left running: the signal is passed on. */
  override async remove(): Promise<void> {
    for (const running of this.#running) {
      running.kill('SIGTERM');
      await running.ended;
    }
    await super.remove();
  }

  get childEnvironment(): Record<string, string> {
    const own = { SAVEPOINT_HOME: this.stores, XDG_CACHE_HOME: compiledCommands() };
    return { ...this.environment, ...own };
  }
}
