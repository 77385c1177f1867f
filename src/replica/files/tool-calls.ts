import type { HookCallback, HookInput, Options } from '@anthropic-ai/claude-agent-sdk';
import type { Savepoint } from '../../index.ts';
import { messageOf } from '../../terminal/phrases.ts';
import { fieldsOf } from '../sdk/message-router.ts';

export interface PromptBegun {
  readonly sessionId: string;
  readonly parentSessionId: string | null;
  readonly promptId: string;
  readonly description: string;
  /** One prompt without a terminal, in a conversation that begins and ends with it. */
  readonly isRun?: boolean | undefined;
}

/** Called when something could not be recorded; the tool runs in any case. */
export type OnGap = (message: string) => void;

/**
 * Tells the engine of each tool call of the agent, before it begins and when it is over. A failure here
 * never stops a tool, and never passes unseen.
 */
export class ToolCalls {
  readonly #savepoint: Savepoint;
  readonly #onGap: OnGap;
  readonly #open = new Map<string, () => Promise<unknown>>();
  #prompt: PromptBegun | null = null;

  constructor(savepoint: Savepoint, onGap: OnGap) {
    this.#savepoint = savepoint;
    this.#onGap = onGap;
  }

  /** What the agent does from now on is done for this prompt. */
  promptBegins(prompt: PromptBegun): void {
    this.#prompt = prompt;
  }

  readonly hooks: NonNullable<Options['hooks']> = {
    PreToolUse: [this.#hook((id, input) => this.begins(id, input.tool_name, input.tool_input))],
    PostToolUse: [this.#hook((id) => this.ends(id))],
    PostToolUseFailure: [this.#hook((id) => this.ends(id))],
    PermissionDenied: [this.#hook((id) => this.ends(id))],
  };

  /** Whether a tool or a command of the agent is at work, such as one of a sub-agent in the background. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  async begins(id: string, toolName: string, input: unknown): Promise<void> {
    const prompt = this.#prompt;
    const reach = reachOf(toolName, input);
    if (prompt === null || reach === null || this.#open.has(id)) return;
    const { sessionId, promptId: messageId, description } = prompt;
    const request = { sessionId, messageId, description, toolCallId: id, agent: AGENT };
    await this.#recording(toolName, async () => {
      if (reach === 'anything') {
        const window = await this.#savepoint.openWindow({ ...request, inThisProcess: true });
        this.#open.set(id, () => this.#savepoint.closeWindow(window.id));
      } else {
        const paths = [reach.file];
        const capture = await this.#savepoint.captureBefore({ ...request, paths });
        this.#open.set(id, () => this.#savepoint.captureAfter(capture));
      }
    });
  }

  /** Idempotent: several hooks tell of a call that was refused. */
  async ends(id: string): Promise<void> {
    const end = this.#open.get(id);
    if (end === undefined) return;
    this.#open.delete(id);
    await this.#recording('the end of a tool call', end);
  }

  /** Ends the calls whose end nobody told: they were cut off with the turn or with the agent's process. */
  async turnEnds(): Promise<void> {
    for (const id of [...this.#open.keys()]) await this.ends(id);
  }

  async #recording(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = messageOf(error);
      this.#onGap(`${what} could not be recorded: ${reason}`);
    }
  }

  #hook(work: (id: string, input: ToolInput) => Promise<void>): { hooks: HookCallback[] } {
    const hook: HookCallback = async (input, toolUseId) => {
      if (isToolInput(input)) await work(toolUseId ?? input.tool_use_id, input);
      return {};
    };
    return { hooks: [hook] };
  }
}

export const AGENT = 'claude-replica';

type ToolInput = Extract<HookInput, { tool_use_id: string; tool_name: string }>;

function isToolInput(input: HookInput): input is ToolInput {
  return 'tool_use_id' in input && 'tool_name' in input;
}

/** Tools that write the one file that they name, and under which key they name it. */
const WRITE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Write', ['file_path']],
  ['Edit', ['file_path']],
  ['MultiEdit', ['file_path']],
  ['NotebookEdit', ['notebook_path', 'file_path']],
]);

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

/** What a tool call may write: one file that it names, or anything at all; null for nothing. */
type Reach = { readonly file: string } | 'anything' | null;

export function reachOf(toolName: string, input: unknown): Reach {
  const keys = WRITE_TOOLS.get(toolName);
  if (keys !== undefined) {
    const fields = fieldsOf(input);
    const file = keys.map((key) => fields[key]).find((value) => typeof value === 'string');
    return file === undefined ? null : { file };
  }
  // A server may write wherever it likes, and does not say where.
  return SHELLS.has(toolName) || toolName.startsWith('mcp__') ? 'anything' : null;
}
