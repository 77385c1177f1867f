import type { Paint } from '../../terminal/paint.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import { addInstruction, INSTRUCTIONS_FILE } from '../instructions.ts';
import { endText, outputRows, ownCommandContext, runOwnCommand } from '../offers/own-command.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';

/** What the runner lends to the person's own work. */
export interface OwnWorkParts {
  readonly ui: InteractiveUI;
  readonly files: EngineFiles | null;
  readonly paint: Paint;
  readonly columns: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project: () => string;
  /** What the agent hears with the next prompt. */
  readonly addContext: (text: string) => void;
  /** Whether the agent is in the middle of a turn. */
  readonly isAgentBusy: () => boolean;
  /** Runs work during which prompts wait. */
  readonly occupy: (work: () => Promise<void>) => Promise<void>;
  /** Warns of what could not be recorded. */
  readonly tellGaps: () => void;
}

/**
 * What a person does in the project without the agent: `!` runs a command, `#` adds a line to CLAUDE.md. Never beside
 * the agent: what it does to files would count as the agent's, and be taken back with it.
 */
export class OwnWork {
  readonly #parts: OwnWorkParts;
  /** Ends the command that runs. */
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
    if (this.#mustWait()) return ui.displayWarning(AGENT_WRITES);
    const question = `Run this command? Some of it was pasted.\n${command}`;
    if (hasPaste && !(await ui.confirm(question))) return ui.displayInfo('It was not run.');
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
    if (this.#mustWait()) return ui.displayWarning(AGENT_WRITES);
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

  #mustWait(): boolean {
    const { isAgentBusy, files } = this.#parts;
    return isAgentBusy() || this.isRunning || files?.isAgentWriting === true;
  }
}

const AGENT_WRITES =
  'The agent is at work, so what you do to files now would count as its own; wait, or interrupt it with Esc.';
