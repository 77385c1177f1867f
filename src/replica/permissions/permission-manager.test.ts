import type { CanUseTool, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../ui/interactive-ui.ts';
import { PermissionManager } from './permission-manager.ts';

type Asked = Parameters<CanUseTool>[2];

const WRITE = { file_path: '/p/a.txt', content: 'x\n' };
const RULES: NonNullable<Asked['suggestions']> = [
  {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
    behavior: 'allow',
    destination: 'localSettings',
  },
];

const FOLDER: (typeof RULES)[number] = {
  type: 'addDirectories',
  directories: ['/etc'],
  destination: 'session',
};

function prefixRule(ruleContent: string): (typeof RULES)[number] {
  const rules = [{ toolName: 'Bash', ruleContent }];
  return { type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' };
}

describe('PermissionManager', () => {
  it('asks, and does as the person says', async () => {
    const { can, questions, answer } = asking();
    const once = can('Write', WRITE);
    await answer('once');
    expect(await once).toEqual({ behavior: 'allow', updatedInput: WRITE });
    const no = can('Write', WRITE);
    await answer('no');
    expect(await no).toMatchObject({ behavior: 'deny', message: expect.stringContaining('user') });
    expect(questions[0]).toMatchObject({
      callId: 'toolu_1',
      toolName: 'Write',
      title: 'Create /p/a.txt?',
      details: [],
      edit: { isNew: true, hunks: [{ lines: [{ kind: 'add', text: 'x' }] }] },
      always: 'Write on any file of this project',
    });
    const said = can('Write', WRITE);
    await answer({ no: 'use pnpm' });
    expect(await said).toEqual({
      behavior: 'deny',
      message: 'The user said no to this tool call. The user says: use pnpm',
    });
  });

  it('says when a sub-agent asks', async () => {
    const { can, questions, answer } = asking();
    const first = can('Write', WRITE, { agentID: 'agent_1' });
    await answer('no');
    await first;
    expect(questions[0]?.title).toBe('Sub-agent: Create /p/a.txt?');
  });

  it('remembers "always" for a tool, until the conversation is another one', async () => {
    const { can, questions, answer, manager } = asking();
    const first = can('mcp__docs__search', { q: 'a' });
    await answer('always');
    expect(await first).toEqual({ behavior: 'allow', updatedInput: { q: 'a' } });
    expect((await can('mcp__docs__search', { q: 'b' })).behavior).toBe('allow');
    expect(questions).toHaveLength(1);
    manager.forget();
    const again = can('mcp__docs__search', { q: 'b' });
    await answer('no');
    expect((await again).behavior).toBe('deny');
  });

  it('remembers a shell for the same command only', async () => {
    const { can, questions, answer } = asking();
    const first = can('Bash', { command: 'ls' });
    await answer('always');
    await first;
    expect((await can('Bash', { command: 'ls' })).behavior).toBe('allow');
    const other = can('Bash', { command: 'rm -rf .' });
    await answer('no');
    expect((await other).behavior).toBe('deny');
    expect(questions).toHaveLength(2);
  });

  it('hands the suggestions of the SDK back, for the session and not for a file', async () => {
    const { can, answer } = asking();
    const first = can('Bash', { command: 'ls' }, { suggestions: RULES });
    await answer('always');
    expect(await first).toMatchObject({
      behavior: 'allow',
      updatedPermissions: [{ ...RULES[0], destination: 'session' }],
    });
  });

  it('lists what was allowed always, and asks again once it is taken back', async () => {
    const { can, answer, manager } = asking();
    const first = can('Bash', { command: 'ls' }, { suggestions: RULES });
    await answer('always');
    await first;
    const [grant] = manager.granted();
    expect(grant).toMatchObject({ text: '$ ls (this command, "ls")' });
    // The SDK was given a rule, which it has to forget.
    expect(manager.takeBack(grant?.id ?? '')).toBe(true);
    expect(manager.granted()).toEqual([]);
    const again = can('Bash', { command: 'ls' });
    await answer('no');
    expect((await again).behavior).toBe('deny');
  });

  it.each([
    ['Bash', RULES, {}, 'this command, "ls"'],
    ['Bash', [prefixRule('npm run:*')], {}, 'this command, commands that begin with "npm run"'],
    ['mcp__docs__search', [], {}, 'mcp__docs__search'],
    ['Edit', [], {}, 'Edit on any file of this project'],
    ['Read', [FOLDER], { decisionReason: 'outside' }, 'files in /etc'],
    ['Write', [], { blockedPath: '/etc/x' }, null],
  ] as const)('says what "always" means for %s', async (toolName, suggestions, more, always) => {
    const { can, questions, answer } = asking();
    const one = can(toolName, {}, { suggestions: [...suggestions], ...more });
    await answer('no');
    await one;
    expect(questions[0]?.always).toBe(always);
  });

  it('allows the tool that was asked about, and no mode that allows others', async () => {
    const { can, questions, answer } = asking();
    const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    const first = can('Write', WRITE, { suggestions: [setMode] });
    await answer('always');
    expect(await first).toEqual({ behavior: 'allow', updatedInput: WRITE });
    expect((await can('Write', WRITE, { suggestions: [setMode] })).behavior).toBe('allow');
    expect(questions).toHaveLength(1);
  });

  it('does not remember where the SDK forbids it', async () => {
    const { can, questions, answer } = asking();
    const first = can('Write', WRITE, { suppressAlwaysAllowRule: true, suggestions: RULES });
    await answer('always');
    expect(await first).toEqual({ behavior: 'allow', updatedInput: WRITE });
    expect(questions[0]?.always).toBeNull();
    const second = can('Write', WRITE);
    await answer('no');
    expect((await second).behavior).toBe('deny');
  });

  it('asks again for a path outside, whatever the tool was allowed', async () => {
    const { can, questions, answer } = asking();
    const inside = can('Write', WRITE);
    await answer('always');
    await inside;
    const decisionReason = 'Path is outside allowed working directories';
    const outside = can('Write', { file_path: '/etc/x', content: '' }, { decisionReason });
    await answer('no');
    expect((await outside).behavior).toBe('deny');
    expect(questions[1]).toMatchObject({ details: [decisionReason], always: null });
  });

  it('lets tools pass that only read, unless the SDK has a reason to ask', async () => {
    const { can, questions, answer } = asking();
    expect(await can('Grep', { pattern: 'x' })).toMatchObject({ behavior: 'allow' });
    const outside = can('Read', { file_path: '/etc/x' }, { decisionReason: 'outside' });
    await answer('no');
    expect((await outside).behavior).toBe('deny');
    expect(questions).toHaveLength(1);
  });

  it('asks one question after the other, and an answer for both spares the second', async () => {
    const { can, questions, answer } = asking();
    const both = [can('Write', WRITE), can('Write', WRITE)];
    const third = can('Edit', { file_path: '/p/b' });
    await settled();
    expect(questions).toHaveLength(1);
    await answer('always');
    expect((await Promise.all(both)).map(({ behavior }) => behavior)).toEqual(['allow', 'allow']);
    await settled();
    expect(questions.map(({ toolName }) => toolName)).toEqual(['Write', 'Edit']);
    await answer('once');
    expect((await third).behavior).toBe('allow');
  });

  it('stops waiting when the turn is interrupted, also for what was not asked yet', async () => {
    const { can, questions, answer } = asking();
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = [can('Write', WRITE, { signal }), can('Edit', WRITE, { signal })];
    await settled();
    controller.abort();
    for (const one of waiting) expect((await one).behavior).toBe('deny');
    expect(questions).toHaveLength(1);
    // The next question does not wait for an answer that nobody gives any more.
    const next = can('Edit', WRITE);
    await answer('once', 1);
    expect((await next).behavior).toBe('allow');
  });

  it('denies where the question cannot be asked', async () => {
    const broken = new PermissionManager({
      askPermission: () => Promise.reject(new Error('no terminal any more')),
      select: async () => null,
    });
    expect(await broken.canUseTool('Write', WRITE, asked({}))).toMatchObject({ behavior: 'deny' });
  });

  it('denies without a terminal, and says why', async () => {
    const alone = new PermissionManager(null);
    expect(await alone.canUseTool('Write', WRITE, asked({}))).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('no terminal'),
    });
    expect((await alone.canUseTool('Grep', {}, asked({})))?.behavior).toBe('allow');
  });

  it("puts the agent's own questions to the person, and answers with what was chosen", async () => {
    const titles: string[] = [];
    const manager = new PermissionManager({
      askPermission: () => Promise.reject(new Error('this is no permission')),
      select: async (title, items) => {
        titles.push(title);
        return items[1]?.id ?? null;
      },
    });
    const options = [
      { label: 'A', description: 'a' },
      { label: 'B', description: 'b' },
    ];
    const input = { questions: [{ question: 'Which?', options }] };
    expect(await manager.canUseTool('AskUserQuestion', input, asked({}))).toEqual({
      behavior: 'allow',
      updatedInput: { ...input, answers: { 'Which?': 'B' } },
    });
    expect(titles).toEqual(['Which?']);
  });

  it('shows what a call does in lines that cannot steer a terminal', async () => {
    const { can, questions, answer } = asking();
    const edit = can('Edit', { file_path: '/p/\u001b[2J', old_string: 'a\nb', new_string: 'c' });
    await answer('no');
    await edit;
    expect(questions[0]?.title).toBe('Edit /p/\\x1b[2J?');
    const long = can('Bash', { command: 'x\n'.repeat(100), description: 'many \u001b[2J' });
    await answer('no');
    await long;
    // Nothing of a command is left out.
    expect(questions[1]?.details).toHaveLength(103);
    expect(questions[1]?.details.at(-1)).toBe('The agent says: many \\x1b[2J');
    const other = can('mcp__db__query', { sql: 'x'.repeat(500), a: '\u001b' });
    await answer('no');
    await other;
    expect(questions[2]?.details[0]).toMatch(/^sql: x+ … and 105 more characters$/);
  });
});

/** A manager, the questions that it put, and a way to answer the next one of them. */
function asking() {
  const questions: PermissionQuestion[] = [];
  const answers: ((answer: PermissionAnswer) => void)[] = [];
  const manager = new PermissionManager({
    askPermission: (question) => {
      questions.push(question);
      return new Promise((resolve) => answers.push(resolve));
    },
    select: async () => null,
  });
  const can = async (
    toolName: string,
    input: Record<string, unknown>,
    more: Partial<Asked> = {},
  ): Promise<PermissionResult> => {
    const result = await manager.canUseTool(toolName, input, asked(more));
    if (result === null) throw new Error('no answer');
    return result;
  };
  let next = 0;
  const answer = async (given: PermissionAnswer, at = next): Promise<void> => {
    await settled();
    next = at + 1;
    answers[at]?.(given);
  };
  return { manager, can, questions, answer };
}

function asked(more: Partial<Asked>): Asked {
  const { signal } = new AbortController();
  return { signal, toolUseID: 'toolu_1', requestId: 'r', ...more };
}

const settled = (): Promise<void> => new Promise(setImmediate);
