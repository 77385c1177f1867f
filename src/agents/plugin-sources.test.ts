import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellWord } from '../terminal/phrases.ts';
import { extensionSource, pluginSource } from './plugin-sources.ts';

let folder: string;
let program: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint plug-in '));
  program = join(folder, 'savepoint');
  // Keeps what it is given, and answers with what lies beside it.
  writeFileSync(
    program,
    '#!/bin/sh\necho "$@" >> "$0.args"\n{ cat; echo; } >> "$0.got"\ncat "$0.answer" 2> "$0.none"\n',
  );
  chmodSync(program, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program whose child keeps the pipe open after it has ended. */
function leaveChildBehind(): void {
  writeFileSync(program, '#!/bin/sh\nsleep 60 &\necho $! > "$0.pid"\n');
}

function killChild(): void {
  process.kill(Number(readFileSync(`${program}.pid`, 'utf8')), 'SIGKILL');
}

/** A plug-in that waits less. */
function hasty(source: string): string {
  return source.replace('LONGEST_MS = 30_000', 'LONGEST_MS = 500');
}

type Told = Record<string, unknown>;

function told(): Told[] {
  const lines = readFileSync(`${program}.got`, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Told);
}

async function load(source: string): Promise<Record<string, unknown>> {
  const file = join(folder, `plugin-${Date.now()}.mjs`);
  writeFileSync(file, source);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
}

describe('the plug-in of opencode', () => {
  type Hook = (input: unknown, output?: unknown) => Promise<void>;
  type Plugin = (context: { directory: string }) => Promise<Record<string, Hook>>;

  async function started(
    run: string = shellWord(program),
    edit = (source: string): string => source,
  ): Promise<(name: string) => Hook> {
    const { Savepoint } = await load(edit(pluginSource('opencode', run)));
    const hooks = await (Savepoint as Plugin)({ directory: folder });
    return (name) => hooks[name] as Hook;
  }

  it('hands over prompts, tools that can write, and the ends of turns', async () => {
    const hook = await started();
    const message = { id: 'm1' };
    await hook('chat.message')(
      { sessionID: 's1' },
      { message, parts: [{ type: 'text', text: 'go' }] },
    );
    const call = { tool: 'write', sessionID: 's1', callID: 'c1' };
    await hook('tool.execute.before')(call, { args: { filePath: '/p/a' } });
    await hook('tool.execute.after')({ ...call, args: { filePath: '/p/a' } });
    await hook('tool.execute.before')({ ...call, tool: 'read' }, { args: {} });
    await hook('event')({ event: { type: 'session.idle', properties: { sessionID: 's1' } } });
    await hook('event')({ event: { type: 'session.status', properties: { sessionID: 's1' } } });
    const common = { cwd: folder, parent: null };
    expect(told()).toEqual([
      {
        event: 'chat.message',
        payload: { i: { sessionID: 's1' }, message, parts: [{ type: 'text', text: 'go' }] },
        ...common,
      },
      { event: 'tool.execute.before', payload: { i: call, args: { filePath: '/p/a' } }, ...common },
      {
        event: 'tool.execute.after',
        payload: { i: { ...call, args: { filePath: '/p/a' } } },
        ...common,
      },
      { event: 'event session.idle', payload: { sessionID: 's1' }, ...common },
    ]);
    expect(readFileSync(`${program}.args`, 'utf8').split('\n')[0]).toBe('hook opencode');
  });

  it('says for which prompt a sub-agent works, also one of a sub-agent', async () => {
    const hook = await started();
    await hook('chat.message')({ sessionID: 's1' }, { message: { id: 'm1' }, parts: [] });
    for (const [id, parentID] of [
      ['s2', 's1'],
      ['s3', 's2'],
    ]) {
      const properties = { info: { id, parentID } };
      await hook('event')({ event: { type: 'session.created', properties } });
    }
    await hook('tool.execute.before')({ tool: 'bash', sessionID: 's3', callID: 'c' }, { args: {} });
    expect(told().at(-1)).toMatchObject({ parent: { sessionID: 's1', messageID: 'm1' } });
  });

  it('hands over the end of a tool that failed, once', async () => {
    const hook = await started();
    const state = { status: 'error', input: {} };
    const part = { type: 'tool', tool: 'bash', callID: 'c1', sessionID: 's1', state };
    const event = { type: 'message.part.updated', properties: { part } };
    await hook('event')({ event });
    await hook('event')({ event });
    expect(told()).toMatchObject([{ event: 'event message.part.updated', payload: { part } }]);
  });

  it('adds what the agent has to know to the prompt', async () => {
    writeFileSync(`${program}.answer`, '{"context":"read a.txt again"}');
    const hook = await started();
    const parts: Told[] = [];
    await hook('chat.message')({ sessionID: 's1' }, { message: { id: 'm1' }, parts });
    expect(parts).toMatchObject([
      { type: 'text', text: 'read a.txt again', synthetic: true, messageID: 'm1' },
    ]);
  });

  it('lets the agent go on where a child of the program keeps the pipe open', async () => {
    leaveChildBehind();
    const hook = await started(shellWord(program), hasty);
    await hook('tool.execute.before')({ tool: 'bash', sessionID: 's1', callID: 'c' }, { args: {} });
    killChild();
  });

  it('throws nothing where the program is gone, answers nonsense, or an event has another form', async () => {
    const gone = await started('/nowhere/savepoint');
    await gone('tool.execute.before')({ tool: 'bash', sessionID: 's1', callID: 'c' }, undefined);
    await gone('event')({});
    writeFileSync(`${program}.answer`, 'nonsense');
    const hook = await started();
    const parts: Told[] = [];
    await hook('chat.message')({ sessionID: 's1' }, { message: { id: 'm1' }, parts });
    await hook('chat.message')({ sessionID: 's1' }, {});
    expect(parts).toEqual([]);
  });
});

describe('the extension of pi', () => {
  type Handler = (payload: unknown, context: unknown) => Promise<unknown>;

  async function started(
    edit = (source: string): string => source,
  ): Promise<(name: string, payload: unknown) => Promise<unknown>> {
    const { default: extension } = await load(edit(extensionSource(shellWord(program))));
    const handlers = new Map<string, Handler>();
    const on = (name: string, handler: Handler) => handlers.set(name, handler);
    (extension as (pi: unknown) => void)({ on });
    const sessionManager = { getSessionId: () => 's1', getSessionFile: () => '/sessions/s1.jsonl' };
    const context = { cwd: folder, sessionManager };
    return async (name, payload) => handlers.get(name)?.(payload, context);
  }

  it('hands over prompts and tools that can write, with the session', async () => {
    const send = await started();
    await send('input', { text: 'go', source: 'interactive' });
    await send('tool_call', { toolName: 'bash', toolCallId: 'c1', input: { command: 'ls' } });
    await send('tool_call', { toolName: 'read', toolCallId: 'c2', input: {} });
    await send('agent_end', {});
    const session = { id: 's1', file: '/sessions/s1.jsonl' };
    expect(told()).toMatchObject([
      {
        event: 'input',
        payload: { text: 'go' },
        session,
        cwd: folder,
        messageId: expect.any(String),
      },
      { event: 'tool_call', payload: { toolCallId: 'c1' }, session },
      { event: 'agent_end', session },
    ]);
  });

  it('tells the end of a session after the end of a tool that nobody waited for', async () => {
    const slowAtTools = 'case $text in *toolName*) sleep 0.2;; esac';
    writeFileSync(program, `#!/bin/sh\ntext=$(cat)\n${slowAtTools}\necho "$text" >> "$0.got"\n`);
    const send = await started();
    const call = { toolName: 'bash', toolCallId: 'c1' };
    await Promise.all([send('tool_execution_end', call), send('session_shutdown', {})]);
    expect(told().map(({ event }) => event)).toEqual(['tool_execution_end', 'session_shutdown']);
  });

  it('lets the agent go on where a child of the program keeps the pipe open', async () => {
    leaveChildBehind();
    const send = await started(hasty);
    await send('tool_call', { toolName: 'bash', toolCallId: 'c1', input: { command: 'ls' } });
    killChild();
  });

  it('adds what the agent has to know to the next turn, once', async () => {
    const send = await started();
    writeFileSync(`${program}.answer`, '{"context":"read a.txt again"}');
    await send('input', { text: 'go' });
    const message = { customType: 'savepoint', content: 'read a.txt again', display: true };
    expect(await send('before_agent_start', {})).toEqual({ message });
    expect(await send('before_agent_start', {})).toBeUndefined();
  });
});
