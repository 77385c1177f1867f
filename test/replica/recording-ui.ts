import type {
  InteractiveUI,
  ListItem,
  PermissionAnswer,
  RewindChoice,
  RewindEntry,
  UIHandlers,
} from '../../src/replica/ui/interactive-ui.ts';

/** A person who answers as a test has it decided, and a screen that remembers all that it was shown. */
export class RecordingUI implements InteractiveUI {
  readonly infos: string[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  readonly successes: string[] = [];
  readonly block: string[] = [];
  readonly questions: string[] = [];
  readonly lists: { readonly title: string; readonly items: readonly ListItem[] }[] = [];
  handlers: UIHandlers | null = null;
  cleared = 0;
  input: string | null = null;
  verbose: boolean | null = null;
  /** What `confirm` answers. */
  agrees = true;
  /** What `select` answers; null leaves the list. */
  choose: (items: readonly ListItem[]) => string | null = () => null;
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
  setActivity(): void {}
  setStatus(): void {}
  setVerbose(verbose: boolean): void {
    this.verbose = verbose;
  }
  clear(): void {
    this.cleared += 1;
  }
  setInput(text: string): void {
    this.input = text;
  }
  async showRewindMenu(): Promise<RewindEntry | null> {
    return null;
  }
  async showRewindChoice(): Promise<RewindChoice | null> {
    return this.rewindChoice;
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
