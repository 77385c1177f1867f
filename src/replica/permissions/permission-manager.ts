import type { CanUseTool, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import { displayText } from '../../index.ts';
import { accepts, listOf, object, optional, TEXT } from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import type { ReplicaConfig } from '../config/replica-settings.ts';
import { editTitle, type FileEdit, proposedEdit } from '../tools/file-edit.ts';
import { PLAN_TOOL, SHELLS, TODO_TOOLS, textAt } from '../tools/known-tools.ts';
import { SUB_AGENT, shownPath, toolLine } from '../tools/tool-line.ts';
import { INTERRUPTED, refusalFor } from '../tools/tool-outcome.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';
import { allowedAlways, isOutOfTheOrdinary, keyOf, suggestedFor, type ToolCall } from './always.ts';

type PermissionUI = Pick<InteractiveUI, 'askPermission' | 'select'>;

type Input = Record<string, unknown>;

/** Tools that change nothing pass without a question, unless the SDK gives a reason to ask. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...TODO_TOOLS,
  'Glob',
  'Grep',
  'LS',
  'ListMcpResourcesTool',
  'NotebookRead',
  'Read',
  'ToolSearch',
]);

const NO_ANSWER = 'The user could not be asked; the tool call was not made.';

/** Something that is allowed for the whole conversation. */
export interface Grant {
  readonly id: string;
  /** As the person was told. */
  readonly text: string;
  readonly hasRules: boolean;
}

/**
 * Decides on the tool calls that the SDK asks about. What its modes (`acceptEdits`, `bypassPermissions`)
 * and its own rules allow or forbid never comes here.
 */
export class PermissionManager {
  readonly #ui: PermissionUI | null;
  readonly #cwd: string | null;
  readonly #always = new Set<string>();
  readonly #grants = new Map<string, Grant>();
  #last: Promise<unknown> = Promise.resolve();

  /** `ui` is null where nobody can be asked; paths are shown from `cwd`. */
  constructor(ui: PermissionUI | null, cwd: string | null = null) {
    this.#ui = ui;
    this.#cwd = cwd;
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
    this.#grants.clear();
  }

  granted(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** It is asked again. True where the SDK has a rule for it, too, which only its process can forget by ending. */
  takeBack(id: string): boolean {
    const grant = this.#grants.get(id);
    this.#always.delete(id);
    this.#grants.delete(id);
    return grant?.hasRules ?? false;
  }

  async #ask(ui: PermissionUI, call: ToolCall): Promise<PermissionResult> {
    const { toolName, input, asked } = call;
    if (asked.signal.aborted) return deny(INTERRUPTED);
    // The question before this one may have been answered for both.
    if (this.#passes(call)) return allow(input);
    if (toolName === QUESTION_TOOL) return answerQuestions(ui, input);
    const always = allowedAlways(call, this.#cwd);
    const edit = proposedEdit(toolName, input);
    const question = ui.askPermission({
      callId: asked.toolUseID,
      toolName,
      title: (asked.agentID === undefined ? '' : SUB_AGENT) + titleOf(call, edit, this.#cwd),
      details: detailsFor(call, edit, this.#cwd),
      edit,
      always,
      isGrave: asked.defaultToNo === true,
      signal: asked.signal,
    });
    // An interface that does not close its question must not hold up the one after it.
    const answer = await Promise.race([question, whenAborted(asked.signal)]);
    if (typeof answer !== 'string') return 'no' in answer ? deny(refusalFor(answer.no)) : answer;
    if (answer === 'no') return deny(refusalFor(null));
    if (answer === 'once' || always === null) return allow(input);
    const key = keyOf(call);
    if (key !== null) this.#always.add(key);
    const updatedPermissions = suggestedFor(asked);
    const id = key ?? always;
    const text = SHELLS.has(toolName) ? `$ ${String(input.command)} (${always})` : always;
    this.#grants.set(id, { id, text, hasRules: updatedPermissions.length > 0 });
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

function titleOf(
  { toolName, input, asked }: ToolCall,
  edit: FileEdit | null,
  cwd: string | null,
): string {
  if (edit !== null) return editTitle(edit, cwd);
  if (SHELLS.has(toolName)) return 'Run this command?';
  if (toolName === PLAN_TOOL) return 'Go ahead with this plan?';
  if (toolName === 'Read') return `${toolLine({ name: toolName, input }, cwd)}?`;
  const { title, displayName, mcpServer } = asked;
  if (title !== undefined) return displayText(title);
  const from = mcpServer === undefined ? '' : ` of the MCP server ${mcpServer.name}`;
  return displayText(`The agent wants to use ${displayName ?? toolName}${from}`);
}

function detailsFor(
  { toolName, input, asked }: ToolCall,
  edit: FileEdit | null,
  cwd: string | null,
): string[] {
  const { decisionReason, blockedPath } = asked;
  const path = blockedPath === undefined ? undefined : `It reaches ${shownPath(blockedPath, cwd)}`;
  const reasons = [decisionReason, path].filter((one) => one !== undefined);
  return [...(edit === null ? describe(toolName, input) : []), ...reasons].map(displayText);
}

const MOST_LINES = 60;
const LONGEST_LINE = 400;

function describe(toolName: string, input: Input): string[] {
  const command = textAt(input, 'command');
  // Nothing of a command or a plan is left out: the end may be what matters.
  if (command !== null) return [...command.split('\n'), ...described(input)];
  if (toolName === PLAN_TOOL) return (textAt(input, 'plan') ?? '').split('\n');
  const fields = Object.entries(input).map(([name, value]) => `${name}: ${asText(value)}`);
  return shortened(fields);
}

/** A call of a server can be as long as it likes; it is said that something is left out. */
function shortened(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MOST_LINES).map(clipped);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `… and ${plural(left, 'more line')}`];
}

function clipped(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const left = line.length - LONGEST_LINE;
  return `${line.slice(0, LONGEST_LINE).toWellFormed()} … and ${left} more characters`;
}

/** What the agent says that a command is for. */
function described(input: Input): string[] {
  const description = textAt(input, 'description');
  return description === null || description === '' ? [] : ['', `The agent says: ${description}`];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
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

type PermissionMode = ReplicaConfig['permissionMode'];

/** In the order in which Shift-Tab goes through them. */
const ROUND: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

/** The permission mode of a conversation, which a person may change at any time. */
export class PermissionModes {
  /** Nobody gets into that mode by a key who has not asked for it at the start. */
  readonly mayBypass: boolean;
  #current: PermissionMode;

  constructor(first: PermissionMode) {
    this.#current = first;
    this.mayBypass = first === 'bypassPermissions';
  }

  get current(): PermissionMode {
    return this.#current;
  }

  next(): PermissionMode {
    const round = ROUND.filter((mode) => this.mayBypass || mode !== 'bypassPermissions');
    return round[(round.indexOf(this.#current) + 1) % round.length] ?? 'default';
  }

  /** False for a mode that is not one of ours, or is the current one. */
  set(mode: string): boolean {
    const known = ROUND.find((one) => one === mode);
    if (known === undefined || known === this.#current) return false;
    this.#current = known;
    return true;
  }
}
