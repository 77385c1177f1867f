import { type Paint, paintFor } from '../../terminal/paint.ts';
import type { ChoiceDialog } from './dialog/choice-dialog.ts';
import { DialogQueue } from './dialog/dialog-queue.ts';
import {
  confirmDialog,
  listOf,
  permissionAnswers,
  permissionDialog,
  rewindChoice,
} from './dialog/questions.ts';
import { rewindMenu } from './dialog/rewind-menu.ts';
import { InkScreen } from './ink-screen.ts';
import type {
  InteractiveUI,
  ListItem,
  PermissionAnswer,
  PermissionQuestion,
  RewindChoice,
  RewindCounts,
  RewindEntry,
  RewindPreview,
  ToolResultShown,
  ToolUseShown,
  UIHandlers,
} from './interactive-ui.ts';
import { KeyReader } from './key-reader.ts';
import { Keyboard } from './keyboard.ts';
import { liveHeight } from './live-view.ts';
import type { Entry } from './transcript/entry-rows.ts';
import { TranscriptKeeper } from './transcript/transcript-keeper.ts';
import { UIStore } from './ui-store.ts';

export interface TerminalInteractiveUIOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** NO_COLOR, FORCE_COLOR and TERM are looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where paths are shown from; without it they are shown whole. */
  readonly cwd?: string;
  readonly now?: () => number;
}

/**
 * The interactive UI at a terminal. It takes keys itself and leaves drawing to ink. Colours are `paint`'s
 * alone: ink is never asked for any, as it would decide about them by itself.
 */
export class TerminalInteractiveUI implements InteractiveUI {
  readonly #options: TerminalInteractiveUIOptions;
  readonly #now: () => number;
  readonly #paint: Paint;
  readonly #store: UIStore;
  readonly #transcript: TranscriptKeeper;
  readonly #dialogs: DialogQueue;
  readonly #screen: InkScreen;
  #running: Running | null = null;
  #hasEnded = false;
  /** For the input that is set before there is a keyboard. */
  #firstInput: string | null = null;

  constructor(options: TerminalInteractiveUIOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#paint = paintFor({ env: options.env, terminal: options.stdout.isTTY }, false);
    this.#store = new UIStore();
    this.#transcript = new TranscriptKeeper(this.#store, this.#paint, options.cwd ?? null);
    this.#dialogs = new DialogQueue((dialog) => this.#store.update({ dialog }));
    const [store, paint, now] = [this.#store, this.#paint, this.#now];
    this.#screen = new InkScreen(options, { store, paint, now });
    store.update({ size: this.#screen.size });
  }

  async start(handlers: UIHandlers): Promise<void> {
    if (this.#running !== null) return;
    const keyboard = new Keyboard({
      store: this.#store,
      dialogs: this.#dialogs,
      handlers,
      now: this.#now,
      redraw: () => this.#redraw(),
      unfold: (verbose) => this.#unfold(verbose),
    });
    const reader = new KeyReader(this.#options.stdin, this.#now, {
      onKey: (key, arrivedAt) => keyboard.press(key, arrivedAt),
      onEnd: () => handlers.onExit(),
    });
    this.#running = { reader, keyboard };
    this.#hasEnded = false;
    // It may have changed since, and nobody said so.
    this.#store.update({ size: this.#screen.size });
    this.#screen.start({ onResize: () => this.#resize(), onLost: () => this.#lost(handlers) });
    reader.start();
    if (this.#firstInput !== null) keyboard.setInput(this.#firstInput);
    this.#firstInput = null;
  }

  async stop(): Promise<void> {
    this.#endInput();
    this.#transcript.end();
    await this.#screen.stop();
  }

  /** Gives the terminal back at once: for the end of a process that has no time to wait. */
  restoreTerminal(): void {
    this.#screen.restoreTerminal();
  }

  displayInfo(text: string): void {
    this.#show({ kind: 'info', text });
  }

  displayWarning(text: string): void {
    this.#show({ kind: 'warning', text });
  }

  displayError(text: string): void {
    this.#show({ kind: 'error', text });
  }

  displaySuccess(text: string): void {
    this.#show({ kind: 'success', text });
  }

  displayBlock(lines: readonly string[]): void {
    this.#show({ kind: 'block', lines });
  }

  displayUserMessage(text: string): void {
    this.#transcript.addPrompt(text);
  }

  streamAnswer(piece: string): void {
    this.#transcript.streamAnswer(piece);
  }

  streamThinking(piece: string): void {
    this.#transcript.streamThinking(piece);
  }

  endAnswer(): void {
    this.#transcript.end();
  }

  displayToolUse(call: ToolUseShown): void {
    this.#transcript.end();
    this.#show({ kind: 'tool-use', call });
  }

  displayToolResult({ text, isError }: ToolResultShown): void {
    this.#show({ kind: 'tool-result', text, isError });
  }

  setActivity(activity: string | null): void {
    this.#store.update({ activity });
  }

  setStatus(status: string): void {
    this.#store.update({ status });
  }

  setVerbose(verbose: boolean): void {
    this.#store.update({ verbose });
  }

  clear(): void {
    this.#transcript.clear();
    this.#screen.drawAnew();
  }

  setInput(text: string): void {
    if (this.#running === null) this.#firstInput = text;
    else this.#running.keyboard.setInput(text);
  }

  async showRewindMenu(entries: readonly RewindEntry[]): Promise<RewindEntry | null> {
    if (entries.length === 0) return null;
    const known = new Map<string, RewindCounts | null>();
    const asked = this.#dialogs.ask(rewindMenu(entries, known, this.#paint));
    for (const { id, changes } of entries) {
      const learn = (counts: RewindCounts | null): void => {
        known.set(id, counts);
        asked.change((dialog) => ({ ...dialog }));
      };
      changes.then(learn, () => learn(null));
    }
    const index = await asked.answer;
    return index === null ? null : (entries[index] ?? null);
  }

  async showRewindChoice(preview: RewindPreview): Promise<RewindChoice | null> {
    return this.#choose(rewindChoice(preview), preview.choices);
  }

  async select<Id extends string>(
    title: string,
    items: readonly ListItem<Id>[],
  ): Promise<Id | null> {
    const ids = items.map(({ id }) => id);
    return this.#choose(listOf(title, items, this.#paint), ids);
  }

  async askPermission(question: PermissionQuestion): Promise<PermissionAnswer> {
    const { signal } = question;
    if (signal.aborted) return 'no';
    const asked = this.#dialogs.ask(permissionDialog(question));
    signal.addEventListener('abort', asked.close, { once: true });
    const index = await asked.answer;
    signal.removeEventListener('abort', asked.close);
    return index === null ? 'no' : (permissionAnswers(question)[index] ?? 'no');
  }

  async confirm(question: string): Promise<boolean> {
    return (await this.#choose(confirmDialog(question), [true, false])) ?? false;
  }

  async #choose<T>(dialog: ChoiceDialog, answers: readonly T[]): Promise<T | null> {
    if (answers.length === 0) return null;
    const index = await this.#dialogs.ask(dialog).answer;
    return index === null ? null : (answers[index] ?? null);
  }

  #show(entry: Entry): void {
    // The last words, such as why it ended, are written as they are.
    if (this.#hasEnded) {
      this.#options.stdout.write(`${this.#transcript.rowsOf(entry).join('\n')}\n`);
    } else this.#transcript.add(entry);
  }

  #resize(): void {
    this.#store.update({ size: this.#screen.size });
    this.#redraw();
  }

  /** Everything from the top, as much as fits: so nothing is pushed out of the screen twice. */
  #redraw(): void {
    const state = this.#store.get();
    this.#transcript.replay(state.size.rows - liveHeight(state, this.#now()));
    this.#screen.drawAnew();
  }

  /** What was folded is not on the screen: the last turn is shown once more, as it is wanted now. */
  #unfold(verbose: boolean): void {
    this.#store.update({ verbose });
    if (verbose) {
      this.#transcript.replayTurn();
      this.#screen.drawAnew();
    } else this.#redraw();
  }

  #lost(handlers: UIHandlers): void {
    this.#endInput();
    this.#screen.restoreTerminal();
    handlers.onExit();
  }

  /** Takes no key any more, and leaves what is asked. */
  #endInput(): void {
    this.#hasEnded ||= this.#running !== null;
    this.#running?.reader.stop();
    this.#running?.keyboard.stop();
    this.#running = null;
    this.#dialogs.closeAll();
  }
}

interface Running {
  readonly reader: KeyReader;
  readonly keyboard: Keyboard;
}
