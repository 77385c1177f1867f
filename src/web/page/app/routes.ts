const EXECUTION_KINDS = ['steps', 'checkpoints'] as const;
type ExecutionKind = (typeof EXECUTION_KINDS)[number];
const REWIND_EXTENTS = ['since', 'message', 'exact'] as const;
export type RewindExtent = (typeof REWIND_EXTENTS)[number];

interface InProject {
  project: string;
}

/** The places of the page, with what names each. Each has a link that works in another tab of this machine. */
interface Places {
  home: object;
  timeline: InProject & { filter?: string };
  checkpoint: InProject & { id: string };
  file: InProject & { path: string; line?: number };
  /**
   * The plan of a rewind to before a checkpoint; of these files alone if they are given. `take`: as in the API, and
   * `since` where it is left out.
   */
  rewind: InProject & { id: string; take?: RewindExtent; paths?: readonly string[] };
  /** The plan that takes back an operation; the last one if none is named. */
  undo: InProject & { operation?: string };
  executions: InProject & { execution?: { readonly kind: ExecutionKind; readonly id: string } };
  store: Partial<InProject>;
  unknown: { at: string };
}

export type RouteOf<View extends keyof Places> = Readonly<{ view: View } & Places[View]>;

export type Route = { [View in keyof Places]: RouteOf<View> }[keyof Places];

/**
 * The link of a place. It stands behind `#`, so that the server serves one document and never sees the names of
 * files in its addresses.
 */
export function linkTo(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'timeline':
      return link(['p', route.project], { q: route.filter });
    case 'checkpoint':
      return link(['p', route.project, 'c', route.id]);
    case 'file':
      return link(['p', route.project, 'file', ...route.path.split('/')], { line: route.line });
    case 'rewind':
      return link(['p', route.project, 'rewind', route.id], {
        take: route.take,
        path: route.paths,
      });
    case 'undo':
      return link(['p', route.project, 'undo', route.operation]);
    case 'executions':
      return link(['p', route.project, 'executions', route.execution?.kind, route.execution?.id]);
    case 'store':
      return link(['store', route.project]);
    case 'unknown':
      return route.at;
  }
}

/** The place that a link names. A link that somebody mistyped leads to `unknown`. */
export function routeOf(hash: string): Route {
  const unknown: Route = { view: 'unknown', at: hash };
  const [place = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const query = new URLSearchParams(search);
  const parts = place === '' ? [] : place.split('/').map(decodePart);
  if (parts.some((part) => part === null)) return unknown;
  const [root, project, view, id, ...rest] = parts as string[];
  if (root === undefined) return { view: 'home' };
  if (root === 'store' && view === undefined) return { view: 'store', ...given({ project }) };
  if (root !== 'p' || project === undefined || project === '') return unknown;
  if (view === undefined) {
    return { view: 'timeline', project, ...given({ filter: query.get('q') ?? undefined }) };
  }
  if (view === 'file' && id !== undefined) {
    const line = Number.parseInt(query.get('line') ?? '', 10);
    const path = [id, ...rest].join('/');
    return { view, project, path, ...(line > 0 ? { line } : {}) };
  }
  if (view === 'executions') {
    const kind = EXECUTION_KINDS.find((one) => one === id);
    if (id === undefined) return { view, project };
    if (kind === undefined || rest.length === 0) return unknown;
    return { view, project, execution: { kind, id: rest.join('/') } };
  }
  if (rest.length > 0) return unknown;
  if (view === 'c' && id !== undefined) return { view: 'checkpoint', project, id };
  if (view === 'rewind' && id !== undefined) {
    const paths = query.getAll('path').map((path) => decodePart(path) ?? path);
    const take = REWIND_EXTENTS.find((one) => one === query.get('take'));
    return { view, project, id, ...given({ take }), ...(paths.length > 0 ? { paths } : {}) };
  }
  if (view === 'undo') return { view, project, ...given({ operation: id }) };
  return unknown;
}

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Of the parts and values that are given. Those of a list may be names of files. */
function link(parts: readonly (string | undefined)[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value = []] of Object.entries(query)) {
    if (typeof value !== 'object') search.set(name, String(value));
    else for (const one of value) search.append(name, encodePart(one));
  }
  const place = parts.filter((part) => part !== undefined).map(encodePart);
  return `#/${place.join('/')}${search.size === 0 ? '' : `?${search}`}`;
}

// Names of files need not be UTF-8: such bytes are lone surrogates, which no URL can hold.
const UNLINKABLE = /~|\p{Surrogate}/gu;

function encodePart(part: string): string {
  const linkable = part.replace(
    UNLINKABLE,
    (sign) => `~${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return encodeURIComponent(linkable);
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part).replace(/~([0-9a-f]{4})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  } catch {
    return null;
  }
}

/** Without the fields that are undefined: `exactOptionalPropertyTypes` tells them apart. */
function given<T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as never;
}
