import type { ModelInfo } from '@anthropic-ai/claude-agent-sdk';
import {
  displayText,
  type ErrorCode,
  isSavepointError,
  type ListedCheckpoint,
} from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { messageOf } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import type { ConfigManager } from '../config/config-manager.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import type { Session, SessionManager } from '../sessions/session-manager.ts';
import type { ConversationEntry, InteractiveUI } from '../ui/interactive-ui.ts';

export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What follows the name in the help: `TEXT`, `[ID]`. Without it the command takes nothing. */
  readonly usage?: string;
  readonly description: string;
  /** Words that Tab offers after the name. */
  complete?(args: string, context: CommandContext): readonly string[];
  /** What it has to say, or null; what it throws is shown in one line and the prompt goes on. */
  execute(args: string, context: CommandContext): Promise<string | null>;
}

export interface CommandContext {
  readonly ui: InteractiveUI;
  readonly agent: AgentControl;
  readonly sessions: Pick<SessionManager, 'list' | 'save' | 'delete'>;
  readonly config: Pick<ConfigManager, 'effective' | 'warnings'>;
  /** Null where checkpoints are turned off. */
  readonly checkpoints: Pick<CheckpointManager, 'listCheckpoints'> | null;
  /** The engine; null where it is turned off or the project cannot be one. */
  readonly files: EngineFiles | null;
  /** For what goes to `displayBlock`. */
  readonly paint: Paint;
  readonly columns: number;
  readonly now: () => number;
}

/** What a command may ask of the running agent. */
export interface AgentControl {
  readonly session: Session;
  readonly isBusy: boolean;
  /**
   * The menu of Esc Esc as a list, with `(current)` first, then executions and other sessions; or a
   * checkpoint that the person has named.
   */
  rewind(to: ListedCheckpoint | null): Promise<string | null>;
  /** Takes up a conversation again. */
  switchTo(session: Session): Promise<void>;
  startAnew(): Promise<void>;
  /** Changes what is kept of the open conversation, so that the agent goes on with what was written. */
  updateSession(work: (session: Session) => Promise<Session>): Promise<void>;
  /**
   * Sends a text as a prompt; it is never taken for a command of ours. `typed`: what of it the person wrote, where
   * that is not all of it.
   */
  submit(prompt: string, typed?: string): void;
  /** Puts a text in front of the next prompt, for the agent alone. */
  addContext(text: string): void;
  /** What waits to be put in front of the next prompt. */
  context(): readonly string[];
  /** What the agent keeps as its list of things to do, newest state. */
  todos(): readonly Todo[];
  /** What stands below the input: what model answers. */
  readonly status: string;
  /** What the SDK says of the MCP servers of the configuration. */
  mcpServers(): Promise<readonly McpServerShown[]>;
  /** What the SDK offers; empty while no query runs. */
  models(): Promise<readonly ModelShown[]>;
  /** From the next prompt on. */
  setModel(name: string): Promise<void>;
  /** What the open conversation has used; null before its first answer. */
  usage(): UsageShown | null;
  readonly permissions: GrantedPermissions;
  /** What was said and done so far. */
  past(): Promise<readonly ConversationEntry[]>;
  exit(): void;
}

export type ModelShown = Readonly<Pick<ModelInfo, 'value' | 'displayName' | 'description'>>;

export interface UsageShown {
  readonly costUSD: number;
  readonly models: readonly {
    readonly name: string;
    readonly input: number;
    readonly output: number;
    readonly cached: number;
  }[];
}

/** What the person has allowed for the whole conversation. */
export interface GrantedPermissions {
  granted(): readonly { readonly id: string; readonly text: string }[];
  takeBack(id: string): Promise<void>;
}

/** What the SDK says of a server (its `McpServerStatus` fits). */
export interface McpServerShown {
  readonly name: string;
  readonly status: string;
  readonly error?: string | undefined;
}

export interface Todo {
  readonly text: string;
  readonly state: 'pending' | 'in-progress' | 'done';
}

const WORD = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))\s*/;

/** The first word of what follows a command, in quotes where it has blanks, and what comes after it. */
export function firstWord(args: string): { readonly word: string; readonly rest: string } {
  const [all = '', double, single, plain] = WORD.exec(args) ?? [];
  return { word: double ?? single ?? plain ?? '', rest: args.slice(all.length) };
}

export function wordsOf(args: string, limit: number): string[] {
  const words: string[] = [];
  for (let rest = args; rest.trim() !== ''; ) {
    const next = firstWord(rest);
    words.push(next.word);
    rest = next.rest;
    if (words.length > limit) throw new UsageError('That is too much.');
  }
  return words;
}

/** All that follows as one text, blanks and all; quotes around it are not part of it. */
export function wholeText(args: string, question: string): string {
  const trimmed = args.trim();
  const { word, rest } = firstWord(trimmed);
  const text = rest === '' ? word : trimmed;
  if (text.trim() === '') throw new UsageError(question);
  return text;
}

export function noArguments(args: string): void {
  if (args.trim() !== '') throw new UsageError('It takes nothing.');
}

/** A command does nothing, and the message says why: nothing failed, and nothing was mistyped. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** Throws while the agent works: for commands that must not change files or the conversation then. */
export function idleOnly({ agent }: CommandContext): void {
  if (agent.isBusy) {
    throw new CommandRefused('The agent is at work; press Esc once to interrupt it first.');
  }
}

export function engineOf({ files }: CommandContext): EngineFiles {
  if (files !== null) return files;
  throw new CommandRefused('Files are not on record here, so there is nothing to go back to.');
}

/** Turns refusals of the engine, such as "no such checkpoint", into `CommandRefused`. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const sentence = isSavepointError(error) ? SENTENCES[error.code] : undefined;
    throw sentence === undefined ? error : new CommandRefused(sentence(oneLine(error)));
  }
}

const asItSays = (message: string): string => message;
const seeList = (message: string): string => `${message}; see /checkpoint list`;

const SENTENCES: Partial<Record<ErrorCode, (message: string) => string>> = {
  'nothing-to-undo': () => 'There is nothing to undo.',
  'nothing-to-redo': () => 'There is nothing to redo.',
  'checkpoint-not-found': seeList,
  'checkpoint-ambiguous': seeList,
  'argument-invalid': asItSays,
  'session-not-found': () => 'Nothing is on record of this conversation yet.',
};

/** What an error says, in one line that is safe to show, with the path that it is about. */
export function oneLine(error: unknown): string {
  const message = messageOf(error);
  const about = isSavepointError(error) && error.path !== undefined ? `: ${error.path}` : '';
  const line = `${message}${about}`.replace(/\s*[\r\n]+\s*/g, ' ').trim();
  return line === '' ? 'it does not say why' : displayText(line);
}
