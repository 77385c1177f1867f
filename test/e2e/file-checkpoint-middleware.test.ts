import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CaptureFailure,
  type CurrentMessage,
  FILE_WRITE_TOOLS,
  FileCheckpointMiddleware,
  FileCheckpointService,
  type ToolNotice,
} from '../../src/integrations/file-checkpoint/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let service: FileCheckpointService;
let current: CurrentMessage | null;
let told: CaptureFailure[];

beforeEach(async () => {
  bed = await makeBed();
  service = new FileCheckpointService(bed.savepoint);
  current = { sessionId: 's1', messageId: 'm1' };
  told = [];
});
afterEach(() => bed.remove());

type Params = Record<string, unknown>;

/** A tool executor as agents have it: the named tool gets its parameters and does its work. */
function wrapped(
  work: (params: Params) => string | Promise<string>,
  more: { tools?: string[]; getCurrentSession?: () => CurrentMessage | null } = {},
): { run: (tool: string, params: Params) => Promise<string>; failures: CaptureFailure[] } {
  const middleware = new FileCheckpointMiddleware({
    service,
    getCurrentSession: () => current,
    onCaptureFailure: (failure) => told.push(failure),
    ...more,
  });
  const executor = middleware.wrap(async (_tool: { name: string }, params: Params) => work(params));
  const run = (name: string, params: Params) => executor({ name }, params);
  return { run, failures: middleware.failures };
}

function writer(path: string, content = 'after'): () => string {
  return () => {
    bed.put(path, content);
    return 'done';
  };
}

describe('wrap', () => {
  it('knows the tools that agents commonly have', () => {
    const claude = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
    expect(FILE_WRITE_TOOLS).toEqual(['write_file', 'edit_file', ...claude]);
  });

  it.each(FILE_WRITE_TOOLS)(
    'records what %s is about to write, and what it wrote',
    async (tool) => {
      bed.put('file', 'before');
      const { run } = wrapped(writer('file'));
      expect(await run(tool, { file_path: bed.at('file') })).toBe('done');
      expect(await service.getCheckpoints('s1')).toMatchObject([{ originalContent: 'before' }]);
      const [change] = await bed.savepoint.changes({});
      expect(change?.after).toMatchObject({ kind: 'captured', size: 5 });
      await service.rewindFiles('s1', 'm1');
      expect(bed.text('file')).toBe('before');
    },
  );

  it.each(['file_path', 'path', 'filePath', 'notebook_path'])(
    'finds the path in %s',
    async (name) => {
      const { run } = wrapped(writer('file'));
      await run('write_file', { [name]: bed.at('file') });
      expect(await service.getCheckpoints('s1')).toMatchObject([{ filePath: bed.at('file') }]);
    },
  );

  it('takes file_path where both are named, and path where file_path is missing', async () => {
    const { run } = wrapped(writer('file'));
    await run('write_file', { path: bed.at('other'), file_path: bed.at('file') });
    expect(await service.getCheckpoints('s1')).toMatchObject([{ filePath: bed.at('file') }]);
    await run('edit_file', { path: bed.at('other') });
    expect(await service.getCheckpoints('s1')).toMatchObject([
      { filePath: bed.at('file') },
      { filePath: bed.at('other') },
    ]);
  });

  it('takes the first of several, and skips those that are no text', async () => {
    const { run } = wrapped(writer('file'));
    await run('write_file', {
      file_path: 5,
      path: '',
      filePath: bed.at('file'),
      notebook_path: 'no',
    });
    expect(await service.getCheckpoints('s1')).toMatchObject([{ filePath: bed.at('file') }]);
  });

  it('leaves other tools alone', async () => {
    const { run, failures } = wrapped(writer('file'));
    await run('read_file', { file_path: bed.at('file') });
    expect(await bed.savepoint.list()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('can be told which tools write', async () => {
    const { run } = wrapped(writer('file'), { tools: ['NotebookEdit'] });
    await run('write_file', { file_path: bed.at('file') });
    expect(await bed.savepoint.list()).toEqual([]);
    await run('NotebookEdit', { notebook_path: bed.at('file') });
    expect(await bed.savepoint.list()).toHaveLength(1);
  });

  it('records nothing while no session runs', async () => {
    current = null;
    const { run, failures } = wrapped(writer('file'));
    await run('write_file', { file_path: bed.at('file') });
    expect(await bed.savepoint.list()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('passes tool, parameters and context on as they are', async () => {
    const middleware = new FileCheckpointMiddleware({ service, getCurrentSession: () => current });
    const tool = { name: 'write_file', extra: 1 };
    const params = { file_path: bed.at('file') };
    const context = { signal: 'x' };
    const seen = await middleware.wrap(async (...args: unknown[]) => args)(tool, params, context);
    expect(seen[0]).toBe(tool);
    expect(seen[1]).toBe(params);
    expect(seen[2]).toBe(context);
  });

  it('describes the message by what the user said', async () => {
    current = { sessionId: 's1', messageId: 'm1', description: 'Clean up a little.' };
    await wrapped(writer('file')).run('write_file', { path: bed.at('file') });
    expect(await bed.savepoint.list()).toMatchObject([{ description: 'Clean up a little.' }]);
  });

  it('records the file although what the user said is no text', async () => {
    current = { sessionId: 's1', messageId: 'm1', description: null as unknown as string };
    await wrapped(writer('file')).run('write_file', { path: bed.at('file') });
    expect(await bed.savepoint.list()).toMatchObject([{ description: 'message m1' }]);
  });

  it('keeps the session busy while the tool runs', async () => {
    bed.put('file', 'before');
    const { run } = wrapped(async () => {
      const result = await service.rewindFiles('s1', 'm1');
      expect(result.errors).toMatchObject([{ error: expect.stringContaining('session-busy') }]);
      return 'done';
    });
    expect(await run('write_file', { path: bed.at('file') })).toBe('done');
    expect((await service.rewindFiles('s1', 'm1')).success).toBe(true);
  });
});

type AnyExecutor = (...args: unknown[]) => Promise<string>;

describe('an executor may be called', () => {
  const shapes: [how: string, args: () => unknown[]][] = [
    ['with a name and parameters', () => ['write_file', { path: bed.at('file') }]],
    ['with a tool and parameters', () => [{ name: 'write_file' }, { path: bed.at('file') }]],
    [
      'with a tool that describes its parameters',
      () => [
        { name: 'write_file', params: { path: { type: 'string' } } },
        { path: bed.at('file') },
      ],
    ],
    ['with parameters as JSON', () => ['write_file', JSON.stringify({ path: bed.at('file') })]],
    ...['input', 'arguments', 'params'].map((place): [string, () => unknown[]] => [
      `with one call that has its parameters in "${place}"`,
      () => [{ name: 'write_file', [place]: { path: bed.at('file') } }],
    ]),
    [
      'with one call and something about the surroundings',
      () => [{ name: 'Write', input: { file_path: bed.at('file') } }, { path: '/elsewhere' }],
    ],
    [
      'with one call whose parameters are JSON',
      () => [{ name: 'write_file', arguments: JSON.stringify({ path: bed.at('file') }) }],
    ],
  ];
  it.each(shapes)('%s', async (_how, args) => {
    bed.put('file', 'before');
    const middleware = new FileCheckpointMiddleware({ service, getCurrentSession: () => current });
    const given = args();
    const run = middleware.wrap(async (...seen: unknown[]) => {
      expect(seen).toEqual(given);
      bed.put('file', 'after');
      return 'done';
    }) as AnyExecutor;
    expect(await run(...given)).toBe('done');
    expect(middleware.failures).toEqual([]);
    expect(await service.getCheckpoints('s1')).toMatchObject([
      { filePath: bed.at('file'), originalContent: 'before' },
    ]);
  });

  const nameless: [what: string, tool: unknown][] = [
    ['no tool', undefined],
    ['a tool without a name', { tool: 'write_file' }],
    ['a tool whose name is no text', { name: 5 }],
    ['a tool whose name is empty', ''],
    [
      'a tool that throws when it is looked at',
      {
        get name(): string {
          throw new Error('trap');
        },
      },
    ],
  ];
  it.each(nameless)('with %s, and that does not pass unseen', async (_what, tool) => {
    const onCaptureFailure = (failure: CaptureFailure) => told.push(failure);
    const options = { service, getCurrentSession: () => current, onCaptureFailure };
    const middleware = new FileCheckpointMiddleware(options);
    const run = middleware.wrap(async () => 'done') as AnyExecutor;
    expect(await run(tool, { path: bed.at('file') })).toBe('done');
    expect(told).toMatchObject([{ tool: '(no name)', error: { code: 'argument-invalid' } }]);
    expect(middleware.failures).toEqual(told);
  });
});

describe('a tool that is not listed', () => {
  it('is noticed once when it names a file, and is no failure', async () => {
    const heard: ToolNotice[] = [];
    const middleware = new FileCheckpointMiddleware({
      service,
      getCurrentSession: () => current,
      onNotice: (notice) => {
        heard.push(notice);
        throw new Error('a bad listener');
      },
    });
    const run = middleware.wrap(async (_tool: string, _params: Params) => 'done');
    for (const path of ['a', 'b']) expect(await run('create_file', { path })).toBe('done');
    await run('think', { thought: 'hm' });
    await run('write_file', { path: bed.at('file') });
    expect(middleware.notices).toEqual([{ tool: 'create_file', filePath: 'a' }]);
    expect(heard).toEqual(middleware.notices);
    expect(middleware.failures).toEqual([]);
  });

  it('cannot fill the memory, whatever names a model makes up', async () => {
    const middleware = new FileCheckpointMiddleware({ service, getCurrentSession: () => current });
    const run = middleware.wrap(async (_tool: string, _params: Params) => 'done');
    for (let i = 0; i < 150; i += 1) await run(`tool ${i}`, { path: 'a' });
    expect(middleware.notices).toHaveLength(100);
  });
});

describe("a tool's own error", () => {
  it('passes through as it is, and what the tool did until then is recorded', async () => {
    bed.put('file', 'before');
    const own = new Error('the tool failed');
    const { run, failures } = wrapped(() => {
      bed.put('file', 'half');
      throw own;
    });
    await expect(run('write_file', { path: bed.at('file') })).rejects.toBe(own);
    expect(failures).toEqual([]);
    expect((await service.rewindFiles('s1', 'm1')).restoredFiles).toEqual([bed.at('file')]);
    expect(bed.text('file')).toBe('before');
  });

  it('passes through even when the capture after it fails too', async () => {
    const own = new Error('the tool failed');
    const { run } = wrapped(async () => {
      await bed.savepoint.close();
      throw own;
    });
    await expect(run('write_file', { path: bed.at('file') })).rejects.toBe(own);
    expect(told).toMatchObject([{ error: { code: 'store-closed' } }]);
  });
});

interface Trouble {
  readonly name: string;
  readonly params: () => Params;
  readonly arrange?: () => unknown;
}

const troubles: Trouble[] = [
  { name: 'the tool named no file', params: () => ({}) },
  { name: 'the path is no text', params: () => ({ file_path: { evil: true } }) },
  { name: 'the path holds a NUL', params: () => ({ file_path: 'a\0b' }) },
  { name: 'the path is the project itself', params: () => ({ file_path: bed.root }) },
  { name: 'the path comes from a prototype', params: () => Object.create({ file_path: 'x' }) },
  {
    name: 'the parameters throw when they are looked at',
    params: () => ({
      get file_path(): string {
        throw new Error('trap');
      },
    }),
  },
  {
    name: 'the store is closed',
    params: () => ({ path: 'file' }),
    arrange: () => bed.savepoint.close(),
  },
  {
    name: 'the session has no proper id',
    params: () => ({ path: 'file' }),
    arrange: () => {
      current = { sessionId: 5, messageId: {} } as unknown as CurrentMessage;
    },
  },
  {
    name: 'the project is gone',
    params: () => ({ path: 'file' }),
    arrange: () => rmSync(bed.root, { recursive: true }),
  },
];

describe('a failing capture', () => {
  it.each(troubles)('does not stop the tool and does not pass unseen: $name', async (trouble) => {
    await service.started;
    await trouble.arrange?.();
    const { run, failures } = wrapped(() => 'done');
    expect(await run('write_file', trouble.params())).toBe('done');
    expect(failures).toHaveLength(1);
    expect(told).toEqual(failures);
  });

  it('is named by every later rewind of the session', async () => {
    await wrapped(() => 'done').run('write_file', {});
    await wrapped(writer('file')).run('write_file', { path: bed.at('file') });
    for (let times = 0; times < 2; times += 1) {
      const result = await service.rewindFiles('s1', 'm1');
      expect(result.success).toBe(false);
      expect(result.errors).toMatchObject([{ filePath: '(no path)' }]);
    }
    expect(bed.tree()).toEqual({});
  });

  it('is heard although the listener throws', async () => {
    const middleware = new FileCheckpointMiddleware({
      service,
      getCurrentSession: () => current,
      onCaptureFailure: () => {
        throw new Error('a bad listener');
      },
    });
    const run = middleware.wrap(async () => 'done');
    expect(await run({ name: 'write_file' }, {})).toBe('done');
    expect(middleware.failures).toHaveLength(1);
  });

  it('is noted when it cannot be found out which session runs', async () => {
    const { run, failures } = wrapped(() => 'done', {
      getCurrentSession: () => {
        throw new Error('no idea');
      },
    });
    expect(await run('write_file', { path: bed.at('file') })).toBe('done');
    expect(failures).toMatchObject([{ error: { message: 'no idea' } }]);
  });

  it('is not what an unset session means', async () => {
    const unset = () => undefined as unknown as null;
    const { run, failures } = wrapped(() => 'done', { getCurrentSession: unset });
    expect(await run('write_file', { path: bed.at('file') })).toBe('done');
    expect(failures).toEqual([]);
  });
});
