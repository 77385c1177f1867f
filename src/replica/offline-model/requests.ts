/** One thing that the demonstration model was asked to do. */
export type PlainRequest =
  | { readonly kind: 'write'; readonly file: string; readonly text: string }
  | { readonly kind: 'append'; readonly file: string; readonly text: string }
  | { readonly kind: 'replace'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'delete'; readonly file: string }
  | { readonly kind: 'read'; readonly file: string }
  | { readonly kind: 'todo'; readonly items: readonly string[] }
  | { readonly kind: 'unknown'; readonly text: string };

/**
 * The requests in a prompt: a line each, or joined by `then`. A line that is none goes on with the text of
 * the line before, where that writes one, so that a text may have several lines.
 */
export function plainRequests(prompt: string): PlainRequest[] {
  const requests: PlainRequest[] = [];
  let blank = '';
  for (const line of prompt.split(/\r?\n/)) {
    if (line.trim() === '') {
      blank += '\n';
      continue;
    }
    const [head, ...others] = line.split(THEN).map(requestIn);
    const before = requests.at(-1);
    if (head?.kind === 'unknown' && before !== undefined && isText(before)) {
      // Of `write FILE:` alone the text begins on the next line.
      const text = before.text === '' ? line : `${before.text}\n${blank}${line}`;
      requests.splice(-1, 1, { ...before, text });
    } else if (head !== undefined) requests.push(head, ...others);
    blank = '';
  }
  return requests;
}

function requestIn(text: string): PlainRequest {
  const asked = text.trim().replace(/^please\s+/i, '');
  for (const [pattern, request] of PATTERNS) {
    const groups = pattern.exec(asked)?.groups;
    if (groups !== undefined) return request(groups);
  }
  return { kind: 'unknown', text: asked };
}

type Groups = Readonly<Record<string, string>>;

const VERBS = '(?:please\\s+)?(?:write|create|append|add|replace|run|delete|remove|read|show|todo)';
/** Only before something that can be a request: a text may hold the word. */
const THEN = new RegExp(`\\s*[,;.]?\\s+(?:and\\s+)?then\\s+(?=${VERBS}[\\s:：])`, 'i');

// The first colon with a space after it ends a name, because names may hold colons; else the first colon.
const COLON = '\\s*(?::(?=\\s|$)|：)';
const REST = '(?<rest>[\\s\\S]*)';

const PATTERNS: readonly (readonly [RegExp, (groups: Groups) => PlainRequest])[] = [
  ...withText('write', 'write|create'),
  ...withText('append', 'append|add'),
  [
    /^replace\s+(?<from>"[^"]+"|'[^']+'|.+?)\s+with\s+(?<to>"[^"]*"|'[^']*'|.*)\s+in\s+(?<file>\S.*)$/i,
    ({ file = '', from = '', to = '' }) => ({
      kind: 'replace',
      file: unquoted(file),
      from: unescaped(unquoted(from)),
      to: unescaped(unquoted(to)),
    }),
  ],
  [/^run(?:\s*[:：]\s*|\s+)(?<command>\S.*)$/i, ({ command = '' }) => ({ kind: 'run', command })],
  ofFile('delete', /^(?:delete|remove)(?:\s*[:：]\s*|\s+)(?<file>\S.*)$/i),
  ofFile('read', /^(?:read|show)(?:\s*[:：]\s*|\s+)(?<file>\S.*)$/i),
  [
    /^todo\s*[:：]\s*(?<items>\S.*)$/i,
    ({ items = '' }) => ({ kind: 'todo', items: items.split(/\s*[,，、]\s*/).filter(Boolean) }),
  ],
];

function ofFile(kind: 'delete' | 'read', pattern: RegExp): (typeof PATTERNS)[number] {
  return [pattern, ({ file = '' }) => ({ kind, file: unquoted(file) })];
}

function withText(kind: 'write' | 'append', verbs: string): typeof PATTERNS {
  const request = ({ file = '', rest = '' }: Groups): PlainRequest => {
    return { kind, file: unquoted(file), text: unescaped(rest) };
  };
  const name = `^(?:${verbs})\\s+(?<file>"[^"]+"|'[^']+'|.+?)`;
  return [
    [new RegExp(`${name}${COLON}\\s?${REST}$`, 'i'), request],
    [new RegExp(`${name}\\s*:${REST}$`, 'i'), request],
  ];
}

function isText(
  request: PlainRequest,
): request is Extract<PlainRequest, { kind: 'write' | 'append' }> {
  return request.kind === 'write' || request.kind === 'append';
}

function unquoted(text: string): string {
  const [, , inner] = /^(["'`])(.*)\1$/.exec(text.trim()) ?? [];
  return inner ?? text.trim();
}

/** At a prompt of one line there is no other way to say a newline. */
function unescaped(text: string): string {
  return text.replace(/\\([nt\\])/g, (_whole, sign: string) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };
