import { displayText } from '../../index.ts';
import type { Chooser } from '../../terminal/interactive/chooser.ts';
import {
  type EditedText,
  editText,
  type PassSignals,
} from '../../terminal/interactive/external-editor.ts';
import { HeldTerminal, IN_THE_SCROLL, LiveRows } from '../../terminal/interactive/screen.ts';
import { type Paint, paintFor } from '../../terminal/paint.ts';
import { loadHighlighter } from './code-highlight.ts';
import { confirmDialog, DialogQueue, listOf, permissionDialog } from './dialogs.ts';
import type {
  PermissionAnswer,
  PermissionQuestion,
  RewindEntry,
  InteractiveUI as UI,
  UIHandlers,
} from './interactive-ui.ts';
import { Keyboard } from './keyboard.ts';
import { type LiveView, liveView, SIGN_MS } from './live-view.ts';
import { recalling } from './prompt.ts';
import { isToKeep, type PromptMemory } from './prompt-history.ts';
import { conflictDialog, diffDialog, MenuFacts, rewindChoice, rewindMenu } from './rewind-menu.ts';
import { type Entry, Transcript } from './transcript.ts';
import { type UIState, UIStore } from './ui-state.ts';
import { WorkShown } from './work-shown.ts';

export interface TerminalInteractiveUIOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** NO_COLOR, FORCE_COLOR and TERM are looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where paths are shown from. */
  readonly cwd: string;
  /** What was sent in this project; left out, what was sent to this UI. */
  readonly memory?: PromptMemory;
  /** Has signals passed to another program while that has the terminal. */
  readonly during?: PassSignals;
}

/** The interactive UI at a terminal: rows that are drawn by `LiveRows`, below what has scrolled by. */
export class TerminalInteractiveUI implements UI {
  readonly #options: TerminalInteractiveUIOptions;
  readonly #paint: Paint;
  readonly #screen: LiveRows;
  readonly #store: UIStore;
  readonly #transcript: Transcript;
  readonly #work: WorkShown;
  readonly #dialogs: DialogQueue;
  #running: Running | null = null;
  #hasEnded = false;
  /** How many rows were drawn last, and whether a dialog or offers were among them. */
  #height = 0;
  #isOpen = false;
  /** For the input that is set before there is a keyboard. */
  #firstInput: string | null = null;

  constructor(options: TerminalInteractiveUIOptions) {
    const { stdout, env, cwd } = options;
    this.#options = options;
    this.#paint = paintFor({ env, terminal: stdout.isTTY }, false);
    this.#screen = new LiveRows(stdout);
    this.#store = new UIStore(() => this.#draw());
    this.#transcript = new Transcript(this.#store, this.#screen, { paint: this.#paint, cwd });
    this.#work = new WorkShown(this.#store, (entry) => this.#show(entry));
    this.#dialogs = new DialogQueue((dialog) => this.#store.update({ dialog }));
  }

  async start(handlers: UIHandlers): Promise<void> {
    if (this.#running !== null) return;
    const { stdin, stdout } = this.#options;
    const terminal = new HeldTerminal(
      { stdin, stdout, modes: IN_THE_SCROLL, lineBreaks: true },
      {
        onKey: (key, arrivedAt) => keyboard.press(key, arrivedAt),
        onEnd: () => handlers.onExit(),
        onRedraw: () => this.#redraw(),
      },
    );
    const keyboard = new Keyboard({
      store: this.#store,
      dialogs: this.#dialogs,
      handlers,
      redraw: () => this.#redraw(),
      suspend: () => {
        // The shell goes on below the conversation, not across the input.
        this.#screen.end();
        terminal.suspend();
      },
      unfold: (verbose) => this.#unfold(verbose),
      editText: (text) => this.editText(text, PROMPT_FILE),
      memory: this.#options.memory ?? memoryOfOwn(),
    });
    const spinner = setInterval(() => {
      if (this.#store.get().activity !== null) this.#draw();
    }, SIGN_MS);
    this.#running = { terminal, keyboard, spinner };
    this.#hasEnded = false;
    this.#store.update({ size: terminal.size });
    terminal.take();
    // Not before the first rows are on the screen.
    setImmediate(() => void this.#loadHighlighter());
    if (this.#firstInput !== null) keyboard.setInput(this.#firstInput);
    this.#firstInput = null;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#hasEnded ||= running !== null;
    running?.keyboard.stop();
    clearInterval(running?.spinner);
    this.#dialogs.closeAll();
    this.#transcript.end();
    if (running === null) return;
    this.#screen.end();
    running.terminal.release();
  }

  // The port says what each of these takes and does.
  readonly displayInfo: UI['displayInfo'] = (text) => this.#show({ kind: 'info', text });
  readonly displayWarning: UI['displayWarning'] = (text) => this.#show({ kind: 'warning', text });
  readonly displayError: UI['displayError'] = (text) => this.#show({ kind: 'error', text });
  readonly displaySuccess: UI['displaySuccess'] = (text) => this.#show({ kind: 'success', text });
  readonly displayBlock: UI['displayBlock'] = (lines) => this.#show({ kind: 'block', lines });
  readonly displayUserMessage: UI['displayUserMessage'] = (text) =>
    this.#transcript.addPrompt(text);

  readonly streamAnswer: UI['streamAnswer'] = (piece) => this.#transcript.streamAnswer(piece);
  readonly streamThinking: UI['streamThinking'] = (piece) => this.#transcript.streamThinking(piece);
  readonly endAnswer: UI['endAnswer'] = () => this.#transcript.end();

  readonly displayToolUse: UI['displayToolUse'] = (call) => {
    this.#transcript.end();
    this.#work.begins(call);
  };
  readonly displayToolResult: UI['displayToolResult'] = (result) => this.#work.ends(result);
  readonly displayToolOutput: UI['displayToolOutput'] = (id, text) => this.#work.prints(id, text);
  readonly displayTodos: UI['displayTodos'] = (todos) => this.#work.todos(todos);

  readonly setActivity: UI['setActivity'] = (activity) => {
    if (activity === null) this.#work.turnEnds();
    this.#store.update({ activity });
  };
  readonly setStatus: UI['setStatus'] = (status) => this.#store.update({ status });
  readonly setWaiting: UI['setWaiting'] = (waiting) => this.#store.update({ waiting });
  readonly setVerbose: UI['setVerbose'] = (verbose) => this.#store.update({ verbose });
  readonly clear: UI['clear'] = () => this.#transcript.clear();

  readonly showConversation: UI['showConversation'] = (entries) => {
    this.#transcript.end();
    const prompts = entries.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []));
    this.#store.update({ prompt: recalling(this.#store.get().prompt, prompts) });
    this.#transcript.show(entries);
  };

  readonly setInput: UI['setInput'] = (text) => {
    if (this.#running === null) this.#firstInput = text;
    else this.#running.keyboard.setInput(text);
  };
  readonly refreshOffers: UI['refreshOffers'] = () => this.#running?.keyboard.refreshOffers();

  readonly showRewindChoice: UI['showRewindChoice'] = (preview) =>
    this.#choose(rewindChoice(preview));
  readonly askConflict: UI['askConflict'] = (question) => this.#choose(conflictDialog(question));
  readonly select: UI['select'] = (title, items) => this.#choose(listOf(title, items, this.#paint));
  readonly confirm: UI['confirm'] = async (question) =>
    (await this.#choose(confirmDialog(question))) ?? false;

  async showRewindMenu(
    entries: readonly RewindEntry[],
    others: readonly RewindEntry[],
  ): Promise<RewindEntry | null> {
    let list = entries.length > 0 ? entries : others;
    const places = new Map<readonly RewindEntry[], number>();
    while (list.length > 0) {
      const more = list === others ? null : others.length;
      const { chosen, key, selected } = await this.#rewindMenu(list, places.get(list) ?? 0, more);
      places.set(list, selected);
      if (key === 'd' && chosen !== null) await this.#showDiff(chosen);
      else if (key === 'o') list = others;
      else if (chosen !== null || list === entries || entries.length === 0) return chosen;
      else list = entries;
    }
    return null;
  }

  /** The menu until a key leads on: an entry is chosen, or a letter pressed. */
  async #rewindMenu(
    entries: readonly RewindEntry[],
    first: number,
    others: number | null,
  ): Promise<{ chosen: RewindEntry | null; key: string | null; selected: number }> {
    let [selected, key, at]: [number, string | null, RewindEntry | null] = [first, null, null];
    const facts = new MenuFacts(() => asked.refresh());
    const menu = rewindMenu(entries, facts, this.#paint, { selected, others });
    const asked = this.#dialogs.ask(menu, {
      onKey: (pressed, value) => {
        [key, at] = [pressed, value];
      },
      onSelect: (index, chooser) => {
        selected = entries.indexOf(chooser.matches[index]?.value ?? (entries[0] as RewindEntry));
        facts.select(index, chooser);
      },
    });
    const chosen = await asked.answer;
    facts.close();
    return { chosen: chosen ?? at, key, selected };
  }

  async #showDiff(entry: RewindEntry): Promise<void> {
    const rows = await entry.preview();
    await this.#choose(diffDialog(displayText(entry.description), rows));
  }

  async askPermission(question: PermissionQuestion): Promise<PermissionAnswer> {
    const { signal } = question;
    if (signal.aborted) return 'no';
    const asked = this.#dialogs.ask(permissionDialog(question, this.#paint));
    signal.addEventListener('abort', asked.close, { once: true });
    const answer = await asked.answer;
    signal.removeEventListener('abort', asked.close);
    this.#work.restartClock(question.callId);
    return answer ?? 'no';
  }

  async editText(text: string, fileName: string): Promise<EditedText> {
    const terminal = this.#running?.terminal;
    if (terminal === undefined) return { problem: 'there is no terminal' };
    const { env, cwd: project, during } = this.#options;
    const before = terminal.size;
    // The editor may draw on the screen that the conversation is on.
    this.#screen.end();
    try {
      return await terminal.lend(() => editText({ text, fileName, env, project, during }));
    } finally {
      const { columns, rows } = terminal.size;
      if (columns === before.columns && rows === before.rows) this.#draw();
      else this.#redraw();
    }
  }

  async #choose<Value>(chooser: Chooser<Value>): Promise<Value | null> {
    return chooser.options.length === 0 ? null : this.#dialogs.ask(chooser).answer;
  }

  #show(entry: Entry): void {
    // The last words, such as why it ended, are written as they are.
    if (this.#hasEnded) {
      this.#options.stdout.write(`${this.#transcript.rowsOf(entry).join('\n')}\n`);
    } else this.#transcript.add(entry);
  }

  /** Answers of a conversation that was taken up may be there before it. */
  async #loadHighlighter(): Promise<void> {
    // Without it, such as when the package was removed meanwhile, code has no colours.
    await loadHighlighter().catch(() => undefined);
    if (this.#transcript.hasAnswers) this.#redraw();
  }

  #draw(): void {
    if (this.#running === null || this.#running.terminal.isLent) return;
    this.#transcript.settle();
    const { rows, cursor } = this.#view();
    const wasOpen = this.#isOpen;
    this.#isOpen = isOpen(this.#store.get());
    // What a tall dialog pushed out of the screen comes back into the rows that it leaves.
    const isLower = rows.length < this.#height && wasOpen;
    if (isLower && this.#transcript.isPushedOutBy(this.#height)) {
      this.#transcript.replay(this.#store.get().size.rows - rows.length);
    }
    this.#height = rows.length;
    this.#screen.draw(rows, cursor);
  }

  #view(): LiveView {
    const { cwd } = this.#options;
    return liveView(this.#store.get(), { paint: this.#paint, now: Date.now(), cwd });
  }

  /** Everything from the top, as much as fits: so nothing is pushed out of the screen twice. */
  #redraw(): void {
    if (this.#running === null || this.#running.terminal.isLent) return;
    const { size } = this.#running.terminal;
    this.#store.update({ size });
    this.#transcript.replay(size.rows - this.#view().rows.length);
  }

  /** Prints the last turn again, folded or whole: what was printed before cannot be changed. */
  #unfold(verbose: boolean): void {
    this.#store.update({ verbose });
    if (verbose) this.#transcript.replayTurn();
    else this.#redraw();
  }
}

function isOpen({ dialog, prompt, showsKeys }: UIState): boolean {
  return dialog !== null || prompt.completions.length > 0 || showsKeys;
}

const PROMPT_FILE = 'prompt.md';

function memoryOfOwn(): PromptMemory {
  const texts: string[] = [];
  return { texts: () => texts, add: (text) => void (isToKeep(text) && texts.push(text)) };
}

interface Running {
  readonly terminal: HeldTerminal;
  readonly keyboard: Keyboard;
  readonly spinner: NodeJS.Timeout;
}
