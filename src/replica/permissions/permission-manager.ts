import type {
  CanUseTool,
  PermissionResult,
  PermissionUpdate,
} from '@anthropic-ai/claude-agent-sdk';
import { displayText } from '../../index.ts';
import { accepts, listOf, object, optional, TEXT } from '../../model/check.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';
import { detailsOf } from './tool-details.ts';

/** The part of the UI that asks. */
type PermissionUI = Pick<InteractiveUI, 'askPermission' | 'select'>;

type Asked = Parameters<CanUseTool>[2];
type Input = Record<string, unknown>;

interface ToolCall {
  readonly toolName: string;
  readonly input: Input;
  readonly asked: Asked;
}

/** Tools that change nothing pass without a question, unless the SDK gives a reason to ask. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'Glob',
  'Grep',
  'LS',
  'ListMcpResourcesTool',
  'NotebookRead',
  'Read',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TodoWrite',
  'ToolSearch',
]);
const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

const REFUSED =
  'The user does not want this tool call to be made. Do not try it another way; say what you wanted to do, and ask how to go on.';
const INTERRUPTED = 'The user interrupted before answering; the tool call was not made.';
const NO_ANSWER = 'The user could not be asked; the tool call was not made.';

/**
 * Decides on the tool calls that the SDK asks about. What its modes (`acceptEdits`, `bypassPermissions`)
 * and its own rules allow or forbid never comes here.
 */
export class PermissionManager {
  readonly #ui: PermissionUI | null;
  readonly #always = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** Null where nobody can be asked. */
  constructor(ui: PermissionUI | null) {
    this.#ui = ui;
  }

  readonly canUseTool: CanUseTool = async (toolName, input, asked) => {
    const call = { toolName, input, asked };
    const ui = this.#ui;
    if (this.#passes(call)) return allow(input);
    if (ui === null) return deny(nobodyToAsk(toolName));
    // One question at a time, so that an answer cannot be meant for another question.
    const answer = this.#last.then(() => this.#ask(ui, call)).catch(() => deny(NO_ANSWER));
    this.#last = answer;
    return Promise.race([answer, whenAborted(asked.signal)]);
  };

  /** What was allowed for one conversation is not allowed for the next. */
  forget(): void {
    this.#always.clear();
  }

  /** What was allowed always, as it is remembered: a tool's name, or a shell and its command as JSON. */
  granted(): readonly string[] {
    return [...this.#always];
  }

  /** It is asked again. */
  takeBack(key: string): void {
    this.#always.delete(key);
  }

  async #ask(ui: PermissionUI, call: ToolCall): Promise<PermissionResult> {
    const { toolName, input, asked } = call;
    if (asked.signal.aborted) return deny(INTERRUPTED);
    // The question before this one may have been answered for both.
    if (this.#passes(call)) return allow(input);
    if (toolName === QUESTION_TOOL) return answerQuestions(ui, input);
    const question = ui.askPermission({
      toolName,
      title: titleOf(call),
      details: detailsFor(call),
      canRemember: canRemember(asked),
      signal: asked.signal,
    });
    // An interface that does not close its question must not hold up the one after it.
    const answer = await Promise.race([question, whenAborted(asked.signal)]);
    if (typeof answer !== 'string') return answer;
    if (answer === 'no') return deny(REFUSED);
    if (answer === 'once' || !canRemember(asked)) return allow(input);
    const key = keyOf(call);
    if (key !== null) {
      // Not a rule of the SDK's as well: such a rule could not be taken back.
      this.#always.add(key);
      return allow(input);
    }
    const updatedPermissions = suggestedFor(asked);
    return updatedPermissions.length === 0 ? allow(input) : { ...allow(input), updatedPermissions };
  }

  #passes(call: ToolCall): boolean {
    const { toolName, asked } = call;
    if (asked.matchedAskRule !== undefined || toolName === QUESTION_TOOL) return false;
    const key = keyOf(call);
    if (key !== null && this.#always.has(key)) return true;
    return READ_ONLY.has(toolName) && !isOutOfTheOrdinary(asked);
  }
}

/**
 * What "always" is remembered under: a tool, or a shell with the very same command. Null where the SDK has
 * a reason of its own to ask, a path outside of the project for one: then only its suggestion, which knows
 * of that reason, is wide enough and no wider.
 */
function keyOf({ toolName, input, asked }: ToolCall): string | null {
  if (SHELLS.has(toolName)) return JSON.stringify([toolName, input.command]);
  return isOutOfTheOrdinary(asked) ? null : toolName;
}

/**
 * What the SDK proposes, for this session: some of it would go into a file of the project. A change of its
 * mode is left out: to allow `Write` is not to allow `rm`, which `acceptEdits` does.
 */
function suggestedFor({ suggestions = [] }: Asked): PermissionUpdate[] {
  return suggestions
    .filter(({ type }) => type !== 'setMode')
    .map((one) => ({ ...one, destination: 'session' }));
}

function isOutOfTheOrdinary({ decisionReason, blockedPath }: Asked): boolean {
  return decisionReason !== undefined || blockedPath !== undefined;
}

function canRemember({ suppressAlwaysAllowRule, matchedAskRule }: Asked): boolean {
  return suppressAlwaysAllowRule !== true && matchedAskRule === undefined;
}

function titleOf({ toolName, asked }: ToolCall): string {
  const { title, displayName, mcpServer } = asked;
  if (title !== undefined) return displayText(title);
  const from = mcpServer === undefined ? '' : ` of the MCP server ${mcpServer.name}`;
  return displayText(`The agent wants to use ${displayName ?? toolName}${from}`);
}

function detailsFor({ toolName, input, asked }: ToolCall): string[] {
  const { decisionReason, blockedPath } = asked;
  const reasons = [decisionReason, blockedPath].filter((one) => one !== undefined);
  return [...detailsOf(toolName, input), ...reasons.map(displayText)];
}

function allow(updatedInput: Input): PermissionResult & { behavior: 'allow' } {
  return { behavior: 'allow', updatedInput };
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}

function nobodyToAsk(toolName: string): string {
  return `${toolName} needs a permission, and nobody is there to give it: the session has no terminal. Whoever starts it can allow the tool beforehand.`;
}

function whenAborted(signal: AbortSignal): Promise<PermissionResult> {
  return new Promise((resolve) => {
    const denied = (): void => resolve(deny(INTERRUPTED));
    if (signal.aborted) denied();
    else signal.addEventListener('abort', denied, { once: true });
  });
}

/** The agent's way to ask the person something; the answers go back with the permission. */
const QUESTION_TOOL = 'AskUserQuestion';

async function answerQuestions(
  ui: Pick<InteractiveUI, 'select'>,
  input: Input,
): Promise<PermissionResult> {
  const answers: Record<string, string> = {};
  // A question in another form is not asked: the agent goes on without an answer to it.
  const questions = Array.isArray(input.questions) ? input.questions : [];
  for (const { question, options } of questions.filter((one) => accepts(QUESTION, one))) {
    const items = options.map(({ label, description }, at) => {
      const explained = description === undefined ? '' : `\n${displayText(description)}`;
      return { id: String(at), text: `${displayText(label)}${explained}` };
    });
    const chosen = await ui.select(displayText(question), items);
    const answer = chosen === null ? undefined : options[Number(chosen)];
    if (answer === undefined) return deny(UNANSWERED);
    answers[question] = answer.label;
  }
  return allow({ ...input, answers });
}

const UNANSWERED = 'The user left the question without an answer.';

const QUESTION = object({
  question: TEXT,
  options: listOf(object({ label: TEXT, description: optional(TEXT) })),
});
