import { styleText } from 'node:util';

export type Style =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'cyan'
  | 'magenta';

/** Colours a text that is safe to show already; gives it back as it is where colours are off. */
export type Paint = (style: Style, text: string) => string;

/** Where texts are shown. */
export interface Shown {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether it is a terminal. */
  readonly terminal: boolean;
}

/**
 * Colours at a terminal only, unless somebody says otherwise (https://no-color.org). `noColor` is the
 * word of the command line, which wins.
 */
export function paintFor({ env, terminal }: Shown, noColor: boolean): Paint {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0';
  const plain = noColor || Boolean(env.NO_COLOR) || env.FORCE_COLOR === '0';
  const colourful = !plain && (forced || (terminal && env.TERM !== 'dumb'));
  if (!colourful) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}
