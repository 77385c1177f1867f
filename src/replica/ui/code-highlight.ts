import type { Style } from '../../terminal/paint.ts';
import { ENTITIES, type Run, type StyledLine } from './styled-text.ts';

export interface CodeLine {
  readonly runs: StyledLine;
  /** Whether something reaches over its end, such as a comment: a cut there would be seen. */
  readonly isOpen: boolean;
}

type Highlighter = ReturnType<typeof import('./highlight-languages.ts').withLanguages>;

let loaded: Highlighter | undefined;

/** Code is shown without colours until this is done. */
export async function loadHighlighter(): Promise<void> {
  loaded ??= (await import('./highlight-languages.ts')).withLanguages();
}

/** Some grammars take long for lines that no person has written. */
const LONGEST_LINE = 1_000;
const LONGEST_CODE = 20_000;

/** The lines of a text that is safe to show, coloured where the language is known. `info` stands behind the fence. */
export function codeLines(code: string, info: string): readonly CodeLine[] {
  const [language = ''] = info.toLowerCase().split(/[\s,{]/, 1);
  const highlighter = loaded;
  const lines = code.split('\n');
  const isPlain =
    highlighter === undefined ||
    highlighter.getLanguage(language) === undefined ||
    code.length > LONGEST_CODE ||
    lines.some(({ length }) => length > LONGEST_LINE);
  if (isPlain) return lines.map((line) => ({ runs: [{ text: line, styles: [] }], isOpen: false }));
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return linesIn(value);
}

const PIECE = /<span class="([^"]*)">|(<\/span>)|&(\w+|#x27);|[^<&]+/g;

/** From what the highlighter gives: text in spans, which may reach over lines. */
function linesIn(html: string): CodeLine[] {
  const lines: CodeLine[] = [];
  const scopes: (Style | null)[] = [];
  let runs: Run[] = [];
  for (const [text, scope, end, entity] of html.matchAll(PIECE)) {
    if (scope !== undefined)
      scopes.push(STYLES.get(scope.split(' ', 1)[0] ?? '') ?? scopes.at(-1) ?? null);
    else if (end !== undefined) scopes.pop();
    else {
      const style = scopes.at(-1) ?? null;
      const styles = style === null ? [] : [style];
      const parts = (entity === undefined ? text : (ENTITIES[entity] ?? text)).split('\n');
      for (const [i, part] of parts.entries()) {
        if (i > 0) {
          lines.push({ runs, isOpen: scopes.length > 0 });
          runs = [];
        }
        if (part !== '') runs.push({ text: part, styles });
      }
    }
  }
  return [...lines, { runs, isOpen: false }];
}

// By the first part of a scope's name: `hljs-title function_` is a title.
const SCOPES: Partial<Record<Style, string>> = {
  green: 'addition regexp string',
  cyan: 'attr attribute built_in code type variable',
  yellow: 'bullet literal meta number symbol',
  dim: 'comment doctag quote',
  red: 'deletion',
  italic: 'emphasis',
  magenta: 'keyword selector-tag',
  blue: 'name section selector-class selector-id tag title',
  bold: 'strong',
};

const STYLES: ReadonlyMap<string, Style> = new Map(
  Object.entries(SCOPES).flatMap(([style, scopes]) =>
    scopes.split(' ').map((scope) => [`hljs-${scope}`, style as Style]),
  ),
);
