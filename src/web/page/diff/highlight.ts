import type { HLJSApi, LanguageFn } from 'highlight.js';

/** A piece of a line in one colour; `scope` is the name of a CSS class behind `hl-`. */
export interface CodeRun {
  readonly text: string;
  readonly scope: string | null;
}

export type CodeLine = readonly CodeRun[];

type Grammar = () => Promise<{ readonly default: LanguageFn }>;

/** The endings of each language, and its grammar: a file of its own, which is loaded with the first file in it. */
const LANGUAGES = {
  bash: [() => import('highlight.js/lib/languages/bash'), 'bash sh zsh'],
  c: [() => import('highlight.js/lib/languages/c'), 'c h'],
  cpp: [() => import('highlight.js/lib/languages/cpp'), 'cc cpp cxx hpp hh'],
  csharp: [() => import('highlight.js/lib/languages/csharp'), 'cs'],
  css: [() => import('highlight.js/lib/languages/css'), 'css'],
  dart: [() => import('highlight.js/lib/languages/dart'), 'dart'],
  diff: [() => import('highlight.js/lib/languages/diff'), 'diff patch'],
  dockerfile: [() => import('highlight.js/lib/languages/dockerfile'), 'dockerfile'],
  elixir: [() => import('highlight.js/lib/languages/elixir'), 'ex exs'],
  go: [() => import('highlight.js/lib/languages/go'), 'go'],
  graphql: [() => import('highlight.js/lib/languages/graphql'), 'graphql gql'],
  haskell: [() => import('highlight.js/lib/languages/haskell'), 'hs'],
  ini: [() => import('highlight.js/lib/languages/ini'), 'cfg editorconfig ini toml'],
  java: [() => import('highlight.js/lib/languages/java'), 'java'],
  javascript: [() => import('highlight.js/lib/languages/javascript'), 'cjs js jsx mjs'],
  json: [() => import('highlight.js/lib/languages/json'), 'json jsonc webmanifest'],
  kotlin: [() => import('highlight.js/lib/languages/kotlin'), 'kt kts'],
  less: [() => import('highlight.js/lib/languages/less'), 'less'],
  lua: [() => import('highlight.js/lib/languages/lua'), 'lua'],
  makefile: [() => import('highlight.js/lib/languages/makefile'), 'makefile mk'],
  markdown: [() => import('highlight.js/lib/languages/markdown'), 'markdown md mdx'],
  nginx: [() => import('highlight.js/lib/languages/nginx'), 'conf'],
  objectivec: [() => import('highlight.js/lib/languages/objectivec'), 'm'],
  perl: [() => import('highlight.js/lib/languages/perl'), 'pl pm'],
  php: [() => import('highlight.js/lib/languages/php'), 'php'],
  powershell: [() => import('highlight.js/lib/languages/powershell'), 'ps1'],
  protobuf: [() => import('highlight.js/lib/languages/protobuf'), 'proto'],
  python: [() => import('highlight.js/lib/languages/python'), 'py pyi'],
  r: [() => import('highlight.js/lib/languages/r'), 'r'],
  ruby: [() => import('highlight.js/lib/languages/ruby'), 'gemspec rake rb gemfile rakefile'],
  rust: [() => import('highlight.js/lib/languages/rust'), 'rs'],
  scala: [() => import('highlight.js/lib/languages/scala'), 'scala'],
  scss: [() => import('highlight.js/lib/languages/scss'), 'sass scss'],
  sql: [() => import('highlight.js/lib/languages/sql'), 'sql'],
  swift: [() => import('highlight.js/lib/languages/swift'), 'swift'],
  typescript: [() => import('highlight.js/lib/languages/typescript'), 'cts mts ts tsx'],
  xml: [() => import('highlight.js/lib/languages/xml'), 'html plist svelte svg vue xml'],
  yaml: [() => import('highlight.js/lib/languages/yaml'), 'yaml yml'],
} satisfies Record<string, readonly [Grammar, endings: string]>;

type Language = keyof typeof LANGUAGES;

const BY_ENDING = new Map(
  Object.entries(LANGUAGES).flatMap(([language, [, endings]]) =>
    endings.split(' ').map((ending) => [ending, language as Language]),
  ),
);

/** Languages that others hold within them: HTML has scripts and styles. */
const WITHIN: Partial<Record<Language, readonly Language[]>> = {
  xml: ['javascript', 'css'],
  markdown: ['xml', 'javascript', 'css', 'bash', 'json'],
  php: ['xml'],
};

/** The language of a file, by its name; null where there is none that we know. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1)) ?? null;
}

/** Some grammars take long for lines that no person has written. */
const LONGEST_LINE = 2_000;
const LONGEST_TEXT = 1_000_000;

let core: Promise<HLJSApi> | undefined;

/** Loads what colours files of this language. The function takes lines that are safe to show, and gives as many. */
export async function highlighterFor(
  path: string,
): Promise<(lines: readonly string[]) => readonly CodeLine[]> {
  const language = languageOf(path);
  if (language === null) return plainLines;
  core ??= import('highlight.js/lib/core').then((module) => module.default);
  const highlighter = await core;
  await Promise.all(
    [language, ...(WITHIN[language] ?? [])].map(async (name) => {
      if (highlighter.getLanguage(name) !== undefined) return;
      highlighter.registerLanguage(name, (await LANGUAGES[name][0]()).default);
    }),
  );
  return (lines) => {
    const text = lines.join('\n');
    if (text.length > LONGEST_TEXT || lines.some(({ length }) => length > LONGEST_LINE))
      return plainLines(lines);
    const { value } = highlighter.highlight(text, { language, ignoreIllegals: true });
    const coloured = linesIn(value);
    return coloured.length === lines.length ? coloured : plainLines(lines);
  };
}

export function plainLines(lines: readonly string[]): readonly CodeLine[] {
  return lines.map((text) => [{ text, scope: null }]);
}

const PIECE = /<span class="([^"]*)">|(<\/span>)|&(\w+|#x27);|[^<&]+/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#x27': "'",
};

/** From what the highlighter gives: text in spans, which may reach over lines. It never becomes HTML again. */
function linesIn(html: string): CodeLine[] {
  const lines: CodeRun[][] = [[]];
  const scopes: (string | null)[] = [];
  for (const [text, classes, end, entity] of html.matchAll(PIECE)) {
    if (classes !== undefined) scopes.push(scopeOf(classes) ?? scopes.at(-1) ?? null);
    else if (end !== undefined) scopes.pop();
    else {
      const scope = scopes.at(-1) ?? null;
      const parts = (entity === undefined ? text : (ENTITIES[entity] ?? text)).split('\n');
      for (const [i, part] of parts.entries()) {
        if (i > 0) lines.push([]);
        if (part !== '') append(lines.at(-1) ?? [], part, scope);
      }
    }
  }
  return lines;
}

/** An entity is a piece of its own, and mostly within a run of one colour. */
function append(line: CodeRun[], text: string, scope: string | null): void {
  const last = line.at(-1);
  if (last?.scope === scope) line[line.length - 1] = { text: last.text + text, scope };
  else line.push({ text, scope });
}

/** The scopes of each colour, by the first part of a scope's name: `hljs-title function_` is a title. */
const COLOURS = {
  name: 'attr attribute variable',
  type: 'built_in type',
  literal: 'bullet literal number symbol',
  string: 'code regexp string addition link',
  comment: 'comment doctag quote',
  keyword: 'keyword selector-tag',
  meta: 'meta deletion',
  tag: 'name tag',
  title: 'section selector-class selector-id title',
};

const COLOUR_OF = new Map(
  Object.entries(COLOURS).flatMap(([colour, scopes]) =>
    scopes.split(' ').map((scope) => [scope, colour]),
  ),
);

function scopeOf(classes: string): string | undefined {
  const [first = ''] = classes.split(' ');
  return COLOUR_OF.get(first.replace(/^hljs-/, ''));
}
