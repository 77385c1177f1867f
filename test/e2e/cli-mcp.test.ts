import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mayRewind } from '../../src/cli/commands/mcp.ts';
import { mcpServer } from '../../src/cli/mcp/server.ts';
import type { Savepoint } from '../../src/index.ts';
import { CliProject, MAIN } from './cli-project.ts';

const SECRET = 'KEY=dummy-77\n';
let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n', '.gitignore': '.env\n', '.env': SECRET });
});
afterEach(() => project.remove());

const withTimeline = <T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T> =>
  project.open(work);

/** A prompt of a session whose agent writes these files in a command. */
async function prompt(sessionId: string, messageId: string, files: Record<string, string>) {
  return withTimeline(async (savepoint) => {
    const { id } = await savepoint.checkpoint({ sessionId, messageId, agent: 'test' });
    const window = await savepoint.openWindow({ sessionId, messageId, toolCallId: messageId });
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    await savepoint.closeWindow(window.id);
    return id;
  });
}

interface Person {
  /** What the person answers; left out, the program cannot ask. */
  readonly says?: boolean;
  readonly asking?: string | null;
  readonly mayRewind?: boolean;
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** Empty for an error. */
  readonly json: Record<string, unknown>;
}

/** An agent's program that is connected to the server, and the questions that its person saw. */
async function connect({ says, asking = 'mine', mayRewind = false }: Person = {}) {
  const server = mcpServer({
    version: '1',
    withTimeline,
    askingSession: async () => asking,
    mayRewind: () => mayRewind,
  });
  const capabilities = says === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'agent', version: '1' }, { capabilities });
  const questions: string[] = [];
  if (says !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { rewind: says } };
    });
  }
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    const { isError = false, content } = await client.callTool({ name, arguments: args });
    const text = (content as { text: string }[])[0]?.text ?? '';
    return { isError: isError === true, text, json: isError ? {} : JSON.parse(text) };
  };
  return { client, call, questions };
}

describe('an agent that looks at its history', () => {
  it('lists, shows and diffs checkpoints', async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
    const { call, client } = await connect();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual([
      'list_checkpoints',
      'show_checkpoint',
      'diff',
      'why',
      'plan_rewind',
      'rewind',
    ]);
    const { json: listed } = await call('list_checkpoints', { limit: 5 });
    expect(listed.checkpoints).toMatchObject([{ id: first, files: 1, takenBack: 'no' }]);
    const { json: shown } = await call('show_checkpoint', { id: first.slice(0, 6) });
    expect(shown.changes).toMatchObject([{ path: 'a.txt', change: 'modified' }]);
    const { json: diff } = await call('diff', { from: first });
    expect(diff.files).toMatchObject([{ path: 'a.txt', insertions: 1, deletions: 1 }]);
  });

  it('asks who wrote a line', async () => {
    await withTimeline((savepoint) => savepoint.scan());
    const first = await prompt('mine', 'first', { 'a.txt': 'one\ntwo\n', empty: '' });
    project.write('a.txt', 'one\ntwo\nthree\n');
    const { call } = await connect();
    const { json } = await call('why', { path: 'a.txt' });
    expect(json).toMatchObject({
      path: 'a.txt',
      spans: [
        { first: 1, last: 1, origin: 0 },
        { first: 2, last: 2, origin: 1 },
        { first: 3, last: 3, origin: 2 },
      ],
      origins: [
        { kind: 'before' },
        { kind: 'agent', checkpointId: first, attribution: 'inferred', toolCallId: 'first' },
        { kind: 'outside' },
      ],
      next: null,
    });
    expect((await call('why', { path: 'a.txt', first: 2, last: 2 })).json.spans).toHaveLength(1);
    expect((await call('why', { path: 'empty' })).json.spans).toEqual([]);
    expect((await call('why', { path: '/etc/passwd' })).text).toMatch(/only files of this project/);
    expect((await call('why', { path: 'a.txt', first: 9 })).isError).toBe(true);
  });

  it('reads the same as resources', async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
    const { client } = await connect();
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return JSON.parse((contents[0] as { text: string }).text);
    };
    expect((await read('savepoint://checkpoints')).checkpoints).toHaveLength(1);
    expect((await read(`savepoint://checkpoints/${first}`)).checkpoint.id).toBe(first);
    expect((await read(`savepoint://checkpoints/${first}/diff`)).files).toHaveLength(1);
    await expect(read('savepoint://elsewhere')).rejects.toThrow(/no such resource/);
  });

  it('never reads a private file that it did not name', async () => {
    await withTimeline((savepoint) => savepoint.scan());
    const first = await prompt('mine', 'first', { '.env': 'KEY=dummy-78\n', 'a.txt': 'two\n' });
    const { call } = await connect({ says: true });
    for (const [name, args] of [
      ['list_checkpoints', {}],
      ['show_checkpoint', { id: first }],
      ['diff', { from: first }],
      ['plan_rewind', { to: first }],
    ] as const) {
      expect((await call(name, args)).text, name).not.toMatch(/\.env|dummy-7/);
    }
    expect((await call('diff', { from: first, paths: ['.env'] })).text).toContain('dummy-78');
  });

  it('leaves out lines that are too long for an answer, and says of which files', async () => {
    const long = 'x'.repeat(99).concat('\n').repeat(1500);
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n', 'long.txt': long });
    const { call } = await connect();
    const { json, text } = await call('diff', { from: first });
    expect(json.withoutLines).toEqual(['long.txt']);
    expect(text.length).toBeLessThan(50_000);
  });
});

describe('an agent that takes back its work', () => {
  it('is asked to plan first, and the person is asked before anything is touched', async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n', 'b.txt': 'new\n' });
    project.write('c.txt', 'my own\n');
    const { call, questions } = await connect({ says: true });
    expect((await call('rewind', { planId: 'none' })).text).toContain('call plan_rewind first');
    const { json: plan } = await call('plan_rewind', { to: first });
    expect(plan).toMatchObject({ restoredFiles: ['a.txt'], deletedFiles: ['b.txt'], dryRun: true });
    expect(project.read('a.txt')).toBe('two\n');
    const { json: receipt } = await call('rewind', { planId: plan.planId });
    expect(receipt).toMatchObject({ success: true, restoredFiles: ['a.txt'] });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('b.txt');
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['one\n', null]);
    expect(project.read('c.txt')).toBe('my own\n');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('two\n');
  });

  it('counts private files in the question, and names them to nobody', async () => {
    await withTimeline((savepoint) => savepoint.scan());
    const first = await prompt('mine', 'first', { '.env': 'KEY=dummy-78\n', 'a.txt': 'two\n' });
    const { call, questions } = await connect({ says: true });
    const { json: plan } = await call('plan_rewind', { to: first });
    expect(plan.privateFiles).toBe(1);
    const { text } = await call('rewind', { planId: plan.planId });
    expect(questions[0]).toContain('1 private file');
    expect(`${text}${questions[0]}`).not.toContain('.env');
    expect(project.read('.env')).toBe(SECRET);
  });

  it('changes nothing when the person says no, or cannot be asked', async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
    for (const [person, reason] of [
      [{ says: false }, /the person said no/],
      [{}, /cannot ask the person.*\nhint: ask them to run: savepoint rewind/],
    ] as const) {
      const { call } = await connect(person);
      const { json: plan } = await call('plan_rewind', { to: first });
      const { isError, text } = await call('rewind', { planId: plan.planId });
      expect([isError, text]).toEqual([true, expect.stringMatching(reason)]);
      expect(project.read('a.txt')).toBe('two\n');
    }
  });

  it("goes ahead without asking where the person's own configuration allows it", async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
    const { call } = await connect({ mayRewind: true });
    const { json: plan } = await call('plan_rewind', { to: first });
    expect((await call('rewind', { planId: plan.planId })).isError).toBe(false);
    expect(project.read('a.txt')).toBe('one\n');
  });

  it("takes back its own session only, never a person's plan, and nothing outside", async () => {
    const others = await prompt('other', 'first', { 'a.txt': 'two\n' });
    const { call } = await connect({ says: true });
    expect((await call('plan_rewind', { to: others })).text).toContain(
      'belongs to another session',
    );
    const unknown = await connect({ says: true, asking: null });
    expect((await unknown.call('plan_rewind', { to: others })).text).toContain('nobody can tell');
    const mine = await prompt('mine', 'second', { 'a.txt': 'three\n' });
    const outside = await call('plan_rewind', { to: mine, paths: ['/etc/hosts'] });
    expect(outside.text).toContain('only files of this project');
    for (const args of [{ to: mine, exact: true }, { to: mine, force: true }, { to: 3 }, {}]) {
      expect((await call('plan_rewind', args)).isError).toBe(true);
    }
  });

  it('refuses a plan that is out of date', async () => {
    const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
    const { call } = await connect({ says: true });
    const { json: plan } = await call('plan_rewind', { to: first });
    project.write('a.txt', 'a person was here\n');
    const { isError } = await call('rewind', { planId: plan.planId });
    expect(isError).toBe(true);
    expect(project.read('a.txt')).toBe('a person was here\n');
  });
});

describe('savepoint mcp', () => {
  it('serves the agent that started it, finds its session by the process, and ends with it', async () => {
    const first = await withTimeline(async (savepoint) => {
      // The agent is this process: it starts the server below.
      const owner = { processId: process.pid };
      const message = { sessionId: 'mine', messageId: 'first', agent: 'test' };
      return (await savepoint.checkpoint({ ...message, owner })).id;
    });
    const client = await startServer();
    try {
      const listed = await callServer(client, 'list_checkpoints');
      expect(listed).toMatchObject({ askingSession: 'mine', checkpoints: [{ id: first }] });
    } finally {
      await client.close();
    }
  });

  it('knows no session where the process that started it has several', async () => {
    await withTimeline(async (savepoint) => {
      const owner = { processId: process.pid };
      for (const sessionId of ['mine', 'other']) {
        await savepoint.checkpoint({ sessionId, messageId: 'first', agent: 'test', owner });
      }
    });
    const client = await startServer();
    try {
      expect(await callServer(client, 'list_checkpoints')).toMatchObject({ askingSession: null });
    } finally {
      await client.close();
    }
  });

  it.each(['HOME', 'XDG_CONFIG_HOME'])(
    'asks although the project names a configuration of its own by %s',
    async (variable) => {
      const first = await prompt('mine', 'first', { 'a.txt': 'two\n' });
      const allows = '{ "mcpRewind": true }';
      project.write('planted/savepoint/config.json', allows);
      project.write('planted/.config/savepoint/config.json', allows);
      const env = { [variable]: project.path('planted') };
      const client = await startServer(['--session', 'mine'], env);
      try {
        const { planId } = await callServer(client, 'plan_rewind', { to: first });
        const answer = await client.callTool({ name: 'rewind', arguments: { planId } });
        expect(JSON.stringify(answer)).toContain('cannot ask the person');
        expect(project.read('a.txt')).toBe('two\n');
      } finally {
        await client.close();
      }
    },
  );

  it("does not ask where the person's own file says so, unless that is in the project", () => {
    const own = join(project.scratch, 'config.json');
    writeFileSync(own, '{ "mcpRewind": true }');
    project.write('config.json', '{ "mcpRewind": true }');
    const linked = join(project.scratch, 'linked.json');
    symlinkSync(project.path('config.json'), linked);
    expect(mayRewind(project.root, own)).toBe(true);
    expect(mayRewind(project.root, linked)).toBe(false);
    expect(mayRewind(project.root, project.path('config.json'))).toBe(false);
    expect(mayRewind(project.root, join(project.scratch, 'none.json'))).toBe(false);
  });
});

async function startServer(args: readonly string[] = [], env = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: project.env(env),
    cwd: project.root,
  });
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(transport);
  return client;
}

async function callServer(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse((content as { text: string }[])[0]?.text ?? '');
}
