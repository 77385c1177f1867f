import type { HLJSApi, LanguageFn } from 'highlight.js';

/** A piece of a line in one colour; `scope` is the name of a CSS class behind `hl-`. */
export interface CodeRun {
  readonly text: string;
  readonly scope: string | null;
}

export type CodeLine = readonly CodeRun[];

type Grammar = () => Promise<{ readonly default: LanguageFn }>;

/** Each grammar is a file of its own, which is loaded with the first file in that language. */
const GRAMMARS = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  less: () => import('highlight.js/lib/languages/less'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
} satisfies Record<string, Grammar>;

type Language = keyof typeof GRAMMARS;

const ENDINGS: Readonly<Record<string, Language>> = {
  bash: 'bash',
  sh: 'bash',
  zsh: 'bash',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  hh: 'cpp',
  cs: 'csharp',
  css: 'css',
  dart: 'dart',
  diff: 'diff',
  patch: 'diff',
  dockerfile: 'dockerfile',
  ex: 'elixir',
  exs: 'elixir',
  go: 'go',
  graphql: 'graphql',
  gql: 'graphql',
  hs: 'haskell',
  cfg: 'ini',
  conf: 'nginx',
  editorconfig: 'ini',
  ini: 'ini',
  toml: 'ini',
  java: 'java',
  cjs: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  json: 'json',
  jsonc: 'json',
  webmanifest: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  less: 'less',
  lua: 'lua',
  makefile: 'makefile',
  mk: 'makefile',
  markdown: 'markdown',
  md: 'markdown',
  mdx: 'markdown',
  m: 'objectivec',
  pl: 'perl',
  pm: 'perl',
  php: 'php',
  ps1: 'powershell',
  proto: 'protobuf',
  py: 'python',
  pyi: 'python',
  r: 'r',
  gemspec: 'ruby',
  rake: 'ruby',
  rb: 'ruby',
  gemfile: 'ruby',
  rakefile: 'ruby',
  rs: 'rust',
  scala: 'scala',
  sass: 'scss',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  cts: 'typescript',
  mts: 'typescript',
  ts: 'typescript',
  tsx: 'typescript',
  html: 'xml',
  plist: 'xml',
  svelte: 'xml',
  svg: 'xml',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Languages that others hold within them: HTML has scripts and styles. */
const WITHIN: Partial<Record<Language, readonly Language[]>> = {
  xml: ['javascript', 'css'],
  markdown: ['xml', 'javascript', 'css', 'bash', 'json'],
  php: ['xml'],
};

/** The language of a file, by its name; null where there is none that we know. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return Object.hasOwn(ENDINGS, ending) ? (ENDINGS[ending] ?? null) : null;
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
      highlighter.registerLanguage(name, (await GRAMMARS[name]()).default);
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

// By the first part of a scope's name: `hljs-title function_` is a title.
const COLOURS: Readonly<Record<string, string>> = {
  attr: 'name',
  attribute: 'name',
  built_in: 'type',
  bullet: 'literal',
  code: 'string',
  comment: 'comment',
  doctag: 'comment',
  keyword: 'keyword',
  literal: 'literal',
  meta: 'meta',
  name: 'tag',
  number: 'literal',
  quote: 'comment',
  regexp: 'string',
  section: 'title',
  'selector-class': 'title',
  'selector-id': 'title',
  'selector-tag': 'keyword',
  string: 'string',
  symbol: 'literal',
  tag: 'tag',
  title: 'title',
  type: 'type',
  variable: 'name',
  addition: 'string',
  deletion: 'meta',
  link: 'string',
};

function scopeOf(classes: string): string | undefined {
  const [first = ''] = classes.split(' ');
  return COLOURS[first.replace(/^hljs-/, '')];
}
