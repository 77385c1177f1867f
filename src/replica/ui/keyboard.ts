import { chooserView } from '../../terminal/interactive/chooser-rows.ts';
import type { EditedText } from '../../terminal/interactive/external-editor.ts';
import type { Key } from '../../terminal/interactive/keys.ts';
import { textOf } from '../../terminal/interactive/text-field.ts';
import type { DialogQueue } from './dialogs.ts';
import type { UIHandlers } from './interactive-ui.ts';
import { dialogRoom, PROMPT_MARGIN } from './live-view.ts';
import {
  isEmpty,
  type PromptRoom,
  pressedPrompt,
  type Submitted,
  withHistory,
  withOffers,
  withoutOffers,
  withText,
} from './prompt.ts';
import type { PromptMemory } from './prompt-history.ts';
import type { UIStore } from './ui-state.ts';

/** Esc twice within this many milliseconds is the way back. */
const REWIND_MS = 300;
/** Ctrl-C twice within this many milliseconds is the way out. */
const EXIT_MS = 2_000;
/** A person who typed this recently is still typing, and has not seen the question. */
const TYPING_MS = 500;
const EXIT_HINT = 'press Ctrl-C again to leave';
const AT_WORK_HINT = 'the agent is at work: Esc interrupts it, or wait and press Enter again';

export interface KeyboardParts {
  readonly store: UIStore;
  readonly dialogs: DialogQueue;
  readonly handlers: UIHandlers;
  readonly redraw: () => void;
  /** Gives the terminal to the shell. */
  readonly suspend: () => void;
  /** The same with everything of the last turn, shown whole or folded. */
  readonly unfold: (verbose: boolean) => void;
  /** Has the text edited in the person's own editor. */
  readonly editText: (text: string) => Promise<EditedText>;
  /** What was sent before, and is to be sent again by the arrows and Ctrl-R. */
  readonly memory: PromptMemory;
}

/** Decides what each key means: for the input, for a question, for the agent at work. */
export class Keyboard {
  readonly #parts: KeyboardParts;
  readonly #escapes = new PressPair(REWIND_MS);
  readonly #interrupts = new PressPair(EXIT_MS);
  #typedAt = Number.NEGATIVE_INFINITY;
  #hintTimer: NodeJS.Timeout | undefined;

  constructor(parts: KeyboardParts) {
    this.#parts = parts;
  }

  stop(): void {
    clearTimeout(this.#hintTimer);
  }

  /** `arrivedAt`: when the bytes of the key came. */
  press(key: Key, arrivedAt: number): void {
    const isTyping = this.#isTyping(key, arrivedAt);
    if (key.name !== 'interrupt') this.#endHint();
    if (this.#closesKeys(key)) return;
    if (key.name === 'redraw') this.#parts.redraw();
    else if (key.name === 'suspend') this.#parts.suspend();
    else if (key.name === 'unfold') this.#parts.unfold(!this.#parts.store.get().verbose);
    else if (this.#parts.dialogs.isOpen && !isTyping) this.#answer(key);
    else this.#pressAtPrompt(key, arrivedAt);
  }

  setInput(text: string): void {
    const { store, handlers } = this.#parts;
    const prompt = withText(store.get().prompt, text, this.#promptRoom());
    store.update({ prompt, images: handlers.imagesIn(text) });
  }

  /** What is offered may have changed. */
  refreshOffers(): void {
    const { store } = this.#parts;
    const { prompt } = store.get();
    // Somebody who goes through the offers keeps the place.
    if ((prompt.offered ?? 0) === 0) {
      store.update({ prompt: withOffers(prompt, this.#promptRoom()) });
    }
  }

  #pressAtPrompt(key: Key, arrivedAt: number): void {
    const { search } = this.#parts.store.get().prompt;
    if (key.name !== 'escape' || search !== null) this.#escapes.forget();
    // Escape and Ctrl-C leave a search before they mean anything else.
    if (search !== null && key.name !== 'open-editor') this.#edit(key);
    else if (key.name === 'escape') this.#escape(arrivedAt);
    else if (key.name === 'interrupt') this.#interrupt(arrivedAt);
    else if (key.name === 'end-of-input') this.#endInput();
    else if (key.name === 'up' && this.#takesBack()) return;
    else if (key.name === 'back-tab') this.#parts.handlers.onNextMode();
    else if (key.name === 'open-editor') void this.#openEditor();
    else if (isQuestionMark(key) && this.#isAtStart()) {
      this.#parts.store.update({ showsKeys: true });
    } else this.#edit(key);
  }

  #isAtStart(): boolean {
    const { prompt } = this.#parts.store.get();
    return isEmpty(prompt) && prompt.mode === 'prompt';
  }

  /** Any key closes the list of keys. One that means nothing else does no more than that. */
  #closesKeys(key: Key): boolean {
    const { store } = this.#parts;
    if (!store.get().showsKeys) return false;
    store.update({ showsKeys: false });
    return isQuestionMark(key) || key.name === 'escape';
  }

  async #openEditor(): Promise<void> {
    const { store, editText } = this.#parts;
    const edited = await editText(textOf(store.get().prompt.field));
    if ('text' in edited) this.setInput(edited.text);
    else this.#hint(edited.problem);
  }

  /** ↑ at an empty input: a prompt that waits is the person's again. */
  #takesBack(): boolean {
    const { handlers, store } = this.#parts;
    const { prompt, waiting } = store.get();
    const text = waiting.length > 0 && isEmpty(prompt) ? handlers.onTakeBack() : null;
    if (text !== null) this.setInput(text);
    return text !== null;
  }

  #escape(arrivedAt: number): void {
    const { handlers, store } = this.#parts;
    const { prompt } = store.get();
    if (prompt.completions.length > 0) store.update({ prompt: withoutOffers(prompt) });
    if (prompt.mode !== 'prompt' && isEmpty(prompt)) {
      store.update({ prompt: { ...prompt, mode: 'prompt' } });
    }
    if (this.#escapes.press(arrivedAt)) void handlers.onRewind();
    else if (store.get().activity !== null) handlers.onInterrupt();
  }

  #interrupt(arrivedAt: number): void {
    const { handlers, store } = this.#parts;
    const { activity } = store.get();
    if (activity === null && this.#isAtStart()) {
      if (this.#interrupts.press(arrivedAt)) handlers.onExit();
      else this.#hint(EXIT_HINT);
      return;
    }
    this.#interrupts.forget();
    if (activity !== null) handlers.onInterrupt();
    else this.setInput('');
  }

  #endInput(): void {
    const { handlers, store } = this.#parts;
    if (isEmpty(store.get().prompt)) handlers.onExit();
    else this.#edit({ name: 'delete' });
  }

  #edit(key: Key): void {
    const { handlers, store, memory } = this.#parts;
    const { prompt, activity } = store.get();
    const isRecalling = key.name === 'up' || key.name === 'search';
    const before = isRecalling ? withHistory(prompt, memory.texts()) : prompt;
    const { state, submitted } = pressedPrompt(before, key, this.#promptRoom());
    const mustWait = submitted !== null && submitted.mode !== 'prompt' && activity !== null;
    // What a person does to files must not fall into the agent's work: it would count as the agent's.
    if (mustWait) {
      this.#hint(AT_WORK_HINT);
      return;
    }
    const isOther = state.field.cells !== prompt.field.cells;
    const images = isOther ? handlers.imagesIn(textOf(state.field)) : store.get().images;
    store.update({ prompt: state, images });
    if (submitted !== null) this.#submit(submitted);
  }

  #submit({ text, mode, hasPaste }: Submitted): void {
    const { handlers, memory } = this.#parts;
    if (mode === 'command') void handlers.onOwnCommand(text, hasPaste);
    else if (mode === 'note') void handlers.onNote(text);
    else {
      memory.add(text);
      void handlers.onSubmit(text);
    }
  }

  #answer(key: Key): void {
    // An Escape that leaves a question is not the first of two.
    this.#escapes.forget();
    const { store, dialogs } = this.#parts;
    const { dialog, size } = store.get();
    if (dialog !== null) dialogs.press(key, chooserView(dialog, dialogRoom(size, Date.now())));
  }

  /** A question that comes up while somebody types is not answered by what they type. */
  #isTyping(key: Key, arrivedAt: number): boolean {
    const { store, dialogs } = this.#parts;
    const isText = key.name === 'text' || key.name === 'enter' || key.name === 'backspace';
    const wasTyping = arrivedAt - this.#typedAt < TYPING_MS && !isEmpty(store.get().prompt);
    const isTyping = isText && (wasTyping || !dialogs.isOpen);
    // Any other key, such as the Escape that opened a menu, is pressed by somebody who looks.
    this.#typedAt = isTyping ? arrivedAt : Number.NEGATIVE_INFINITY;
    return isTyping;
  }

  #hint(hint: string): void {
    this.#parts.store.update({ hint });
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => this.#endHint(), EXIT_MS);
  }

  #endHint(): void {
    clearTimeout(this.#hintTimer);
    if (this.#parts.store.get().hint !== null) this.#parts.store.update({ hint: null });
  }

  #promptRoom(): PromptRoom {
    const { store, handlers } = this.#parts;
    const columns = store.get().size.columns - PROMPT_MARGIN;
    return { columns, complete: (text) => handlers.complete(text) };
  }
}

function isQuestionMark(key: Key): boolean {
  return key.name === 'text' && key.text === '?' && key.pasted !== true;
}

/** Tells two presses of a key that belong together from two that do not. */
class PressPair {
  readonly #withinMs: number;
  #last: number | null = null;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /** Whether this press is the second of a pair. A third begins anew. */
  press(at: number): boolean {
    const isSecond = this.#last !== null && at - this.#last <= this.#withinMs;
    this.#last = isSecond ? null : at;
    return isSecond;
  }

  /** The last press meant something else. */
  forget(): void {
    this.#last = null;
  }
}
