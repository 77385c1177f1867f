import type {
  BaseHookInput,
  HookCallback,
  HookInput,
  Options,
} from '@anthropic-ai/claude-agent-sdk';
import type { Savepoint } from '../../index.ts';
import { messageOf } from '../../terminal/phrases.ts';
import { EDITORS, editedPath, SHELLS } from '../tools/known-tools.ts';

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
  readonly #open = new Map<string, OpenCall>();
  /** The prompts by the ids that the SDK gives them. */
  readonly #prompts = new Map<string, PromptBegun>();
  /** The prompts that sub-agents work for, which may have ended before they do. */
  readonly #agents = new Map<string, PromptBegun>();
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
    UserPromptSubmit: [{ hooks: [async (input) => this.#meet(input)] }],
    SubagentStart: [{ hooks: [async (input) => this.#meet(input)] }],
    SubagentStop: [{ hooks: [(input) => this.#agentStops(input)] }],
    PreToolUse: [
      this.#hook((id, input) => {
        this.#meet(input);
        return this.begins(id, input.tool_name, input.tool_input, input.agent_id);
      }),
    ],
    PostToolUse: [this.#hook((id) => this.ends(id))],
    PostToolUseFailure: [this.#hook((id) => this.ends(id))],
    PermissionDenied: [this.#hook((id) => this.ends(id))],
  };

  /** Whether a tool or a command of the agent is at work, such as one of a sub-agent in the background. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Sub-agents that have begun and not ended. */
  get agentsAtWork(): number {
    return this.#agents.size;
  }

  async begins(id: string, toolName: string, input: unknown, subagentId?: string): Promise<void> {
    const prompt = (subagentId && this.#agents.get(subagentId)) || this.#prompt;
    const reach = reachOf(toolName, input);
    if (prompt === null || reach === null || this.#open.has(id)) return;
    const { sessionId, promptId: messageId, description } = prompt;
    const request = { sessionId, messageId, description, toolCallId: id, agent: AGENT, subagentId };
    await this.#recording(toolName, async () => {
      if (reach === 'anything') {
        const window = await this.#savepoint.openWindow({ ...request, inThisProcess: true });
        const end = () => this.#savepoint.closeWindow(window.id);
        this.#open.set(id, { end, subagentId });
      } else {
        const paths = [reach.file];
        const capture = await this.#savepoint.captureBefore({ ...request, paths });
        const end = () => this.#savepoint.captureAfter(capture);
        this.#open.set(id, { end, subagentId });
      }
    });
  }

  /** Idempotent: several hooks tell of a call that was refused. */
  async ends(id: string): Promise<void> {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    await this.#recording('the end of a tool call', call.end);
  }

  /** Ends the agent's calls whose end nobody told: they were cut off with the turn. Sub-agents go on. */
  turnEnds(): Promise<void> {
    return this.#endAll((subagentId) => subagentId === undefined);
  }

  /** The agent's process has ended, and its sub-agents with it. */
  async conversationEnds(): Promise<void> {
    await this.#endAll(() => true);
    this.#agents.clear();
    this.#prompts.clear();
  }

  async #endAll(isMeant: (subagentId: string | undefined) => boolean): Promise<void> {
    const meant = [...this.#open].filter(([, { subagentId }]) => isMeant(subagentId));
    for (const [id] of meant) await this.ends(id);
  }

  /** Whoever is heard of for the first time works for the prompt that the SDK names, or else for the last one. */
  #meet({ prompt_id: promptId, agent_id: agentId }: BaseHookInput): Record<string, never> {
    if (this.#prompt === null) return {};
    // A sub-agent has the id of the prompt that started it.
    const prompt = (promptId && this.#prompts.get(promptId)) || this.#prompt;
    if (promptId !== undefined) this.#prompts.set(promptId, prompt);
    if (agentId !== undefined && !this.#agents.has(agentId)) this.#agents.set(agentId, prompt);
    return {};
  }

  async #agentStops(input: HookInput): Promise<Record<string, never>> {
    const { agent_id: subagentId } = input;
    const prompt = subagentId === undefined ? undefined : this.#agents.get(subagentId);
    if (subagentId === undefined || prompt === undefined) return {};
    await this.#endAll((id) => id === subagentId);
    this.#agents.delete(subagentId);
    await this.#recording('the end of a sub-agent', () =>
      this.#savepoint.endTurn(prompt.sessionId, { subagentId }),
    );
    return {};
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

interface OpenCall {
  readonly end: () => Promise<unknown>;
  /** The sub-agent that makes the call; undefined for the agent itself. */
  readonly subagentId: string | undefined;
}

export const AGENT = 'claude-replica';

type ToolInput = Extract<HookInput, { tool_use_id: string; tool_name: string }>;

function isToolInput(input: HookInput): input is ToolInput {
  return 'tool_use_id' in input && 'tool_name' in input;
}

/** What a tool call may write: one file that it names, or anything at all; null for nothing. */
type Reach = { readonly file: string } | 'anything' | null;

export function reachOf(toolName: string, input: unknown): Reach {
  if (EDITORS.has(toolName)) {
    const file = editedPath(toolName, input);
    return file === null ? null : { file };
  }
  // A server may write wherever it likes, and does not say where.
  return SHELLS.has(toolName) || toolName.startsWith('mcp__') ? 'anything' : null;
}
