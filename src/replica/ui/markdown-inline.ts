import type { MarkedToken } from 'marked';
import type { Style } from '../../terminal/paint.ts';
import { known } from './markdown-grammar.ts';
import type { Run } from './styled-text.ts';

/** Deeper emphasis looks like what it is in. */
const DEEPEST = 16;

/** What stands in a line, with its looks. The texts of runs may hold newlines. */
export function runsOf(
  tokens: readonly MarkedToken[],
  styles: readonly Style[] = [],
): readonly Run[] {
  if (styles.length > DEEPEST) return tokens.map(({ raw }) => ({ text: raw, styles }));
  return tokens.flatMap((token) => runsOfToken(token, styles));
}

function runsOfToken(token: MarkedToken, styles: readonly Style[]): readonly Run[] {
  const inner = (style: Style, tokens: readonly MarkedToken[]): readonly Run[] =>
    runsOf(tokens, [...styles, style]);
  switch (token.type) {
    case 'strong':
      return inner('bold', known(token.tokens));
    case 'em':
      return inner('italic', known(token.tokens));
    case 'del':
      return inner('strikethrough', known(token.tokens));
    case 'codespan':
      return [{ text: token.text, styles: [...styles, 'cyan'] }];
    case 'br':
      return [{ text: '\n', styles }];
    case 'checkbox':
      return [];
    case 'link': {
      const label = inner('underline', known(token.tokens));
      return [...label, ...addressOf(token.text, token.href, styles)];
    }
    case 'image':
      return [
        { text: token.text === '' ? 'image' : token.text, styles: [...styles, 'underline'] },
        ...addressOf(token.text, token.href, styles),
      ];
    case 'html':
      return [{ text: BREAK.test(token.raw) ? '\n' : token.raw, styles }];
    case 'text':
      if (token.tokens !== undefined) return runsOf(known(token.tokens), styles);
      return [{ text: decoded(token.text), styles }];
    case 'escape':
      return [{ text: decoded(token.text), styles }];
    default:
      return [{ text: token.raw, styles }];
  }
}

/** A link says where it goes, unless its text does. */
function addressOf(text: string, href: string, styles: readonly Style[]): readonly Run[] {
  const isSaid = ['', 'http://', 'https://', 'mailto:'].some((scheme) => href === scheme + text);
  return isSaid || href === '' ? [] : [{ text: ` (${href})`, styles: [...styles, 'dim'] }];
}

const BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
};

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, name: string) => ENTITIES[name] ?? whole);
}
