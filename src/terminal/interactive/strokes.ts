/** A key as a terminal tells it: which one, and what was held down with it. */
export interface Stroke {
  /** A character, or a name such as `left`, `enter` or `backspace`. */
  readonly base: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

const BARE = { ctrl: false, alt: false, shift: false };

/** A control character; `\n` is Ctrl-J. */
export function controlStroke(character: string): Stroke {
  const base = CONTROLS[character];
  if (base !== undefined) return { ...BARE, base };
  // Ctrl takes these bits away: Ctrl-A is 0x01, Ctrl-_ is 0x1f.
  const letter = String.fromCharCode((character.codePointAt(0) ?? 0) | 0x40).toLowerCase();
  return { ...BARE, base: letter, ctrl: true };
}

/** The key that comes with an Escape before it. */
export function withAlt(stroke: Stroke): Stroke {
  return { ...stroke, alt: true };
}

/** A character of the keyboard; a capital letter is the letter with Shift. */
export function characterStroke(character: string): Stroke {
  const base = character.toLowerCase();
  return { ...BARE, base, shift: base !== character };
}

/**
 * The key of a whole sequence; null where it is none. Terminals differ: `ESC [ 1;5 C` and `ESC O c` are
 * Ctrl with an arrow, `ESC [ 13;2 u` (kitty) and `ESC [ 27;2;13 ~` (xterm) are Shift-Enter.
 */
export function sequenceStroke(sequence: string): Stroke | null {
  const [, lead = '', numbers = '', final = ''] =
    /^\x1b([[O])([\d;:]*)([A-Za-z~])$/.exec(sequence) ?? [];
  const [first = [], second = [], third = []] = numbers
    .split(';')
    .map((part) => part.split(':').map(Number));
  // Some terminals tell when a key is let go, too.
  if (second[1] === 3) return null;
  if (final === 'u') return codeStroke(first[0], second[0]);
  if (final === '~' && first[0] === 27) return codeStroke(third[0], second[0]);
  if (lead === 'O' && OF_RXVT[final] !== undefined) {
    return { ...BARE, base: OF_RXVT[final], ctrl: true };
  }
  if (lead === 'O' && final === 'M') return { ...BARE, base: 'enter' };
  if (final === 'Z') return { ...BARE, base: 'tab', shift: true };
  const base = final === '~' ? NUMBERED[first[0] ?? 0] : LETTERED[final];
  return base === undefined ? null : { base, ...modifiers(second[0]) };
}

/** A key by the number of its character, or by the number that kitty gave it. */
function codeStroke(code = 0, modifier = 1): Stroke | null {
  const held = modifiers(modifier);
  const named = CODES[code];
  if (named !== undefined) return { base: named, ...held };
  const isCharacter = code > 0x1f && code < 0x110000 && !isPrivate(code);
  if (!isCharacter) return null;
  const { base, shift } = characterStroke(String.fromCodePoint(code));
  return { base, ...held, shift: held.shift || shift };
}

/** Keys without a character, such as those that play music, and halves of characters. */
function isPrivate(code: number): boolean {
  return code >= 0xd800 && code < 0xf900;
}

/** One more than the sum of what is held down: 1 Shift, 2 Alt, 4 Ctrl, 32 Meta. */
function modifiers(sum = 1): Pick<Stroke, 'ctrl' | 'alt' | 'shift'> {
  const bits = Math.max(0, sum - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 34) !== 0, ctrl: (bits & 4) !== 0 };
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\t': 'tab',
  '\r': 'enter',
  '\x1b': 'escape',
  '\x7f': 'backspace',
};

const CODES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'page-up',
  57422: 'page-down',
  57423: 'home',
  57424: 'end',
  57426: 'delete',
};

const LETTERED: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
};

const OF_RXVT: Readonly<Record<string, string>> = { a: 'up', b: 'down', c: 'right', d: 'left' };

const NUMBERED: Readonly<Record<number, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};
