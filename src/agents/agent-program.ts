import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../fs/find-program.ts';
import { type ForkRequest, notForked } from './fork-conversation.ts';

interface AgentCall extends Pick<ForkRequest, 'project' | 'env'> {
  /** The name of the program on PATH. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs; the project where this is left out. */
  readonly folder?: string;
  /** The beginnings of the names of the agent's own variables, which it gets beside the usual ones. */
  readonly variables: readonly string[];
  /** Variables that are set for this call. */
  readonly set?: Readonly<Record<string, string>>;
}

/** Longer than any of them takes to start on a slow machine. */
export const LIMIT_MS = 60_000;

/** Variables without which programs do not find home, certificates or the way through a proxy. */
const USUAL: readonly RegExp[] = [
  /^(HOME|USER|LOGNAME|LANG|TMPDIR|SHELL|TERM)$/,
  /^(LC|XDG)_/,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/,
  /^(https?|all|no)_proxy$/i,
];

/**
 * Starts an agent's program, found outside of the project, with an environment built for it. It is killed when
 * it takes too long.
 */
export function startAgent(call: AgentCall): ChildProcess {
  const found = findProgram(call.program, call.env.PATH, call.project);
  if (found === null) throw notForked(`${call.program} is not on PATH`);
  const passes = (name: string): boolean =>
    USUAL.some((usual) => usual.test(name)) ||
    call.variables.some((beginning) => name.startsWith(beginning));
  const passed = Object.entries(call.env).filter(([name]) => passes(name));
  const child = spawn(found.file, call.args, {
    cwd: call.folder ?? call.project,
    env: { ...Object.fromEntries(passed), PATH: found.path, ...call.set },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  // A program that ends early does not read what is written to it.
  child.stdin?.on('error', () => {});
  return child;
}

/** Runs it to its end. Throws where it fails. */
export async function runAgent(call: AgentCall): Promise<void> {
  const child = startAgent(call);
  child.stdin?.end();
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw notForked(`${call.program} ended with ${code ?? 'a signal'}`);
}
