import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../fs/find-program.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import { type Conversation, SavepointError } from '../index.ts';
import { type Kind, recordOf, unchecked } from '../model/check.ts';
import { parseJson } from './read-json.ts';

/** A conversation, and the prompt before which it is to be cut. */
export interface ForkRequest {
  readonly conversation: Conversation;
  readonly prompt: string;
  /** When the prompt was sent, in milliseconds. */
  readonly sentAt: number;
  /** The folder in which the agent works. No program in it is run. */
  readonly project: string;
  /** The variables of the caller; agents get only those that they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ForkedConversation {
  /** The agent's id of the new conversation; null where it begins with nothing. */
  readonly id: string | null;
  /** The words of the one command that continues there, and the folder in which to run it. */
  readonly command: readonly string[];
  readonly folder: string;
}

/**
 * Copies the part of a conversation before a prompt into a new conversation. It asks no model, and the files
 * of the original stay as they are. Throws `conversation-not-forked`.
 */
export type ForkConversation = (request: ForkRequest) => Promise<ForkedConversation>;

const FORKS: Readonly<Partial<Record<string, () => Promise<ForkConversation>>>> = {
  'claude-code': async () => (await import('./claude-code/fork.ts')).forkClaudeCode,
  codex: async () => (await import('./codex/fork.ts')).forkCodex,
  gemini: async () => (await import('./gemini/fork.ts')).forkGemini,
  opencode: async () => (await import('./opencode/fork.ts')).forkOpencode,
};

/** Throws `conversation-not-forked` for an agent that has no such way. */
export async function loadFork(agent: string | null): Promise<ForkConversation> {
  const load = Object.hasOwn(FORKS, agent ?? '') ? FORKS[agent ?? ''] : undefined;
  if (load === undefined) throw notForked(`${agent ?? 'its agent'} has no way to do it`);
  return load();
}

/** The folder of a conversation as an agent keeps it, where that is in the project; otherwise the project. */
export function folderOf(folder: unknown, project: string): string {
  const isInside = typeof folder === 'string' && `${folder}/`.startsWith(`${project}/`);
  return isInside ? folder : project;
}

export function notForked(reason: string, cause?: unknown): SavepointError {
  return new SavepointError(
    'conversation-not-forked',
    `the conversation was not forked: ${reason}`,
    { cause, hint: 'without --conversation the files alone go back' },
  );
}

export type Row = Readonly<Record<string, unknown>>;
const ROW: Kind<Row> = recordOf(unchecked<unknown>());

/** The lines of a conversation that an agent keeps, as they are, with the values that they hold. */
export interface Line {
  readonly text: string;
  /** Null for a line that is not an object. */
  readonly row: Row | null;
}

const MAX_BYTES = 512 * 1024 * 1024;

/** Throws where the file is gone or too large. */
export function readTranscript(path: string | null): Line[] {
  const bytes = path === null ? null : readFileOrNull(path, { maxBytes: MAX_BYTES });
  if (bytes === null) throw notForked('the agent no longer has it');
  const lines = bytes.toString('utf8').split('\n');
  return lines.filter((text) => text !== '').map((text) => ({ text, row: parseJson(ROW, text) }));
}

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
