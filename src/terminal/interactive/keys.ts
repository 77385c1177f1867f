import { StringDecoder } from 'node:string_decoder';

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'tab'
  | 'escape'
  | 'line-break'
  | 'backspace'
  | 'delete'
  | 'delete-word'
  | 'delete-all'
  | 'redraw'
  | 'unfold'
  | 'suspend'
  | 'interrupt'
  | 'end-of-input';

/** What a person did: pressed a key that has a name, or typed or pasted text. */
export type Key =
  | { readonly name: KeyName }
  | { readonly name: 'text'; readonly text: string; readonly pasted?: true };

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
    const { text, rest } = cutOff(this.#waiting, this.#lineBreaks);
    this.#waiting = rest;
    return [...text, ...this.#take()];
  }

  #take(): Key[] {
    const keys: Key[] = [];
    while (this.#waiting !== '') {
      const found = firstKey(this.#waiting, this.#lineBreaks);
      const longest = this.#waiting.startsWith(PASTE_BEGIN) ? LONGEST_PASTE : LONGEST_WAIT;
      if (found === 'incomplete' && this.#waiting.length < longest) break;
      const { key, length } = found === 'incomplete' ? NOTHING : found;
      if (key !== null) keys.push(key);
      this.#waiting = this.#waiting.slice(length);
    }
    return keys;
  }
}

interface Found {
  /** Null for bytes that mean nothing here. */
  readonly key: Key | null;
  readonly length: number;
}

const NOTHING: Found = { key: null, length: 1 };

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const KEYPAD_ENTER = '\x1bOM';
/** Ctrl-J, Alt-Enter, and Enter with Shift or Alt where a terminal tells them apart. */
const LINE_BREAK = /^(?:\n|\x1b[\r\n]|\x1b\[13;[2-4]u|\x1b\[27;[2-4];13~)/;
const TYPED = /^[^\x00-\x1f\x7f]+/;
const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/;
const SEQUENCE_BEGIN = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/;
/** Answers of the terminal that nobody asked for; they end with a bell or `ESC \`. */
const ANSWER = /^\x1b[\]PX^_][^\x07\x1b\x03]*(?:\x07|\x1b\\)/;
const ANSWER_BEGIN = /^\x1b[\]PX^_][^\x07\x1b\x03]*\x1b?$/;

function firstKey(text: string, lineBreaks: boolean): Found | 'incomplete' {
  const [typed] = TYPED.exec(text) ?? [];
  if (typed !== undefined) return { key: { name: 'text', text: typed }, length: typed.length };
  const [lineBreak] = (lineBreaks && LINE_BREAK.exec(text)) || [];
  if (lineBreak !== undefined) return { key: { name: 'line-break' }, length: lineBreak.length };
  if (!text.startsWith(ESCAPE)) return { key: named(CONTROLS[text.charAt(0)]), length: 1 };
  if (text.startsWith(PASTE_BEGIN)) return paste(text, lineBreaks);
  const [sequence] = SEQUENCE.exec(text) ?? [];
  if (sequence !== undefined) return { key: keyOf(sequence), length: sequence.length };
  const [answer] = ANSWER.exec(text) ?? [];
  if (answer !== undefined) return { key: null, length: answer.length };
  if (SEQUENCE_BEGIN.test(text) || ANSWER_BEGIN.test(text)) return 'incomplete';
  return afterEscape(text);
}

/** Escape twice is Escape; with a letter it is a key with Alt, which means nothing here. */
function afterEscape(text: string): Found {
  if (text.startsWith(ESCAPE, 1)) return { key: { name: 'escape' }, length: 1 };
  const next = String.fromCodePoint(text.codePointAt(1) ?? 0);
  const isBroken = /^\x1b[[O\]PX^_]/.test(text);
  return { key: null, length: TYPED.test(next) || isBroken ? 1 + next.length : 1 };
}

function paste(text: string, lineBreaks: boolean): Found | 'incomplete' {
  const end = text.indexOf(PASTE_END);
  if (end === -1) return 'incomplete';
  const key = pasted(text.slice(PASTE_BEGIN.length, end), lineBreaks);
  return { key, length: end + PASTE_END.length };
}

/** A paste is text: a line break in it does not count as Enter. */
function pasted(text: string, lineBreaks: boolean): Key {
  const kept = lineBreaks
    ? text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, ' ')
    : text.replace(/[\x00-\x1f\x7f]+/g, ' ');
  return { name: 'text', text: kept, pasted: true };
}

function cutOff(waiting: string, lineBreaks: boolean): { text: Key[]; rest: string } {
  if (waiting === ESCAPE) return { text: [{ name: 'escape' }], rest: '' };
  if (!waiting.startsWith(PASTE_BEGIN)) return { text: [], rest: '' };
  return { text: [pasted(waiting.slice(PASTE_BEGIN.length), lineBreaks)], rest: '' };
}

/** Sequences differ between terminals and with Shift or Ctrl; the letter or number at the end tells. */
function keyOf(sequence: string): Key | null {
  if (sequence === KEYPAD_ENTER) return { name: 'enter' };
  const [, number = '', letter = ''] = /^\x1b[[O](\d*)[\d;]*(.)$/.exec(sequence) ?? [];
  return named(letter === '~' ? NUMBERED[number] : LETTERED[letter]);
}

function named(name: KeyName | undefined): Key | null {
  return name === undefined ? null : { name };
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x08': 'backspace',
  '\t': 'tab',
  '\n': 'enter',
  '\x0c': 'redraw',
  '\r': 'enter',
  '\x0e': 'down',
  '\x0f': 'unfold',
  '\x10': 'up',
  '\x15': 'delete-all',
  '\x17': 'delete-word',
  '\x1a': 'suspend',
  '\x7f': 'backspace',
};

const LETTERED: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'tab',
};

const NUMBERED: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};

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
