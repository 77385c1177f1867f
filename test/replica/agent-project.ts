import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  type ReplyTo,
  type Script,
  type ScriptedModel,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { CliProject, MAIN, type Result } from '../e2e/cli-project.ts';
import { Agent } from './agent.ts';

export interface AgentOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Within a shell that says afterwards how it ended and how the terminal was left. */
  readonly inShell?: boolean;
  /** What is on the screen when it has started. */
  readonly ready?: string;
  readonly size?: { readonly columns: number; readonly rows: number };
}

/** One entry of `metadata.json`. */
export interface Entry {
  readonly id: string;
  readonly timestamp: string;
  readonly description: string;
  readonly sessionId: string;
}

/** A project with the interactive agent in it: the real SDK, and a model that a script speaks for. */
export class AgentProject extends CliProject {
  readonly #agents: Agent[] = [];
  #model: ScriptedModel | null = null;

  constructor(files: Readonly<Record<string, string>>, scratch?: string) {
    super(files, scratch);
    mkdirSync(this.temporary);
  }

  /** The SDK's process leaves things there. */
  get temporary(): string {
    return join(this.scratch, 'tmp');
  }

  /** From now on there is an account, behind which the script answers. */
  async startModel(script: Script | ReplyTo): Promise<void> {
    this.#model = await startScriptedModel(script);
  }

  get model(): ScriptedModel {
    if (this.#model === null) throw new Error('this project has no model');
    return this.#model;
  }

  /** What the agent keeps of its own: `~/.claude-replica`. */
  get replicaHome(): string {
    return join(this.scratch, 'user', '.claude-replica');
  }

  override env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const account =
      this.#model === null
        ? {}
        : { ANTHROPIC_BASE_URL: this.#model.url, ANTHROPIC_API_KEY: 'dummy' };
    return super.env({
      ...account,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      TMPDIR: this.temporary,
      // Without it root may not do without questions.
      IS_SANDBOX: '1',
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
      ...more,
    });
  }

  /** Opens the agent at a terminal, and waits for its input. */
  async start(args: readonly string[] = UNASKED, options: AgentOptions = {}): Promise<Agent> {
    const words = [MAIN, 'chat', ...args];
    const shell = options.inShell ? { program: '/bin/sh' } : {};
    const agent = new Agent(options.inShell ? ['-c', inShell(words)] : words, {
      cwd: options.cwd ?? this.root,
      env: this.env(options.env),
      ...shell,
      ...options.size,
    });
    this.#agents.push(agent);
    await agent.until(options.ready ?? 'Esc Esc rewinds');
    return agent;
  }

  /** The agent without a terminal. */
  chat(args: readonly string[], options: AgentOptions = {}): Promise<Result> {
    return this.run(['chat', ...args], options);
  }

  /** Ids of the sessions that are kept. */
  sessions(): string[] {
    const folder = join(this.replicaHome, 'sessions');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  metadataFile(session: string): string {
    return join(this.replicaHome, 'sessions', session, 'checkpoints', 'metadata.json');
  }

  metadata(session: string): { readonly checkpoints: readonly Entry[] } {
    return JSON.parse(readFileSync(this.metadataFile(session), 'utf8'));
  }

  /** The lines of the log that tell of something that failed. */
  loggedErrors(): { readonly message: string; readonly error: { readonly message: string } }[] {
    const text = readFileSync(join(this.replicaHome, 'logs', 'replica.log'), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  }

  /** Ends whatever still runs of it, and leaves nothing. */
  async end(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()));
    await this.#model?.close();
    this.remove();
  }

  /** What was said in the last conversation that the model was sent, prompts and context. */
  lastAsked(): string[] {
    const asked = this.model.requests.filter(({ tools }) => tools.length > 0).at(-1);
    const users = asked?.messages.filter(({ role }) => role === 'user') ?? [];
    return users.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'text' ? [block.text.trim()] : [])),
    );
  }
}

/** The shell itself outlives a signal that is meant for all. */
function inShell(words: readonly string[]): string {
  const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  return `trap : INT TERM; ${command}; echo "code=$?"; stty -a; echo end`;
}

/** What is written behind the conversation's back is there soon. */
export function written<T>(read: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 10_000 });
}

/** For tests that are not about questions. */
export const UNASKED: readonly string[] = ['--permission-mode', 'bypassPermissions'];

/** Makes a project, with a model where there is a script, and removes it when the work with it is done. */
export async function inAgentProject(
  files: Readonly<Record<string, string>>,
  script: ((project: AgentProject) => Script | ReplyTo) | null,
  work: (project: AgentProject) => Promise<void>,
  scratch?: string,
): Promise<void> {
  const project = new AgentProject(files, scratch);
  try {
    if (script !== null) await project.startModel(script(project));
    await work(project);
  } finally {
    await project.end();
  }
}
