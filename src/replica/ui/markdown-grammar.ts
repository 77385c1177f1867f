import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked';

/** More at once is cut into parts first (`markdown-stream.ts`): the time that some texts take grows with its square. */
export const LONGEST_PART = 8_000;
const LONGEST_INLINE = 4_000;
/** More markers at the beginning of a line, such as `> > >`, than anybody means. */
const TOO_DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){33}/m;

/** An answer comes in parts, so a definition may come after the links that refer to it: both stay text. */
class PlainReferences extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
  override reflink(): undefined {
    return undefined;
  }
}

/**
 * The blocks of a text; what they were made of, joined, is that text, apart from spaces at its end. What cannot be read
 * is one paragraph.
 */
export function blocksOf(text: string): readonly MarkedToken[] {
  if (TOO_DEEP.test(text)) return [plainParagraph(text)];
  const lexer = new Lexer({ gfm: true, tokenizer: new PlainReferences() });
  try {
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length > LONGEST_INLINE) tokens.push(plainText(src));
      else lexer.inlineTokens(src, tokens);
    }
  } catch {
    return [plainParagraph(text)];
  }
  const blocks = lexer.tokens as MarkedToken[];
  const read = blocks.map(({ raw }) => raw).join('');
  return read.trimEnd() === text.trimEnd() ? blocks : [plainParagraph(text)];
}

/** As the lexer types them, every token could also be one of an extension; there are none here. */
export function known(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []) as readonly MarkedToken[];
}

/** Whether a blank line follows the text. */
export function endsBlank(text: string): boolean {
  return text.slice(text.trimEnd().length).split('\n').length > 2;
}

function plainText(text: string): Tokens.Text {
  return { type: 'text', raw: text, text };
}

function plainParagraph(text: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: text, text, tokens: [plainText(text)] };
}
