import type { Todo } from '../../src/replica/commands/command.ts';
import type {
  ConflictChoice,
  ConflictQuestion,
  ConversationEntry,
  EntryCounts,
  InteractiveUI,
  ListItem,
  PermissionAnswer,
  RewindChoice,
  RewindEntry,
  RewindPreview,
  UIHandlers,
} from '../../src/replica/ui/interactive-ui.ts';

import type { StatusShown } from '../../src/replica/ui/status-line.ts';
import type { EditedText } from '../../src/terminal/interactive/external-editor.ts';

/** A person who answers as a test has it decided, and a screen that remembers all that it was shown. */
export class RecordingUI implements InteractiveUI {
  readonly infos: string[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  readonly successes: string[] = [];
  readonly block: string[] = [];
  readonly questions: string[] = [];
  readonly lists: { readonly title: string; readonly items: readonly ListItem[] }[] = [];
  /** The menus of Esc Esc. */
  readonly menus: (readonly RewindEntry[])[] = [];
  /** What the entries of the menus have changed, and would take back. */
  readonly counted: EntryCounts[] = [];
  readonly previews: RewindPreview[] = [];
  readonly conflicts: ConflictQuestion[] = [];
  /** Whether conflicts are decided about before anything is taken back. */
  decidesConflicts = false;
  decide: (question: ConflictQuestion) => ConflictChoice | null = () => null;
  /** What the editor makes of a text. */
  edit: (text: string) => EditedText = (text) => ({ text });
  handlers: UIHandlers | null = null;
  cleared = 0;
  input: string | null = null;
  todos: readonly Todo[] = [];
  status: StatusShown | null = null;
  /** Prompts that wait for their turn. */
  waiting: readonly string[] = [];
  /** Conversations that were drawn, one after the other. */
  readonly conversations: (readonly ConversationEntry[])[] = [];
  /** What the agent is at; null when it waits for the person. */
  activity: string | null = null;
  verbose: boolean | null = null;
  /** What `confirm` answers. */
  agrees = true;
  /** What `select` answers; null leaves the list. */
  choose: (items: readonly ListItem[]) => string | null = () => null;
  /** Which entry of the menu is taken; null leaves the menu. */
  pick: (entries: readonly RewindEntry[]) => RewindEntry | undefined = () => undefined;
  /** What is to be taken back; null leaves the question. */
  rewindChoice: RewindChoice | null = null;

  async start(handlers: UIHandlers): Promise<void> {
    this.handlers = handlers;
  }
  async stop(): Promise<void> {}
  displayInfo(text: string): void {
    this.infos.push(text);
  }
  displayWarning(text: string): void {
    this.warnings.push(text);
  }
  displayError(text: string): void {
    this.errors.push(text);
  }
  displaySuccess(text: string): void {
    this.successes.push(text);
  }
  displayBlock(lines: readonly string[]): void {
    this.block.push(...lines);
  }
  displayUserMessage(): void {}
  streamAnswer(): void {}
  streamThinking(): void {}
  endAnswer(): void {}
  displayToolUse(): void {}
  displayToolResult(): void {}
  displayToolOutput(): void {}
  displayTodos(todos: readonly Todo[]): void {
    this.todos = todos;
  }
  setActivity(activity: string | null): void {
    this.activity = activity;
  }
  setStatus(status: StatusShown): void {
    this.status = status;
  }
  setVerbose(verbose: boolean): void {
    this.verbose = verbose;
  }
  clear(): void {
    this.cleared += 1;
  }
  setWaiting(prompts: readonly string[]): void {
    this.waiting = prompts;
  }
  showConversation(entries: readonly ConversationEntry[]): void {
    this.conversations.push(entries);
  }
  setInput(text: string): void {
    this.input = text;
  }
  refreshOffers(): void {}
  async showRewindMenu(entries: readonly RewindEntry[]): Promise<RewindEntry | null> {
    this.menus.push(entries);
    // Somebody who reads the menu to its end.
    this.counted.push(...(await Promise.all(entries.map((entry) => entry.counts()))));
    return this.pick(entries) ?? null;
  }
  async askConflict(question: ConflictQuestion): Promise<ConflictChoice | null> {
    this.conflicts.push(question);
    return this.decide(question);
  }
  async editText(text: string): Promise<EditedText> {
    return this.edit(text);
  }
  async showRewindChoice(preview: RewindPreview): Promise<RewindChoice | 'conflicts' | null> {
    this.previews.push(preview);
    const isFirst = this.conflicts.length === 0 && (preview.conflicts ?? 0) > 0;
    return isFirst && this.decidesConflicts ? 'conflicts' : this.rewindChoice;
  }
  async select<Id extends string>(
    title: string,
    items: readonly ListItem<Id>[],
  ): Promise<Id | null> {
    this.lists.push({ title, items });
    return this.choose(items) as Id | null;
  }
  async askPermission(): Promise<PermissionAnswer> {
    return 'no';
  }
  async confirm(question: string): Promise<boolean> {
    this.questions.push(question);
    return this.agrees;
  }
}
