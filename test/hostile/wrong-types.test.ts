import { describe, expect, it } from 'vitest';
import { openSavepoint } from '../../src/index.ts';
import {
  FileCheckpointMiddleware,
  FileCheckpointService,
} from '../../src/integrations/file-checkpoint/index.ts';
import { hostileBed, refusalOf } from './hostile-bed.ts';

const bed = hostileBed();

/** A method as somebody sees it whose compiler does not know our types. */
type Method = (...args: unknown[]) => unknown;

function call(target: object, name: string, ...args: unknown[]): unknown {
  const method = (target as Record<string, Method>)[name];
  if (method === undefined) throw new Error(`there is no ${name}`);
  return method.apply(target, args);
}

const junk: unknown[] = [
  null,
  5,
  Number.NaN,
  true,
  '',
  'x'.repeat(2000),
  'a\0b',
  '\ud800',
  [],
  [null],
  {},
  Object.create(null),
  { toString: 1 },
  () => 'x',
  Symbol('x'),
  5n,
];
const named = junk.map((value) => [nameOf(value), value] as const);

function nameOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 8));
  if (Array.isArray(value)) return `[${value.map(nameOf)}]`;
  return typeof value === 'object' && value !== null
    ? `object ${Object.keys(value)}`
    : String(value);
}

const session = { sessionId: 's', messageId: 'm' };

/** Each way in, with one argument of the wrong kind: `bad` stands where it goes. */
const entrances: Record<string, (bad: unknown) => unknown> = {
  'checkpoint: sessionId': (bad) => call(bed().savepoint, 'checkpoint', { sessionId: bad }),
  'checkpoint: messageId': (bad) =>
    call(bed().savepoint, 'checkpoint', { sessionId: 's', messageId: bad }),
  'captureBefore: sessionId': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], sessionId: bad }),
  'captureBefore: messageId': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], messageId: bad }),
  'captureBefore: paths': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: bad }),
  'captureBefore: agent': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], agent: bad }),
  'captureBefore: toolCallId': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], toolCallId: bad }),
  'captureBefore: parentSessionId': (bad) =>
    call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], parentSessionId: bad }),
  'endTurn: sessionId': (bad) => call(bed().savepoint, 'endTurn', bad),
  'archiveSession: id': (bad) => call(bed().savepoint, 'archiveSession', bad),
  'planRewind: to': (bad) => call(bed().savepoint, 'planRewind', { to: bad }),
  'planUndo: operationId': (bad) => call(bed().savepoint, 'planUndo', { operationId: bad }),
  'apply: plan': (bad) => call(bed().savepoint, 'apply', bad),
  'resolve: ref': (bad) => call(bed().savepoint, 'resolve', bad),
  'diff: from': (bad) => call(bed().savepoint, 'diff', bad),
  'readBlob: id': (bad) => call(bed().savepoint, 'readBlob', bad),
  'createCheckpoint: sessionId': (bad) => call(service(), 'createCheckpoint', bad, 'm', 'a'),
  'createCheckpoint: messageId': (bad) => call(service(), 'createCheckpoint', 's', bad, 'a'),
  'rewindFiles: sessionId': (bad) => call(service(), 'rewindFiles', bad, 'm'),
  'rewindFiles: messageId': (bad) => call(service(), 'rewindFiles', 's', bad),
  'getCheckpoints: sessionId': (bad) => call(service(), 'getCheckpoints', bad),
  'openSavepoint: project': (bad) => openSavepoint({ project: bad as string, home: bed().home }),
};

function service(): FileCheckpointService {
  return new FileCheckpointService(bed().savepoint);
}

it.each(Object.entries(entrances))(
  '%s of any wrong kind is refused with a typed error, and nothing is recorded',
  async (_name, enter) => {
    const recorded: string[] = [];
    for (const [what, bad] of named) {
      await refusalOf(() => enter(bad), what);
      const { checkpoints, changes, blobs } = await bed().savepoint.stats();
      if (checkpoints + changes + blobs > 0) recorded.push(what);
    }
    expect(recorded).toEqual([]);
  },
);

const mixed: [what: string, enter: () => unknown][] = [
  ['checkpoint(null)', () => call(bed().savepoint, 'checkpoint', null)],
  ['checkpoint([])', () => call(bed().savepoint, 'checkpoint', [])],
  ['checkpoint: description', () => call(bed().savepoint, 'checkpoint', { description: 5 })],
  ['checkpoint: label', () => call(bed().savepoint, 'checkpoint', { label: {} })],
  ['captureBefore()', () => call(bed().savepoint, 'captureBefore')],
  [
    'captureBefore: no path',
    () => call(bed().savepoint, 'captureBefore', { ...session, paths: [] }),
  ],
  [
    'captureBefore: a path of the wrong kind',
    () => call(bed().savepoint, 'captureBefore', { ...session, paths: ['a', { b: 1 }] }),
  ],
  [
    'captureBefore: maxFileSize',
    () => call(bed().savepoint, 'captureBefore', { ...session, paths: ['a'], maxFileSize: -1 }),
  ],
  ['captureAfter(null)', () => call(bed().savepoint, 'captureAfter', null)],
  ['captureAfter({})', () => call(bed().savepoint, 'captureAfter', {})],
  [
    'captureAfter: a change',
    () => call(bed().savepoint, 'captureAfter', { changes: [{ seq: 1 }] }),
  ],
  ['planRewind()', () => call(bed().savepoint, 'planRewind')],
  ['planRewind: take', () => call(bed().savepoint, 'planRewind', { to: 'latest', take: 'all' })],
  [
    'planRewind: onConflict',
    () => call(bed().savepoint, 'planRewind', { to: 'latest', onConflict: 'overwrite' }),
  ],
  ['planRewind: paths', () => call(bed().savepoint, 'planRewind', { to: 'latest', paths: 'a' })],
  ['planRewind: force', () => call(bed().savepoint, 'planRewind', { to: 'latest', force: 'yes' })],
  [
    'planRewind: includeShared',
    () => call(bed().savepoint, 'planRewind', { to: 'latest', includeShared: 1 }),
  ],
  ['rewind(null)', () => call(bed().savepoint, 'rewind', null)],
  ['undo(null)', () => call(bed().savepoint, 'undo', null)],
  ['undo: onConflict', () => call(bed().savepoint, 'undo', { onConflict: 1 })],
  ['redo(5)', () => call(bed().savepoint, 'redo', 5)],
  ['list(null)', () => call(bed().savepoint, 'list', null)],
  ['list: sessionIds', () => call(bed().savepoint, 'list', { sessionIds: 's' })],
  ['list: limit', () => call(bed().savepoint, 'list', { limit: '1; DROP TABLE changes' })],
  ['list: kinds', () => call(bed().savepoint, 'list', { kinds: [{}] })],
  ['list: since', () => call(bed().savepoint, 'list', { since: 'yesterday' })],
  ['list: path', () => call(bed().savepoint, 'list', { path: 5 })],
  ['list: labelled', () => call(bed().savepoint, 'list', { labelled: 'yes' })],
  ['label()', () => call(bed().savepoint, 'label')],
  ['label: text', () => call(bed().savepoint, 'label', 'latest', 5)],
  ['inspect()', () => call(bed().savepoint, 'inspect')],
  ['resolveSession(5)', () => call(bed().savepoint, 'resolveSession', 5)],
  ['summarize(null)', () => call(bed().savepoint, 'summarize', null)],
  ['summarize([null])', () => call(bed().savepoint, 'summarize', [null])],
  ['countLines(null)', () => call(bed().savepoint, 'countLines', null)],
  ['countLines: budget', () => call(bed().savepoint, 'countLines', [], { reads: 'many' })],
  ['uniqueLengths([5])', () => call(bed().savepoint, 'uniqueLengths', [5])],
  ['changes(null)', () => call(bed().savepoint, 'changes', null)],
  ['changes: paths', () => call(bed().savepoint, 'changes', { paths: [5] })],
  ['operations', () => call(bed().savepoint, 'operations', {})],
  ['diff: to', () => call(bed().savepoint, 'diff', 'latest', 5)],
  ['diff: paths', () => call(bed().savepoint, 'diff', 'latest', undefined, 'a')],
  ['cleanup(null)', () => call(bed().savepoint, 'cleanup', null)],
  ['cleanup: days', () => call(bed().savepoint, 'cleanup', { retentionDays: -1 })],
  [
    'cleanup: number',
    () => call(bed().savepoint, 'cleanup', { maxCheckpointsPerSession: Number.NaN }),
  ],
  ['cleanup: budget', () => call(bed().savepoint, 'cleanup', {}, 'long')],
  ['evict(null)', () => call(bed().savepoint, 'evict', null)],
  ['evict: ids', () => call(bed().savepoint, 'evict', [null])],
  ['createCheckpoint: filePath', () => call(service(), 'createCheckpoint', 's', 'm', { a: 1 })],
  ['createCheckpoint: no path', () => call(service(), 'createCheckpoint', 's', 'm')],
  ['captureAfter of the service', () => call(service(), 'captureAfter', 5)],
  [
    'a limit of rows that is no number',
    () => new FileCheckpointService(bed().savepoint, { maxCheckpointsPerSession: Number.NaN }),
  ],
  [
    'a limit of size below zero',
    () => new FileCheckpointService(bed().savepoint, { maxFileSize: -1 }),
  ],
  ['openSavepoint: home', () => openSavepoint({ project: bed().root, home: 5 as never })],
  ['openSavepoint: no store', () => openSavepoint({ project: bed().root })],
  ['openSavepoint(null)', () => openSavepoint(null as never)],
];

describe('a call with arguments of the wrong kind', () => {
  it.each(mixed)('is refused with a typed error: %s', async (_what, enter) => {
    await bed().savepoint.checkpoint({});
    await refusalOf(enter);
    expect(await bed().savepoint.stats()).toMatchObject({ checkpoints: 1, changes: 0 });
  });

  it('to clean up by a rule that is undefined keeps what the default keeps', async () => {
    await bed().savepoint.checkpoint({ sessionId: 's', messageId: 'm' });
    const rules = { maxCheckpointsPerSession: undefined, retentionDays: undefined };
    await call(bed().savepoint, 'cleanup', rules);
    expect(await bed().savepoint.list()).toHaveLength(1);
  });

  it('to a service whose limits are undefined leaves them at their defaults', async () => {
    const options = { maxFileSize: undefined, maxCheckpointsPerSession: undefined };
    const lenient = new FileCheckpointService(bed().savepoint, options as never);
    bed().put('large', 'x'.repeat(1024 * 1024 + 1));
    expect(await lenient.createCheckpoint('s', 'm', 'large')).toBeNull();
  });
});

describe('a wrapped tool', () => {
  const tools: [what: string, tool: unknown, params: unknown][] = [
    ['no tool', null, {}],
    ['a tool without a name', {}, {}],
    ['a tool whose name is no text', { name: {} }, {}],
    ['no parameters', { name: 'write_file' }, null],
    ['parameters that are text', { name: 'write_file' }, 'a'],
    ['parameters that are a list', { name: 'write_file' }, ['a']],
    [
      'a path from JSON that sets __proto__',
      { name: 'write_file' },
      JSON.parse('{"__proto__":{"path":"a"}}'),
    ],
    ['a tool named after a built-in', { name: 'constructor' }, { path: 'a' }],
    ['a tool named __proto__', { name: '__proto__' }, { path: 'a' }],
  ];
  it.each(tools)('runs all the same: %s', async (_what, tool, params) => {
    const current = { sessionId: 's', messageId: 'm' };
    const options = { service: service(), getCurrentSession: () => current };
    const run = new FileCheckpointMiddleware(options).wrap(async (...args: unknown[]) => args[1]);
    expect(await call({ run }, 'run', tool, params, null)).toBe(params);
    expect(await bed().savepoint.list()).toEqual([]);
  });
});
