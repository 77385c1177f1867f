import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turnOff, turnOn } from '../../src/agents/switch.ts';
import { runHere } from './cli-here.ts';
import { HookBed } from './hook-bed.ts';

let bed: HookBed;

beforeEach(async () => {
  bed = new HookBed('claude-code');
  bed.put('a.txt', 'one\n');
  bed.put('b.txt', 'two\n');
  await bed.scan();
});

afterEach(() => bed.done());

/** What Claude Code sends with each event of a session. */
class Claude {
  readonly session: string;
  prompt = 'p0';

  constructor(session = 'session') {
    this.session = session;
  }

  send(hook_event_name: string, more: object = {}): Promise<string> {
    const { session: session_id, prompt: prompt_id } = this;
    return bed.hook({ session_id, prompt_id, cwd: bed.root, hook_event_name, ...more });
  }

  ask(id: string, prompt: string): Promise<string> {
    this.prompt = id;
    return this.send('UserPromptSubmit', { prompt });
  }

  async write(id: string, path: string, content: string, more: object = {}): Promise<void> {
    const call = { ...more, tool_name: 'Write', tool_use_id: id };
    const tool_input = { file_path: join(bed.root, path), content };
    await this.send('PreToolUse', { ...call, tool_input });
    bed.put(path, content);
    await this.send('PostToolUse', { ...call, tool_input });
  }

  async bash(id: string, work: () => void, more: object = {}): Promise<void> {
    const call = { ...more, tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'make' } };
    await this.send('PreToolUse', call);
    work();
    await this.send('PostToolUse', call);
  }
}

describe('hooks of Claude Code', () => {
  it('leave a person’s work alone where there was no time to look before the command', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'change a');
    bed.put('b.txt', 'a person\n');
    const call = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'make' } };
    const names = { session_id: claude.session, prompt_id: 'p1', cwd: bed.root };
    const { env } = bed.call('');
    await bed.hook(
      { ...names, ...call, hook_event_name: 'PreToolUse' },
      { env: { ...env, SAVEPOINT_SCAN_DEADLINE_MS: '0' } },
    );
    expect(bed.log().at(-1)).toMatchObject({ outcome: 'recorded', reason: 'deadline' });
    bed.put('a.txt', 'ONE\n');
    await claude.send('PostToolUse', call);
    await claude.send('Stop');
    await bed.rewind('change a');
    expect(bed.text('b.txt')).toBe('a person\n');
  });

  it('know that a session runs again as soon as it is resumed', async () => {
    const claude = new Claude();
    const isRunning = () => bed.with((savepoint) => savepoint.isRunning('session'));
    await claude.send('SessionStart', { source: 'startup' });
    expect(await bed.with((savepoint) => savepoint.sessions())).toEqual([]);
    await claude.ask('p1', 'go');
    await claude.send('SessionEnd', { reason: 'exit' });
    expect(await isRunning()).toBe(false);
    await claude.send('SessionStart', { source: 'resume' });
    expect(await isRunning()).toBe(true);
  });

  it('record edits and commands, and a rewind takes them back', async () => {
    const claude = new Claude();
    expect(await claude.ask('p1', 'change a')).toBe('');
    await claude.write('t1', 'a.txt', 'ONE\n');
    await claude.bash('t2', () => {
      bed.put('b.txt', 'TWO\n');
      bed.put('new/c.txt', 'three\n');
    });
    await claude.send('Stop');
    await claude.ask('p2', 'remove b');
    await claude.bash('t3', () => bed.remove('b.txt'));
    await claude.send('Stop');
    expect(await bed.prompts()).toEqual(['change a: 3', 'remove b: 1']);
    await bed.rewind('remove b');
    expect(bed.text('b.txt')).toBe('TWO\n');
    await bed.rewind('change a');
    expect([bed.text('a.txt'), bed.text('b.txt'), bed.text('new/c.txt')]).toEqual([
      'one\n',
      'two\n',
      null,
    ]);
  });

  it('tell the model once which files went back, and only that session', async () => {
    const claude = new Claude();
    const other = new Claude('other');
    await claude.ask('p1', 'change a');
    await claude.write('t1', 'a.txt', 'ONE\n');
    await claude.send('Stop');
    await other.ask('o1', 'change b');
    await other.write('t2', 'b.txt', 'TWO\n');
    await other.send('Stop');
    await bed.rewind('change a');
    expect(await other.ask('o2', 'go on')).toBe('');
    const said = JSON.parse(await claude.ask('p2', 'go on'));
    expect(said.hookSpecificOutput.hookEventName).toBe('UserPromptSubmit');
    const notice: string = said.hookSpecificOutput.additionalContext;
    expect(notice).toContain('- a.txt');
    expect(notice).not.toContain('b.txt');
    expect(await claude.ask('p3', 'go on')).toBe('');
  });

  it('leave the command of a sub-agent open when the turn ends', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'start one');
    const subagent = { agent_id: 'agent-1', prompt_id: 'p1' };
    const call = {
      ...subagent,
      tool_name: 'Bash',
      tool_use_id: 's1',
      tool_input: { command: 'x' },
    };
    await claude.send('PreToolUse', call);
    await claude.send('Stop');
    await claude.ask('p2', 'something else');
    bed.put('sub.txt', 'sub\n');
    await claude.send('PostToolUse', call);
    await claude.send('SubagentStop', subagent);
    expect(await bed.prompts()).toEqual(['start one: 1', 'something else: 0']);
  });

  it('count work after a notice of finished background work to the last prompt of the person', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'start it');
    await claude.send('Stop');
    await claude.ask('n1', '<task-notification>\n<task-id>1</task-id>');
    await claude.write('t1', 'a.txt', 'ONE\n');
    await claude.send('Stop');
    expect(await bed.prompts()).toEqual(['start it: 1']);
  });

  it('record the end of a command that failed', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'try');
    const call = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'false' } };
    await claude.send('PreToolUse', call);
    bed.put('half.txt', 'half\n');
    await claude.send('PostToolUseFailure', { ...call, error: 'Exit code 1' });
    bed.put('by-hand.txt', 'mine\n');
    await bed.rewind('try');
    expect([bed.text('half.txt'), bed.text('by-hand.txt')]).toEqual([null, 'mine\n']);
  });

  it('record an event that arrives twice once', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'change a');
    await claude.ask('p1', 'change a');
    const call = {
      tool_name: 'Write',
      tool_use_id: 't1',
      tool_input: { file_path: join(bed.root, 'a.txt') },
    };
    await Promise.all([claude.send('PreToolUse', call), claude.send('PreToolUse', call)]);
    bed.put('a.txt', 'ONE\n');
    await Promise.all([claude.send('PostToolUse', call), claude.send('PostToolUse', call)]);
    expect(await bed.prompts()).toEqual(['change a: 1']);
    const changes = await bed.with((savepoint) => savepoint.changes({ sessionIds: ['session'] }));
    expect(changes.filter(({ toolCallId }) => toolCallId === 't1')).toHaveLength(1);
  });

  it('record nothing of a project, or of a session, that is switched off', async () => {
    const claude = new Claude();
    turnOff(bed.home, bed.root, 'session');
    await claude.ask('p1', 'one');
    await new Claude('other').ask('p2', 'two');
    turnOff(bed.home, bed.root, null);
    await new Claude('other').ask('p3', 'three');
    turnOn(bed.home, bed.root);
    await claude.ask('p4', 'four');
    expect(await bed.prompts()).toEqual(['two: 0', 'four: 0']);
    expect(bed.log().map(({ outcome }) => outcome)).toEqual(['off', 'recorded', 'off', 'recorded']);
  });

  it('find the project although the agent has gone to another folder', async () => {
    const claude = new Claude();
    bed.put('sub/x.txt', 'x\n');
    await claude.send('UserPromptSubmit', { prompt: 'go', cwd: join(bed.root, 'sub') });
    const env = { ...bed.call('').env, CLAUDE_PROJECT_DIR: bed.root };
    const payload = { session_id: 'session', cwd: bed.base, hook_event_name: 'Stop' };
    await bed.hook(payload, { env });
    expect(bed.log().map(({ project, outcome }) => [project, outcome])).toEqual([
      [bed.root, 'recorded'],
      [bed.root, 'recorded'],
    ]);
  });

  it('say in the log of which project an event could not be recorded', async () => {
    const { env } = bed.call('');
    const payload = { session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: 'go' };
    await bed.hook(payload, { env: { ...env, SAVEPOINT_MAX_FILE_SIZE: 'large' } });
    expect(bed.log()).toMatchObject([{ outcome: 'failed', project: bed.root }]);
  });

  it('are seen by savepoint doctor', async () => {
    const place = { cwd: bed.root, env: { HOME: bed.base, SAVEPOINT_HOME: bed.home, PATH: '' } };
    await new Claude().ask('p1', 'go');
    const { out } = await runHere(['doctor', '--json'], place);
    const agents: { name: string; seenEvent: string | null }[] = JSON.parse(out).agents;
    expect(agents.find(({ name }) => name === 'claude-code')?.seenEvent).toBe('message');
  });

  it('log neither prompts nor commands nor contents', async () => {
    const claude = new Claude();
    await claude.ask('p1', 'my secret prompt');
    await claude.write('t1', 'a.txt', 'secret content');
    await claude.bash('t2', () => undefined);
    const log = JSON.stringify(bed.log());
    expect(log).toContain('before-tool');
    for (const word of ['secret', 'make', 'SAVEPOINT_HOME']) expect(log).not.toContain(word);
  });
});
