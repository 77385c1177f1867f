import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentName } from '../../src/agents/agent-adapter.ts';
import { agentOwner } from '../../src/agents/agent-owner.ts';
import { noticeText } from '../../src/agents/record-for.ts';
import { HookBed } from './hook-bed.ts';

let bed: HookBed;

afterEach(() => bed?.done());

async function projectOf(agent: AgentName): Promise<HookBed> {
  bed = new HookBed(agent);
  bed.put('a.txt', 'one\n');
  await bed.scan();
  return bed;
}

describe('hooks of agents without ids', () => {
  it('find the end of a call by what it does', async () => {
    const { root } = await projectOf('gemini');
    const session = { session_id: 'g', cwd: root };
    const send = (hook_event_name: string, more: object) =>
      bed.hook({ ...session, hook_event_name, ...more });
    const timestamp = '2026-11-15T21:24:28.098Z';
    await send('BeforeAgent', { prompt: 'first', timestamp });
    for (const content of ['two\n', 'three\n']) {
      const call = { tool_name: 'replace', tool_input: { file_path: join(root, 'a.txt') } };
      await send('BeforeTool', call);
      bed.put('a.txt', content);
      await send('AfterTool', call);
    }
    const command = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
    await send('BeforeTool', command);
    bed.put('made.txt', 'made\n');
    await send('AfterTool', command);
    await send('AfterAgent', {});
    // After the end of the command a person's file is not the agent's.
    bed.put('by-hand.txt', 'mine\n');
    await send('BeforeAgent', { prompt: 'second', timestamp: '2026-11-15T21:25:28.098Z' });
    expect(await bed.prompts()).toEqual(['first: 2', 'second: 0']);
    await bed.rewind('first');
    expect([bed.text('a.txt'), bed.text('made.txt'), bed.text('by-hand.txt')]).toEqual([
      'one\n',
      null,
      'mine\n',
    ]);
  });

  it('leave a person’s work alone between a call without an end and the same call again', async () => {
    const { root } = await projectOf('droid');
    const send = (hook_event_name: string, more: object) =>
      bed.hook({ session_id: 'd', cwd: root, hook_event_name, ...more });
    const test = { tool_name: 'Execute', tool_input: { command: 'npm test' } };
    const edit = { tool_name: 'Edit', tool_input: { file_path: join(root, 'a.txt') } };
    await send('UserPromptSubmit', { prompt: 'first' });
    // Droid does not tell the end of a command that fails, or of an edit that is refused.
    await send('PreToolUse', test);
    await send('PreToolUse', edit);
    bed.put('a.txt', 'mine\n');
    bed.put('by-hand.txt', 'mine\n');
    await send('PreToolUse', edit);
    await send('PostToolUse', edit);
    await send('PreToolUse', test);
    bed.put('made.txt', 'made\n');
    await send('PostToolUse', test);
    await send('Stop', {});
    await bed.rewind('first');
    expect([bed.text('a.txt'), bed.text('made.txt'), bed.text('by-hand.txt')]).toEqual([
      'mine\n',
      null,
      'mine\n',
    ]);
  });

  it('take a session without prompts for one message', async () => {
    const { root } = await projectOf('droid');
    const call = {
      session_id: 'd',
      cwd: root,
      tool_name: 'Create',
      tool_input: { file_path: join(root, 'n.txt') },
    };
    await bed.hook({ ...call, hook_event_name: 'PreToolUse' });
    bed.put('n.txt', 'new\n');
    await bed.hook({ ...call, hook_event_name: 'PostToolUse' });
    expect(await bed.prompts()).toEqual([`Create ${join(root, 'n.txt')}: 1`]);
  });

  it('record once what three hooks of Cline tell at the same time', async () => {
    const { root } = await projectOf('cline');
    const about = { taskId: 'c', workspaceRoots: [root] };
    const thrice = (payload: object) =>
      Promise.all([1, 2, 3].map(() => bed.hook({ ...about, ...payload })));
    const call = { id: 'call-1', name: 'editor', input: { path: join(root, 'a.txt') } };
    const timestamp = '2026-11-15T21:54:00.081Z';
    await thrice({ hookName: 'agent_start', timestamp });
    const answers = await thrice({ hookName: 'tool_call', tool_call: call });
    bed.put('a.txt', 'ONE\n');
    await thrice({ hookName: 'tool_result', tool_result: call });
    expect(answers).toEqual(Array(3).fill('{"cancel":false}'));
    expect(await bed.prompts()).toEqual(['a prompt to cline: 1']);
    const changes = await bed.with((savepoint) => savepoint.changes({ sessionIds: ['c'] }));
    expect(changes).toHaveLength(1);
  });

  it('tell Cline of a rewind at its next call, because it does not listen at a prompt', async () => {
    const { root } = await projectOf('cline');
    const call = (id: string) => ({ id, name: 'editor', input: { path: join(root, 'a.txt') } });
    const send = (hookName: string, more: object) =>
      bed.hook({ taskId: 'c', workspaceRoots: [root], hookName, ...more });
    await send('agent_start', { timestamp: '2026-11-15T21:54:00.081Z' });
    await send('tool_call', { tool_call: call('call-1') });
    bed.put('a.txt', 'ONE\n');
    await send('tool_result', { tool_result: call('call-1') });
    await send('agent_end', {});
    await bed.rewind('a prompt to cline');
    const nothing = '{"cancel":false}';
    expect(await send('agent_start', { timestamp: '2026-11-15T21:55:00.081Z' })).toBe(nothing);
    const told = await send('tool_call', { tool_call: call('call-2') });
    expect(JSON.parse(told)).toEqual({
      cancel: false,
      contextModification: expect.stringContaining('a.txt'),
    });
    await send('tool_result', { tool_result: call('call-2') });
    expect(await send('tool_call', { tool_call: call('call-3') })).toBe(nothing);
  });

  it('record a prompt once that two hooks of Droid tell', async () => {
    const { root } = await projectOf('droid');
    const prompt = { hook_event_name: 'UserPromptSubmit', message_id: 'm1', prompt: 'go' };
    for (const _ of ['user', 'project']) await bed.hook({ session_id: 'd', cwd: root, ...prompt });
    expect(await bed.prompts()).toEqual(['go: 0']);
  });

  it('record a prompt once that Copilot tells to its own hook and to that of Claude Code', async () => {
    const { root } = await projectOf('copilot');
    const time = Date.parse('2026-11-15T21:51:45.774Z');
    await bed.hook({ sessionId: 'c', timestamp: time, cwd: root, prompt: 'go' });
    const payload = {
      session_id: 'c',
      timestamp: '2026-11-15T21:51:45.774Z',
      cwd: root,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'go',
    };
    await bed.hook(payload, { agent: 'claude-code' });
    expect(await bed.prompts()).toEqual(['go: 0']);
  });
});

describe('the end of work that nobody recorded', () => {
  it('begins no timeline', async () => {
    bed = new HookBed('codex');
    const session = { session_id: 'x', cwd: bed.root };
    for (const hook_event_name of ['Stop', 'Interrupt', 'SessionEnd']) {
      await bed.hook({ ...session, hook_event_name });
    }
    expect(bed.log().map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual(
      Array(3).fill('dropped store-missing'),
    );
    expect(readdirSync(bed.home)).toEqual(['hook.log', 'seen']);
  });
});

describe('a folder that cannot be a project', () => {
  it('is left alone', async () => {
    bed = new HookBed('codex');
    const prompt = { hook_event_name: 'UserPromptSubmit', turn_id: 't1', prompt: 'go' };
    await bed.hook({ session_id: 'x', cwd: bed.base, ...prompt }, { cwd: bed.base });
    expect(bed.log()).toMatchObject([{ outcome: 'dropped', reason: 'project-refused' }]);
    expect(readdirSync(bed.home)).toEqual(['hook.log', 'seen']);
  });
});

describe('an interrupt', () => {
  it('of Codex ends the command, and what comes later is not its own', async () => {
    const { root } = await projectOf('codex');
    const turn = { session_id: 'x', turn_id: 't1', cwd: root };
    const send = (hook_event_name: string, more: object = {}) =>
      bed.hook({ ...turn, hook_event_name, ...more });
    await send('UserPromptSubmit', { prompt: 'long' });
    const call = { tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'long' } };
    await send('PreToolUse', call);
    bed.put('part.txt', 'part\n');
    await send('Interrupt');
    bed.put('by-hand.txt', 'mine\n');
    await bed.with((savepoint) => savepoint.scan());
    await bed.rewind('long');
    expect([bed.text('part.txt'), bed.text('by-hand.txt')]).toEqual([null, 'mine\n']);
  });
});

describe('an interrupt long after a call without an end', () => {
  it('leaves what a person did meanwhile, and takes what the last command did for certain', async () => {
    const { root } = await projectOf('codex');
    const turn = { session_id: 'x', turn_id: 't1', cwd: root };
    const send = (hook_event_name: string, more: object = {}) =>
      bed.hook({ ...turn, hook_event_name, ...more });
    const bash = (id: string) => {
      return { tool_name: 'Bash', tool_use_id: id, tool_input: { command: `run ${id}` } };
    };
    const patch = (id: string, file: string) => {
      const command = `*** Begin Patch\n*** Update File: ${file}\n*** End Patch`;
      return { tool_name: 'apply_patch', tool_use_id: id, tool_input: { command } };
    };
    await send('UserPromptSubmit', { prompt: 'serve' });
    // Codex tells no end of a server that goes on, nor of a patch that fails.
    await send('PreToolUse', bash('server'));
    await send('PreToolUse', patch('failed', 'a.txt'));
    bed.put('a.txt', 'mine\n');
    bed.put('by-hand.txt', 'mine\n');
    await send('PreToolUse', patch('next', 'b.txt'));
    bed.put('b.txt', 'patched\n');
    await send('PostToolUse', patch('next', 'b.txt'));
    await send('PreToolUse', bash('test'));
    bed.put('report.txt', 'made\n');
    await send('PostToolUse', bash('test'));
    bed.put('by-hand-2.txt', 'mine\n');
    await send('PreToolUse', bash('last'));
    bed.put('part.txt', 'made\n');
    await send('Interrupt');
    await bed.rewind('serve');
    const names = ['a.txt', 'b.txt', 'by-hand.txt', 'report.txt', 'by-hand-2.txt', 'part.txt'];
    expect(names.map((name) => bed.text(name))).toEqual([
      ...['mine\n', null, 'mine\n', null, 'mine\n'],
      null,
    ]);
  });
});

describe('the owner of an agent’s work', () => {
  const claude = { name: 'claude-code', parentIsAgent: true } as const;

  it('is the parent of the hook, past the shell that runs its command', async () => {
    const shell = spawn('sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      await new Promise((started) => shell.once('spawn', started));
      const owner = agentOwner(claude, { env: {}, parentId: shell.pid ?? 0 });
      expect(owner).toEqual({ processId: process.pid });
    } finally {
      shell.stdin.end();
    }
  });

  it('is the agent, also where another program starts the hook', async () => {
    const script = join(mkdtempSync(join(tmpdir(), 'savepoint-agent-')), 'gemini');
    const shim = 'setTimeout(() => {}, 60000)';
    writeFileSync(
      script,
      `const { spawn } = require('node:child_process');
      const shim = spawn(process.execPath, ['-e', ${JSON.stringify(shim)}]);
      console.log(shim.pid);
      process.on('SIGTERM', () => shim.kill('SIGKILL') && process.exit());`,
    );
    const agent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(agent.stdout, 'data');
      const call = { env: {}, parentId: Number(String(line)) };
      const owner = agentOwner({ name: 'gemini', parentIsAgent: true }, call);
      expect(owner).toEqual({ processId: agent.pid });
      // Nobody above is called so: the program that started the hook is all that is known.
      const other = agentOwner({ name: 'qwen', parentIsAgent: true }, call);
      expect(other).toEqual({ processId: call.parentId });
    } finally {
      agent.kill();
      rmSync(dirname(script), { recursive: true });
    }
  });

  it('is the process that Claude Code names, while that one lives', () => {
    const parentId = process.pid;
    const named = (pid: string) => agentOwner(claude, { env: { CLAUDE_PID: pid }, parentId });
    expect(named(String(process.ppid))).toEqual({ processId: process.ppid });
    for (const pid of ['', '0', '-1', '99999999', '../1', '1e3']) {
      expect(named(pid)).toEqual({ processId: process.pid });
    }
  });

  it('is a lease where the parent is Codex’s server, which outlives its sessions', async () => {
    const server = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'app-server']);
    try {
      await new Promise((started) => server.once('spawn', started));
      const owner = agentOwner(
        { name: 'codex', parentIsAgent: true },
        { env: { CLAUDE_PID: String(process.pid) }, parentId: server.pid ?? 0 },
      );
      expect(owner).toEqual({ leaseMs: 600_000 });
    } finally {
      server.kill('SIGKILL');
    }
  });
});

describe('a notice', () => {
  it('names at most twenty files, and none of them steers anything', () => {
    const paths = Array.from({ length: 25 }, (_, at) => `file-${at}`);
    const text = noticeText({
      paths: ['a\n\u001b[31m\u202eb', 'x'.repeat(5000), ...paths],
      count: 27,
    });
    expect(text).toContain('- a\\n\\x1b[31m\\u{202e}b');
    expect(text).toContain('and 7 more');
    expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(20);
    expect(text.length).toBeLessThan(2000);
  });
});
