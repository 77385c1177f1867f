import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type NamedPath, openSavepoint, type Savepoint } from '../../src/index.ts';
import { builtCommand, compiledCommands } from '../setup/built.ts';
import { type Person, runHere, type Seen, seenHere } from './cli-here.ts';
import { makeScratch } from './scratch.ts';

/** The command for Node to run, where only a process of its own will do. */
export const MAIN: string = builtCommand();
/** Commands whose programs get their own standard streams, folder or environment. */
const STARTS_PROGRAMS: readonly string[] = ['run', 'demo', 'chat'];
export const PATH: string = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);

export interface Result {
  /** As a shell counts: 130 for what Ctrl-C ended. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What an agent's tool does to files, under one message. */
export interface AgentWork {
  readonly message: string;
  readonly description?: string;
  readonly session?: string;
  readonly paths: readonly NamedPath[];
  readonly work: () => void;
}

/** A temporary project with a store of its own, and the command line to use on it. */
export class CliProject {
  readonly scratch: string;
  readonly root: string;
  readonly home: string;

  constructor(files: Readonly<Record<string, string>> = {}, scratch: string = makeScratch()) {
    this.scratch = scratch;
    this.root = join(scratch, 'project');
    this.home = join(scratch, 'stores');
    mkdirSync(this.root);
    // A child that looks into its home directory finds an empty one.
    mkdirSync(join(this.scratch, 'user'));
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  read(name: string): string | null {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : null;
  }

  open<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T> {
    return this.openAt(null, work);
  }

  /** As `open`, at another time of the clock. */
  async openAt<T>(time: number | null, work: (savepoint: Savepoint) => Promise<T>): Promise<T> {
    const clock = time === null ? {} : { now: () => time };
    const savepoint = await openSavepoint({ project: this.root, home: this.home, ...clock });
    try {
      return await work(savepoint);
    } finally {
      await savepoint.close();
    }
  }

  /** Lets an agent work, recorded. Gives the id of the message's checkpoint. */
  agent({ message, description, session = 's1', paths, work }: AgentWork): Promise<string> {
    return this.open(async (savepoint) => {
      const request = { sessionId: session, messageId: message, agent: 'test-agent', description };
      const capture = await savepoint.captureBefore({ ...request, paths });
      work();
      await savepoint.captureAfter(capture);
      return capture.checkpointId;
    });
  }

  /** As `agent`, for one file. */
  agentWrites(message: string, name: string, content: string): Promise<string> {
    const work = () => this.write(name, content);
    return this.agent({ message, description: `message ${message}`, paths: [name], work });
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH,
      HOME: join(this.scratch, 'user'),
      SAVEPOINT_HOME: this.home,
      XDG_CACHE_HOME: compiledCommands(),
      ...more,
    };
  }

  /** Runs a command line in this process, unless it starts programs, which get the streams of a process. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    if (args.some((word) => STARTS_PROGRAMS.includes(word))) return this.runProcess(args, options);
    return runHere(args, { cwd: options.cwd ?? this.root, env: this.env(options.env) });
  }

  /** Runs a command line in this process, as if at a terminal. */
  see(args: readonly string[], options: RunOptions & Person = {}): Promise<Seen> {
    const { cwd = this.root, env, ...person } = options;
    return seenHere(args, { cwd, env: this.env(env) }, person);
  }

  /** Runs a command line in a process of its own. */
  runProcess(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    const cwd = options.cwd ?? this.root;
    return runNode([MAIN, ...args], { cwd, env: this.env(options.env) });
  }

  /** Runs with standard output on a device that takes nothing. */
  runFull(args: readonly string[]): Promise<Result> {
    const full = openSync('/dev/full', 'w');
    const options = { cwd: this.root, env: this.env() };
    return runNode([MAIN, ...args], options, full).finally(() => closeSync(full));
  }

  /** Runs with `--json` and reads what is on standard output, all of it. */
  async json([verb = '', ...args]: readonly string[]): Promise<{
    code: number | null;
    value: Json;
  }> {
    const { code, out } = await this.run([verb, '--json', ...args]);
    return { code, value: JSON.parse(out) as Json };
  }

  remove(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

export type Json = Record<string, unknown>;

export function runNode(
  args: readonly string[],
  options: {
    cwd: string;
    env: Record<string, string>;
    uid?: number;
    gid?: number;
    timeout?: number;
    killSignal?: 'SIGKILL';
  },
  output: number | 'pipe' = 'pipe',
): Promise<Result> {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', output, 'pipe'] });
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code: signal === null ? code : 128 + constants.signals[signal], out, err });
    });
  });
}
