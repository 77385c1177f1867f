import type { EditedText } from '../../terminal/interactive/external-editor.ts';
import type { PlanCounts } from '../../terminal/plan-text.ts';
import type { Todo } from '../commands/command.ts';
import type { FileEdit } from '../tools/file-edit.ts';
import type { StatusShown } from './status-line.ts';

/** What a person sees and does: the port between the runner and a terminal (or a test). */
export interface InteractiveUI {
  /** Takes the terminal. What the person does from now on goes to the handlers. */
  start(handlers: UIHandlers): Promise<void>;
  /** Gives the terminal back as it was. Idempotent; also right after a failure. */
  stop(): Promise<void>;

  displayInfo(text: string): void;
  displayWarning(text: string): void;
  displayError(text: string): void;
  displaySuccess(text: string): void;
  /** Lines that are safe to show already, colours and all: a diff, a table. */
  displayBlock(lines: readonly string[]): void;

  /** A prompt of the person, put into the scroll of the conversation. */
  displayUserMessage(text: string): void;
  /** A piece of an answer, as it comes; `endAnswer` when that text block is whole. */
  streamAnswer(piece: string): void;
  streamThinking(piece: string): void;
  endAnswer(): void;
  /** A tool call that runs from now on; it is in the scroll once its result is there. */
  displayToolUse(call: ToolUseShown): void;
  displayToolResult(result: ToolResultShown): void;
  /** What a command that runs has printed so far, as far as its end is known. */
  displayToolOutput(id: string, text: string): void;
  /** The agent's list of things to do, shown in one place as long as it is at work. */
  displayTodos(todos: readonly Todo[]): void;

  /** What the agent is at, with a sign that moves; null when it waits for the person. */
  setActivity(activity: string | null): void;
  /** The line below the input: folder, model, mode, the way back. */
  setStatus(status: StatusShown): void;
  /** Whether thinking and tool results are shown whole. */
  setVerbose(verbose: boolean): void;
  /** Prompts that wait for their turn, oldest first: shown above the input, and not said yet. */
  setWaiting(prompts: readonly string[]): void;
  /** Takes what was shown off the screen. */
  clear(): void;
  /**
   * Draws a conversation in place of what was shown, such as one that is taken up again, and recalls its
   * prompts with ↑. Of a long one the end is drawn, below a line that says how much is above.
   */
  showConversation(entries: readonly ConversationEntry[]): void;
  /** Puts a text into the input, to be edited: the prompt that was taken back. */
  setInput(text: string): void;
  /** Asks again what is offered for what is being typed. */
  refreshOffers(): void;

  /**
   * The menu of Esc Esc; `others` are those of other conversations, behind a key. Null when the person leaves it
   * (0, Esc).
   */
  showRewindMenu(
    entries: readonly RewindEntry[],
    others: readonly RewindEntry[],
  ): Promise<RewindEntry | null>;
  /** A diff to read before the choice of what to take back; null when the person leaves. */
  showRewindChoice(preview: RewindPreview): Promise<RewindChoice | 'conflicts' | null>;
  /** Both sides of a conflict; null when the person decides nothing. */
  askConflict(question: ConflictQuestion): Promise<ConflictChoice | null>;
  /** A list to choose from (`InteractiveListSelector` of the seeds). Null when the person leaves. */
  select<Id extends string>(title: string, items: readonly ListItem<Id>[]): Promise<Id | null>;
  askPermission(question: PermissionQuestion): Promise<PermissionAnswer>;
  confirm(question: string): Promise<boolean>;
  /** Has a text edited in the person's own editor, which gets the terminal for that time. */
  editText(text: string, fileName: string): Promise<EditedText>;
}

export interface UIHandlers {
  /** Enter: a prompt or a slash command, as it was typed. Resolves when it is sent, or carried out. */
  onSubmit(text: string): Promise<void>;
  /** Enter after `!`: a command of the person's own. `hasPaste`: some of it was pasted. */
  onOwnCommand(command: string, hasPaste: boolean): Promise<void>;
  /** Enter after `#`: a line for CLAUDE.md. */
  onNote(text: string): Promise<void>;
  /** Esc twice within 300 ms. Resolves when the menu is closed and what came of it is done. */
  onRewind(): Promise<void>;
  /** ↑ at an empty input: the last prompt that waits is not sent, but edited. Null where none waits. */
  onTakeBack(): string | null;
  /** Ctrl-C or a single Esc while the agent is at work. */
  onInterrupt(): void;
  /** Ctrl-C twice, or Ctrl-D, at an empty prompt. */
  onExit(): void;
  /** Shift-Tab: the next of the permission modes. */
  onNextMode(): void;
  /** The images that a text names, as a mark each. */
  imagesIn(text: string): readonly string[];
  /** What Tab offers for a text that begins with a slash, or for a word that begins with `@`. */
  complete(text: string): readonly Completion[];
}

export interface Completion {
  readonly text: string;
  readonly summary: string;
}

export interface RewindEntry {
  readonly id: string;
  readonly timestamp: Date;
  readonly description: string;
  readonly label: string | null;
  /** Whether it is a prompt of this conversation; to others only files can go back. */
  readonly isPrompt: boolean;
  /** Counted when it is asked for: there may be many entries. */
  counts(): Promise<EntryCounts>;
  /** The plan and its diff, coloured, safe to show, for so many columns. */
  preview(): Promise<(columns: number) => readonly string[]>;
}

export interface EntryCounts {
  /** What it changed itself; null where nobody knows. */
  readonly own: RewindCounts | null;
  /** What a rewind to it would take back. */
  readonly sum: RewindCounts | null;
}

/** What a rewind would take back, and the conflicts that it would leave. */
export interface RewindCounts extends PlanCounts {
  readonly insertions: number;
  readonly deletions: number;
}

export interface RewindPreview {
  readonly title: string;
  /** Plan and diff, coloured, safe to show, for so many columns. */
  readonly body: (columns: number) => readonly string[];
  /** What can be taken back. */
  readonly choices: readonly RewindChoice[];
  /** Conflicts that the person can still decide about. */
  readonly conflicts?: number;
}

export interface ConflictQuestion {
  readonly title: string;
  /** The lines of both sides, coloured, safe to show. */
  readonly body: (columns: number) => readonly string[];
  /** Whether both are text that an editor can hold. */
  readonly canMerge: boolean;
}

export type ConflictChoice = 'keep' | 'restore' | 'merge';

export const REWIND_CHOICES = ['files', 'conversation', 'both'] as const;

export type RewindChoice = (typeof REWIND_CHOICES)[number];

export interface ListItem<Id extends string = string> {
  readonly id: Id;
  /** The first line is the name, the others explain it. */
  readonly text: string;
}

export interface ToolUseShown {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Left out for a call of the agent itself. */
  readonly isOfSubAgent?: boolean;
}

export interface ToolResultShown {
  readonly id: string;
  /** As the model reads it; what of it a person sees is decided by kind of tool. */
  readonly text: string;
  readonly isError: boolean;
  /** What the tool tells programs; undefined where it tells nothing. */
  readonly output?: unknown;
}

/** What was said and done in a conversation. */
export type ConversationEntry =
  | { readonly kind: 'user' | 'answer'; readonly text: string }
  /** The result is null where none came. */
  | { readonly kind: 'tool'; readonly call: ToolUseShown; readonly result: ToolResultShown | null };

export interface PermissionQuestion {
  /** The tool call that it is about. */
  readonly callId: string;
  readonly toolName: string;
  readonly title: string;
  /** The command or the fields of the call, and why it is asked about. */
  readonly details: readonly string[];
  /** The lines that a file would lose and gain; null for a call that edits no file. */
  readonly edit: FileEdit | null;
  /** What "always" would allow, such as "this command"; null where it may not be offered. */
  readonly always: string | null;
  /** No single key may say yes to it. */
  readonly isGrave: boolean;
  readonly signal: AbortSignal;
}

/** A text goes to the agent, with a no. */
export type PermissionAnswer = 'once' | 'always' | 'no' | { readonly no: string };
