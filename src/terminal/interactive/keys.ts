import { StringDecoder } from 'node:string_decoder';
import { characterStroke, controlStroke, type Stroke, sequenceStroke, withAlt } from './strokes.ts';

/**
 * What a key is for, and which keys of the keyboard do it: with `ctrl+`, `alt+` and `shift+` before it, in this order.
 * Emacs and readline have most of these.
 */
const KEYS = {
  up: ['up', 'ctrl+p'],
  down: ['down', 'ctrl+n'],
  left: ['left', 'ctrl+b'],
  right: ['right', 'ctrl+f'],
  'word-left': ['ctrl+left', 'alt+left', 'alt+b'],
  'word-right': ['ctrl+right', 'alt+right', 'alt+f'],
  'page-up': ['page-up'],
  'page-down': ['page-down'],
  home: ['home'],
  end: ['end'],
  'line-start': ['ctrl+a'],
  'line-end': ['ctrl+e'],
  enter: ['enter', 'ctrl+m'],
  'line-break': ['shift+enter', 'alt+enter', 'ctrl+j'],
  tab: ['tab', 'ctrl+i'],
  'back-tab': ['shift+tab'],
  escape: ['escape', 'ctrl+['],
  backspace: ['backspace', 'ctrl+h'],
  delete: ['delete'],
  'cut-blank-word': ['ctrl+w'],
  'cut-word-left': ['alt+backspace', 'ctrl+backspace', 'ctrl+alt+h'],
  'cut-word-right': ['alt+d', 'alt+delete', 'ctrl+delete'],
  'cut-line-left': ['ctrl+u'],
  'cut-line-right': ['ctrl+k'],
  yank: ['ctrl+y'],
  'yank-older': ['alt+y'],
  undo: ['ctrl+_', 'ctrl+-', 'ctrl+/', 'ctrl+x ctrl+u'],
  search: ['ctrl+r'],
  'open-editor': ['ctrl+g', 'ctrl+x ctrl+e'],
  redraw: ['ctrl+l'],
  unfold: ['ctrl+o'],
  suspend: ['ctrl+z'],
  interrupt: ['ctrl+c'],
  'end-of-input': ['ctrl+d'],
} as const;

export type KeyName = keyof typeof KEYS | 'tells-keys';

const NAMES: ReadonlyMap<string, KeyName> = new Map(
  Object.entries(KEYS).flatMap(([name, words]) => words.map((word) => [word, name as KeyName])),
);

/** What a person did: pressed a key that has a name, or typed or pasted text. */
export type Key =
  | { readonly name: KeyName }
  | { readonly name: 'text'; readonly text: string; readonly pasted?: true };

/** Means nothing alone: the next key says what. */
const PREFIX = 'ctrl+x';

const ESCAPE = '\x1b';
/** Only time tells the Escape key from the first byte of the sequence of another key. */
const ESCAPE_WAIT_MS = 50;
/** The rest of a sequence or of a paste may be held up on a slow line. */
const SEQUENCE_WAIT_MS = 1_000;
const LONGEST_WAIT = 1024 * 1024;
/** A longer paste is given up. The rest of it would count as typed, with its line breaks as Enter. */
const LONGEST_PASTE = 64 * LONGEST_WAIT;

export interface KeyOptions {
  /**
   * For a text of several lines: a paste keeps its line breaks and tabs, and Ctrl-J, Alt-Enter and
   * Shift-Enter are `line-break`. Otherwise a paste is one line, and those keys are Enter.
   */
  readonly lineBreaks?: boolean;
}

/** Makes keys of the bytes that a terminal sends, wherever those are cut. */
export class KeyDecoder {
  readonly #decoder = new StringDecoder('utf8');
  readonly #lineBreaks: boolean;
  #waiting = '';
  #isAfterPrefix = false;

  constructor({ lineBreaks = false }: KeyOptions = {}) {
    this.#lineBreaks = lineBreaks;
  }

  /** The keys that are complete by now. */
  push(bytes: Uint8Array): Key[] {
    this.#waiting += this.#decoder.write(Buffer.from(bytes));
    return this.#take();
  }

  /** How long to wait for more before `flush`; null when there is nothing to wait for. */
  get patienceMs(): number | null {
    if (this.#waiting === '') return null;
    return this.#waiting === ESCAPE ? ESCAPE_WAIT_MS : SEQUENCE_WAIT_MS;
  }

  /** Nothing more came: what waits is all there is. */
  flush(): Key[] {
    const waiting = this.#waiting;
    this.#waiting = '';
    if (waiting === ESCAPE) return [{ name: 'escape' }];
    if (!waiting.startsWith(PASTE_BEGIN)) return [];
    return [pasted(waiting.slice(PASTE_BEGIN.length), this.#lineBreaks)];
  }

  #take(): Key[] {
    const keys: Key[] = [];
    while (this.#waiting !== '') {
      const found = firstOf(this.#waiting);
      const longest = this.#waiting.startsWith(PASTE_BEGIN) ? LONGEST_PASTE : LONGEST_WAIT;
      if (found === 'incomplete' && this.#waiting.length < longest) break;
      const { what, length } = found === 'incomplete' ? NOTHING : found;
      const key = what === null ? null : this.#keyOf(what);
      if (key !== null) keys.push(key);
      this.#waiting = this.#waiting.slice(length);
    }
    return keys;
  }

  #keyOf(what: Exclude<Found['what'], null>): Key | null {
    const isAfterPrefix = this.#isAfterPrefix;
    this.#isAfterPrefix = false;
    if ('typed' in what) return { name: 'text', text: what.typed };
    if ('pasted' in what) return pasted(what.pasted, this.#lineBreaks);
    if ('told' in what) return { name: what.told };
    const { stroke } = what;
    const isCharacter = [...stroke.base].length === 1;
    if (isCharacter && !stroke.ctrl && !stroke.alt) {
      return { name: 'text', text: stroke.shift ? stroke.base.toUpperCase() : stroke.base };
    }
    const words = wordsFor(stroke);
    const prefixed = isAfterPrefix ? words.map((word) => `${PREFIX} ${word}`) : [];
    this.#isAfterPrefix = words.includes(PREFIX) && !isAfterPrefix;
    const name = [...prefixed, ...words]
      .map((word) => NAMES.get(word))
      .find((one) => one !== undefined);
    if (name === undefined) return null;
    return { name: name === 'line-break' && !this.#lineBreaks ? 'enter' : name };
  }
}

/** The key as `KEYS` has it; less exactly, where no key is meant with all that was held down. */
function wordsFor({ base, ctrl, alt, shift }: Stroke): string[] {
  const word = (...held: readonly (string | false)[]): string =>
    [...held.filter((one) => one !== false), base].join('+');
  const [c, a, s] = [ctrl && 'ctrl', alt && 'alt', shift && 'shift'];
  const isNamed = [...base].length > 1;
  return [word(c, a, s), word(c, a), ...(ctrl ? [word(c)] : []), ...(isNamed ? [base] : [])];
}

/** What begins a text that a terminal sent. */
interface Found {
  /** Null for bytes that mean nothing here. */
  readonly what:
    | { readonly typed: string }
    | { readonly pasted: string }
    | { readonly stroke: Stroke }
    | { readonly told: KeyName }
    | null;
  readonly length: number;
}

const NOTHING: Found = { what: null, length: 1 };

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const TYPED = /^[^\x00-\x1f\x7f]+/;
// The second is what the Linux console sends for F1 to F5.
const SEQUENCE = /^\x1b(?:\[(?!\[)[0-?]*[ -/]*[@-~]|\[\[[A-E]|O[ -~])/;
const SEQUENCE_BEGIN = /^\x1b(?:\[[0-?]*[ -/]*|\[\[|O)?$/;
/** Alt with an arrow to the side, as some terminals send it. */
const ALT_ARROW = /^\x1b(\x1b\[[CD])/;
/** The answer to `ASK_FOR_KEYS` (screen.ts). */
const TELLS_KEYS = /^\x1b\[\?\d+u$/;
/** Answers of the terminal that nobody asked for; they end with a bell or `ESC \`. */
const ANSWER = /^\x1b[\]PX^_][^\x07\x1b\x03]*(?:\x07|\x1b\\)/;
const ANSWER_BEGIN = /^\x1b[\]PX^_][^\x07\x1b\x03]*\x1b?$/;

function firstOf(text: string): Found | 'incomplete' {
  const [typed] = TYPED.exec(text) ?? [];
  if (typed !== undefined) return { what: { typed }, length: typed.length };
  if (!text.startsWith(ESCAPE)) {
    return { what: { stroke: controlStroke(text.charAt(0)) }, length: 1 };
  }
  if (text.startsWith(PASTE_BEGIN)) return paste(text);
  const [sequence] = SEQUENCE.exec(text) ?? [];
  if (sequence !== undefined) return { what: ofSequence(sequence), length: sequence.length };
  const [answer] = ANSWER.exec(text) ?? [];
  if (answer !== undefined) return { what: null, length: answer.length };
  if (SEQUENCE_BEGIN.test(text) || ANSWER_BEGIN.test(text)) return 'incomplete';
  return afterEscape(text);
}

function ofSequence(sequence: string): Found['what'] {
  if (TELLS_KEYS.test(sequence)) return { told: 'tells-keys' };
  const stroke = sequenceStroke(sequence);
  return stroke && { stroke };
}

/** Escape twice is Escape; before another key it is Alt. */
function afterEscape(text: string): Found {
  const [whole, arrow = ''] = ALT_ARROW.exec(text) ?? [];
  const moved = sequenceStroke(arrow);
  if (whole !== undefined && moved !== null) {
    return { what: { stroke: withAlt(moved) }, length: whole.length };
  }
  if (text.startsWith(ESCAPE, 1)) return { what: { stroke: controlStroke(ESCAPE) }, length: 1 };
  const next = String.fromCodePoint(text.codePointAt(1) ?? 0);
  const length = 1 + next.length;
  if (TYPED.test(next)) {
    const isBroken = /^\x1b[[O\]PX^_]/.test(text);
    return { what: isBroken ? null : { stroke: withAlt(characterStroke(next)) }, length };
  }
  return { what: { stroke: withAlt(controlStroke(next)) }, length };
}

function paste(text: string): Found | 'incomplete' {
  const end = text.indexOf(PASTE_END);
  if (end === -1) return 'incomplete';
  const what = { pasted: text.slice(PASTE_BEGIN.length, end) };
  return { what, length: end + PASTE_END.length };
}

/** A paste is text: a line break in it does not count as Enter. */
function pasted(text: string, lineBreaks: boolean): Key {
  const kept = lineBreaks
    ? text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, ' ')
    : text.replace(/[\x00-\x1f\x7f]+/g, ' ');
  return { name: 'text', text: kept, pasted: true };
}

export interface KeyEvents {
  /** `arrivedAt`: when its bytes came. A lone Escape is known as one only a while after that. */
  readonly onKey: (key: Key, arrivedAt: number) => void;
  /** There will be no more keys. */
  readonly onEnd: () => void;
}

/** Reads the keys of a terminal, from `start` to `stop`. */
export class KeyReader {
  readonly #input: NodeJS.ReadStream;
  readonly #events: KeyEvents;
  readonly #decoder: KeyDecoder;
  #timer: NodeJS.Timeout | undefined;
  #arrivedAt = 0;

  constructor(input: NodeJS.ReadStream, events: KeyEvents, options: KeyOptions = {}) {
    this.#input = input;
    this.#events = events;
    this.#decoder = new KeyDecoder(options);
  }

  start(): void {
    const { onEnd } = this.#events;
    this.#input.on('data', this.#take).on('end', onEnd).on('error', onEnd).resume();
  }

  /** Idempotent. */
  stop(): void {
    const { onEnd } = this.#events;
    clearTimeout(this.#timer);
    this.#input.off('data', this.#take).off('end', onEnd).off('error', onEnd).pause();
  }

  readonly #take = (bytes: Buffer): void => {
    this.#arrivedAt = Date.now();
    clearTimeout(this.#timer);
    this.#tell(this.#decoder.push(bytes));
    const patience = this.#decoder.patienceMs;
    if (patience === null) return;
    this.#timer = setTimeout(() => this.#tell(this.#decoder.flush()), patience);
  };

  #tell(keys: readonly Key[]): void {
    for (const key of keys) this.#events.onKey(key, this.#arrivedAt);
  }
}
