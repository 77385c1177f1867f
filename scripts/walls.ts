/**
 * Which room of `src/` may import from which. A room that is not listed for another is behind a wall.
 * Rooms may always import from themselves.
 */
export const WALLS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  plan: ['model'],
  // What loads the input of a plan; everything else in `plan/` is pure.
  'plan/load': ['model', 'store', 'fs', 'capture', 'timeline', 'plan'],
  // The files of people: the only room that opens, reads, writes, syncs, links and renames them.
  // The name of content is its hash, which one file of the store says.
  fs: ['model', 'store/blob'],
  'store/parts': ['model'],
  // Its lock and its durable files are those of the store.
  'store/documents': ['model', 'fs', 'store', 'store/parts', 'store/sqlite'],
  'store/sqlite': ['model', 'fs', 'store', 'store/parts'],
  // What belongs to this machine, a lock and a file, is as that of a store in a folder.
  'store/postgres': ['model', 'fs', 'store', 'store/parts', 'store/documents', 'store/sqlite'],
  store: ['model', 'store/parts'],
  capture: ['model', 'store', 'fs'],
  timeline: ['model', 'store', 'fs', 'capture', 'plan'],
  restore: ['model', 'store', 'fs', 'capture', 'timeline', 'plan', 'plan/load'],
  transfer: ['model', 'store', 'store/parts', 'fs', 'capture', 'timeline'],
  execution: [
    'model',
    'store',
    'store/parts',
    'store/documents',
    'fs',
    'capture',
    'timeline',
    'plan',
    'plan/load',
    'restore',
  ],
  // The public API: names, and nothing of a terminal, a page or an agent.
  '.': [
    'engine',
    'model',
    'store',
    'store/sqlite',
    'store/parts',
    'store/documents',
    'fs',
    'capture',
    'timeline',
    'plan',
    'plan/load',
    'restore',
    'transfer',
    'execution',
  ],
  // The acts; it opens the default store.
  engine: [
    'model',
    'fs',
    'plan/load',
    'store',
    'store/sqlite',
    'store/parts',
    'store/documents',
    'capture',
    'timeline',
    'plan',
    'restore',
    'transfer',
    'execution',
  ],
  // A model as agents reach one; it knows nothing of files.
  'messages-server': [],
  testing: ['index', 'model', 'store', 'store/parts', 'store/documents', 'messages-server'],
  // `check` is `model/check.ts` alone: the one way to check values from outside.
  integrations: ['index', 'check'],
  // The files in which agents are set up, and the events that they send, in the engine's terms.
  agents: ['index', 'check', 'fs', 'config'],
  // How things are said at a terminal, whoever says them.
  terminal: ['index', 'fs'],
  replica: [
    'index',
    'check',
    'fs',
    'execution/index',
    'integrations/index',
    'config',
    'terminal',
    'messages-server',
  ],
  // The files and variables that people set things in, in the engine's terms.
  config: ['index', 'check', 'fs', 'store/postgres/index', 'server-url'],
  // It starts the interactive agent, and knows nothing else of it.
  cli: [
    'index',
    'check',
    'fs',
    'execution/index',
    'integrations/index',
    'agents',
    'config',
    'terminal',
    'replica/index',
    'web/index',
  ],
  // In a browser: nothing of the engine, or all of it would be loaded.
  // A diff has the same lines there as everywhere.
  'web/page': ['display', 'line-diff', 'web/api'],
  // The server of the page. It answers in the shapes of `--json`.
  web: ['index', 'check', 'fs', 'execution/index', 'display', 'json', 'terminal'],
};

const PLAN_LOADERS: readonly string[] = [
  'plan/make-plan.ts',
  'plan/load-input.ts',
  'plan/notes.ts',
];

/**
 * Files and folders of `src/` that may import `node:fs`. Everybody else opens, reads, writes and renames
 * through `fs/`, so that what guards people's files stands in one place.
 */
export const MAY_IMPORT_NODE_FS: readonly string[] = [
  'fs/',
  // Its own files, which nobody else writes.
  'store/',
  // Git's packs and index: read by offsets, linked and cloned, never written.
  'capture/git/',
  // The calls of a scan, made for each entry, and its index, which is read into shared memory.
  'capture/scan/file-system.ts',
  'capture/scan/kept-index.ts',
  // Appends to a log.
  'replica/file-logger.ts',
  'agents/hook-log.ts',
  // They play in temporary folders of their own.
  'cli/demo/',
  'replica/stage.ts',
  'testing/',
];

/** Rooms that may import no package and no module of Node's either. */
export const PURE_ROOMS: readonly string[] = ['model', 'plan'];

export interface Breach {
  readonly file: string;
  readonly specifier: string;
  readonly reason: string;
}

// Not in quotes: 'import' is also a word of ours.
const SPECIFIER = /(?<!['"])\b(?:from\s*|import\s*\(?\s*)(['"])([^'"]+)\1/g;

/** The imports of one file of `src/` (its path relative to there) that go through a wall. */
export function breachesIn(file: string, source: string): Breach[] {
  // A test beside the code may bring what it needs: a runner, a suite, another room's parts.
  if (file.endsWith('.test.ts')) return [];
  const room = roomOf(file);
  return [...source.matchAll(SPECIFIER)].flatMap(([, , specifier]) => {
    const reason = refusal(room, file, specifier ?? '');
    return reason === null ? [] : [{ file, specifier: specifier ?? '', reason }];
  });
}

function refusal(room: string, file: string, specifier: string): string | null {
  if (/^node:fs(\/|$)/.test(specifier) && !mayImportNodeFs(file)) {
    return `${file} reaches files through src/fs`;
  }
  if (!specifier.startsWith('.')) {
    return PURE_ROOMS.includes(room) ? `${room} imports no package` : null;
  }
  const target = resolveFrom(file, specifier);
  if (target.startsWith('..')) return 'src imports nothing from outside of it';
  if (room === roomOf(target)) return null;
  return doors(target).some((door) => WALLS[room]?.includes(door))
    ? null
    : `${room} may not import ${target}`;
}

function mayImportNodeFs(file: string): boolean {
  return MAY_IMPORT_NODE_FS.some((one) =>
    one.endsWith('/') ? file.startsWith(one) : file === one,
  );
}

/** The names under which a wall may let a file through. */
function doors(target: string): string[] {
  if (target === 'index.ts') return ['index', '.'];
  if (target === 'store/blob.ts') return ['store', 'store/blob'];
  if (target === 'store/postgres/server-url.ts') return ['store/postgres', 'server-url'];
  if (target === 'model/check.ts') return ['model', 'check'];
  if (target === 'model/display.ts') return ['model', 'display'];
  if (target === 'plan/line-diff.ts' || target === 'plan/unified-diff.ts')
    return ['plan', 'line-diff'];
  if (target === 'web/api.ts') return ['web', 'web/api'];
  if (target === 'cli/json.ts' || target === 'cli/json-shapes.ts') return ['cli', 'json'];
  const room = roomOf(target);
  const isEntry =
    /^(integrations\/[^/]+|replica|execution|store\/postgres|web\/server)\/index\.ts$/.test(target);
  return isEntry ? [room, `${room}/index`] : [room];
}

export function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (!file.includes('/')) return '.';
  if (PLAN_LOADERS.includes(file)) return 'plan/load';
  if (file.startsWith('web/page/')) return 'web/page';
  return first === 'store' && second.includes('.') === false ? `store/${second}` : first;
}

function resolveFrom(file: string, specifier: string): string {
  const parts = file.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.length === 0 ? parts.push('..') : parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
