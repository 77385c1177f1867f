import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { Terminal } from '../e2e/terminal.ts';
import { type Tree, treeOf } from '../e2e/tree-of.ts';
import { builtCommand } from '../setup/built.ts';
import { type StoryModel, startStoryModel } from './model/model.ts';
import type { Story } from './model/script.ts';
import {
  type AtTerminal,
  type InstalledAgent,
  type Interactive,
  type PromptedAgent,
  putFile,
} from './real/real-agent.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** No program listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const LONGEST_MS = 120_000;

/** A scratch home and a scratch project, with `savepoint` and agents on PATH, and nothing of the caller's. */
export class AgentBed {
  readonly scratch: string = makeScratch();
  readonly home: string = join(this.scratch, 'home');
  readonly project: string = join(this.scratch, 'project');
  /** Where agents are started. */
  folder: string = this.project;
  readonly #bin: string = join(this.scratch, 'bin');
  readonly #models = new Map<InstalledAgent, StoryModel>();
  readonly #children = new Set<ChildProcess>();
  readonly #terminals = new Set<Terminal>();
  readonly #sessions = new Map<PromptedAgent, string>();

  constructor(files: Readonly<Record<string, string>>) {
    for (const folder of [this.home, this.project, this.#bin]) mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    symlinkSync(process.execPath, join(this.#bin, 'node'));
    symlinkSync(builtCommand(), join(this.#bin, 'savepoint'));
  }

  /** Puts an agent on PATH, and has it ask a model that tells this story. */
  async add(agent: InstalledAgent, story: Story): Promise<StoryModel> {
    const { protocol, toolFor, thinkMs = 0 } = agent;
    const model = await startStoryModel(protocol, story, toolFor(this.project), thinkMs);
    this.#models.set(agent, model);
    symlinkSync(agent.file, join(this.#bin, agent.program));
    agent.settle(this, model.url);
    return model;
  }

  write(name: string, content: string): void {
    putFile(join(this.project, name), content);
  }

  /** Waits until the agent has made a file. */
  async made(name: string): Promise<void> {
    await until(() => existsSync(join(this.project, name)), `${name} was never made`);
  }

  /** Waits until so many turns have ended, as the log of the hooks says. */
  async ended(turns: number): Promise<void> {
    const log = join(this.home, '.local', 'share', 'savepoint', 'hook.log');
    const count = (): number => readFileSync(log, 'utf8').split('"event":"turn-ended"').length - 1;
    await until(() => existsSync(log) && count() >= turns, `turn ${turns} never ended`);
  }

  read(name: string): string {
    return readFileSync(join(this.project, name), 'utf8');
  }

  /** The project's files, byte for byte, without what agents keep there for themselves. */
  files(): Tree {
    const tree = treeOf(this.project);
    return Object.fromEntries(
      Object.entries(tree).filter(
        ([name]) => !/^\.(git|claude|codex|gemini|opencode)\b/.test(name),
      ),
    );
  }

  env(agent?: InstalledAgent): Record<string, string> {
    const model = agent && this.#models.get(agent);
    return {
      PATH: [this.#bin, '/usr/bin', '/bin'].join(':'),
      HOME: this.home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      // Nothing leaves this machine.
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: '127.0.0.1,localhost',
      ...(agent && model ? agent.env(model.url) : {}),
    };
  }

  /** Gives an agent a prompt, in the session that it has here, and waits until it has answered. */
  async prompt(agent: PromptedAgent, prompt: string): Promise<Ended> {
    const sessionId = this.#sessions.get(agent) ?? null;
    const ended = await this.run(agent.program, agent.once(prompt, sessionId), this.env(agent));
    if (ended.code !== 0) {
      throw new Error(`${agent.name} ended with ${ended.code}:\n${ended.out}\n${ended.err}`);
    }
    const id = agent.sessionIn(ended.out);
    if (id !== undefined) this.#sessions.set(agent, id);
    return ended;
  }

  sessionOf(agent: PromptedAgent): string {
    const id = this.#sessions.get(agent);
    if (id === undefined) throw new Error(`${agent.name} has no session yet`);
    return id;
  }

  /** The next prompt goes to this session. */
  continueIn(agent: PromptedAgent, sessionId: string): void {
    this.#sessions.set(agent, sessionId);
  }

  async run(
    program: string,
    args: readonly string[],
    env: Record<string, string> = this.env(),
  ): Promise<Ended> {
    const child = this.start(program, args, env);
    let [out, err] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const late = setTimeout(() => killGroup(child), LONGEST_MS);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(late);
    return { code, out, err };
  }

  /** Starts a program in a process group of its own, so that `killGroup` ends what it has started as well. */
  start(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
    const child = spawn(join(this.#bin, program), args, {
      cwd: this.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#children.add(child);
    return child;
  }

  /** The agent at a terminal, ready for the first prompt. */
  async terminal(
    agent: InstalledAgent & { readonly interactive: AtTerminal & Pick<Interactive, 'question'> },
  ): Promise<Terminal> {
    const { args, ready, question } = agent.interactive;
    const terminal = new Terminal(args, {
      program: join(this.#bin, agent.program),
      cwd: this.folder,
      env: this.env(agent),
      columns: 120,
      rows: 40,
    });
    this.#terminals.add(terminal);
    if (question !== undefined) await terminal.until(question.text);
    // A question that was just drawn may not listen yet.
    while (question !== undefined && terminal.screen().includes(question.text)) {
      terminal.type(question.keys);
      await pause(500);
    }
    await terminal.until(ready);
    return terminal;
  }

  async savepoint(...args: readonly string[]): Promise<Ended> {
    return this.run('savepoint', args);
  }

  /** The prompts that are on record. */
  async prompts(): Promise<readonly { readonly id: string; readonly description: string }[]> {
    const { out } = await this.savepoint('list', '--json');
    const { checkpoints } = JSON.parse(out) as {
      checkpoints: { id: string; kind: string; description: string }[];
    };
    return checkpoints
      .filter(({ kind }) => kind === 'message')
      .map(({ id, description }) => ({ id, description }));
  }

  /** The ids of the checkpoints of these prompts. */
  async checkpoints(...wanted: readonly string[]): Promise<string[]> {
    const all = await this.prompts();
    return wanted.map((prompt) => {
      const found = all.filter(({ description }) => description.includes(prompt));
      if (found.length === 1 && found[0] !== undefined) return found[0].id;
      throw new Error(`${found.length} checkpoints of ${prompt}:\n${JSON.stringify(all)}`);
    });
  }

  async close(): Promise<void> {
    for (const child of this.#children) killGroup(child);
    for (const terminal of this.#terminals) await terminal.close();
    this.#killRest();
    for (const model of this.#models.values()) await model.close();
    removeScratch(this.scratch);
  }

  /** Some agents leave daemons and commands behind. They have the home of this bed. */
  #killRest(): void {
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const variables = readFileSync(`/proc/${id}/environ`, 'latin1').split('\0');
        if (variables.includes(`HOME=${this.home}`)) process.kill(Number(id), 'SIGKILL');
      } catch {
        // It has ended, or is somebody else's.
      }
    }
  }
}

/** Types a prompt as a person does: Enter is pressed when the text is there. */
export async function send(terminal: Terminal, prompt: string): Promise<void> {
  terminal.type(prompt);
  await terminal.until(prompt);
  await pause(300);
  terminal.type('\r');
}

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const deadline = Date.now() + LONGEST_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await pause(50);
  }
}

export function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
