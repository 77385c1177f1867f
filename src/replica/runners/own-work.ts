import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapRows } from '../../terminal/rows.ts';
import { addInstruction, INSTRUCTIONS_FILE } from '../instructions.ts';
import type { InteractiveRunnerParts } from './interactive-runner.ts';

/** What the runner lends to the person's own work. */
export interface OwnWorkParts
  extends Pick<InteractiveRunnerParts, 'ui' | 'files' | 'paint' | 'columns'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project: () => string;
  /** What the agent hears with the next prompt. */
  readonly addContext: (text: string) => void;
  /** Whether the agent is in the middle of a turn, or something else that prompts wait for is, such as a rewind. */
  readonly isBusy: () => boolean;
  /** Runs work during which prompts wait. */
  readonly occupy: (work: () => Promise<void>) => Promise<void>;
  readonly tellGaps: () => void;
}

/**
 * What a person does in the project without the agent: `!` runs a command, `#` adds a line to CLAUDE.md. Never beside
 * the agent: what it does to files would count as the agent's, and be taken back with it.
 */
export class OwnWork {
  readonly #parts: OwnWorkParts;
  #running: AbortController | null = null;

  constructor(parts: OwnWorkParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Ends the command that runs, if there is one. */
  stop(): void {
    this.#running?.abort();
  }

  async run(command: string, hasPaste: boolean): Promise<void> {
    const { ui, occupy } = this.#parts;
    if (command === '') return;
    if (this.#mustWait()) return;
    const question = `Run this command? Some of it was pasted.\n${command}`;
    if (hasPaste && !(await ui.confirm(question))) return ui.displayInfo('It was not run.');
    // Others may have begun while the question stood there.
    if (this.#mustWait()) return;
    await occupy(async () => {
      this.#running = new AbortController();
      ui.displayUserMessage(`! ${command}`);
      ui.setActivity(`running ${command}`);
      try {
        await this.#carryOut(command, this.#running.signal);
      } finally {
        this.#running = null;
        ui.setActivity(null);
      }
    });
  }

  async note(text: string): Promise<void> {
    const { ui, files, project, addContext, occupy } = this.#parts;
    if (this.#mustWait()) return;
    await occupy(async () => {
      const line = addInstruction(project(), text);
      addContext(`The user has added this line to ${INSTRUCTIONS_FILE}:\n- ${line}`);
      ui.displaySuccess(`Added to ${INSTRUCTIONS_FILE}: ${line}`);
      await files?.personWrote();
    });
  }

  async #carryOut(command: string, signal: AbortSignal): Promise<void> {
    const { ui, files, paint, columns, env, project, addContext, tellGaps } = this.#parts;
    const end = await runOwnCommand({ command, cwd: project(), env, signal });
    const rows = end.output.trim() === '' ? [] : outputRows(end.output, columns(), paint);
    if (rows.length > 0) ui.displayBlock(rows);
    if (end.code === 0) ui.displayInfo(endText(end));
    else ui.displayWarning(endText(end));
    addContext(ownCommandContext(command, end));
    await files?.personWrote();
    tellGaps();
  }

  /** Says why, if so. */
  #mustWait(): boolean {
    const { ui, isBusy, files } = this.#parts;
    const mustWait = this.isRunning || isBusy() || files?.isAgentWriting === true;
    if (mustWait) ui.displayWarning(this.isRunning ? COMMAND_RUNS : AGENT_WRITES);
    return mustWait;
  }
}

export const COMMAND_RUNS = 'Your command runs; press Esc once to end it.';
const AGENT_WRITES =
  'The agent is at work, so what you do to files now would count as its own; wait, or interrupt it with Esc.';

interface OwnCommand {
  readonly command: string;
  readonly cwd: string;
  /** The person's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the command and all that it started. */
  readonly signal: AbortSignal;
}

interface CommandEnd {
  readonly output: string;
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly ms: number;
}

/** What is kept of an output: its beginning and its end. */
const MOST_KEPT = 16 * 1024;
/** What was started in the background may hold the output open; it is not waited for. */
const DRAIN_MS = 100;
const KILL_MS = 2_000;

/** Runs a command line in the person's own shell, with no input. Never rejects. */
export function runOwnCommand({ command, cwd, env, signal }: OwnCommand): Promise<CommandEnd> {
  const began = performance.now();
  const shell = env.SHELL !== undefined && isAbsolute(env.SHELL) ? env.SHELL : '/bin/sh';
  const output = new BoundedText(MOST_KEPT);
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  // A group of its own: Ctrl-C ends everything that the command started, and nothing else.
  const child = spawn(shell, ['-c', command], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It is gone already.
    }
  };
  // Nobody could end it once this process is gone.
  const killNow = (): void => {
    process.off('exit', killNow);
    kill('SIGKILL');
  };
  process.on('exit', killNow);
  // The shell may have ended by then, and left behind what does not listen.
  const stop = (): void => {
    kill('SIGINT');
    setTimeout(killNow, KILL_MS).unref();
  };
  const end = (code: number | null): void => {
    if (!signal.aborted) process.off('exit', killNow);
    signal.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ output: output.text(), code, ms: performance.now() - began });
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.add(text));
  }
  child.once('error', (error) => {
    output.add(error.message);
    end(127);
  });
  child.once('close', (code) => end(code));
  child.once('exit', (code) => setTimeout(() => end(code), DRAIN_MS).unref());
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return promise;
}

/** The beginning and the end of a text that may be endless. */
class BoundedText {
  readonly #most: number;
  #head = '';
  #tail = '';
  #left = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    const room = this.#most - this.#head.length;
    this.#head += text.slice(0, room);
    const tail = this.#tail + text.slice(Math.max(0, room));
    this.#tail = tail.slice(-this.#most);
    this.#left += tail.length - this.#tail.length;
  }

  text(): string {
    if (this.#left === 0) return this.#head + this.#tail;
    const left = `\n… ${this.#left.toLocaleString('en-US')} characters left out …\n`;
    return this.#head.toWellFormed() + left + this.#tail.toWellFormed();
  }
}

/** For the agent, with the next prompt. */
export function ownCommandContext(command: string, { output, code }: CommandEnd): string {
  const how = code === null ? 'The user ended it.' : `Its exit code was ${code}.`;
  const said = output.trim() === '' ? 'It printed nothing.' : `It printed:\n${output.trimEnd()}`;
  return `The user ran this command themselves, in the project's folder:\n$ ${command}\n${how} ${said}`;
}

const SHOWN_ENDS = 12;

/** The output as a person reads it: the first and the last lines of a long one. */
export function outputRows(output: string, columns: number, paint: Paint): string[] {
  const rows = wrapRows(output.trimEnd(), Math.max(1, columns - 4));
  const left = rows.length - 2 * SHOWN_ENDS;
  const shown =
    left > 1
      ? [
          ...rows.slice(0, SHOWN_ENDS),
          `… ${plural(left, 'more line')} …`,
          ...rows.slice(-SHOWN_ENDS),
        ]
      : rows;
  return shown.map((row, i) => `  ${i === 0 ? '⎿' : ' '} ${paint('dim', row)}`);
}

export function endText({ code, ms }: CommandEnd): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  const how = code === null ? 'ended by a signal' : `exit code ${code}`;
  return displayText(`${how}, ${seconds}; the output goes to the model with your next prompt`);
}
