import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { OFFLINE_MODEL, startOfflineModel } from './offline-model.ts';

describe('the demonstration model behind the real agent', () => {
  it.each([OFFLINE_MODEL, 'claude-sonnet-4-5'])(
    'writes, appends, replaces, runs, notes, reads and deletes by real tools, as %s',
    async (model) => {
      await withAgent({ model }, async ({ project, ask }) => {
        await writeFile(join(project, 'old.txt'), 'was here\n');
        await writeFile(join(project, 'open end.txt'), 'no newline');
        await writeFile(join(project, 'long.txt'), LONG);
        const { tools, answer } = await ask(
          [
            'write notes/笔记.txt: Grüße 👩‍👩‍👧 and "$HOME"',
            'append notes/笔记.txt: second, then append "open end.txt": it\'s',
            'write old.txt: new',
            'replace second with 2. in notes/笔记.txt',
            'append long.txt: $(last)',
            'append long.txt: end',
            'append fresh.txt: first',
            'todo: one, two',
            "run: printf x > made.txt; mv made.txt 'a b'",
            "write it's.txt: x, then delete it's.txt",
            'read old.txt',
          ].join('\n'),
        );
        expect(await filesOf(project)).toEqual({
          'a b': 'x',
          'fresh.txt': 'first\n',
          'long.txt': `${LONG}\n$(last)\nend\n`,
          'old.txt': 'new\n',
          'open end.txt': "no newline\nit's\n",
          'notes/笔记.txt': 'Grüße 👩‍👩‍👧 and "$HOME"\n2.\n',
        });
        expect(new Set(tools)).toEqual(new Set(['Write', 'Read', 'Edit', 'Bash', 'TodoWrite']));
        expect(answer).toContain('Wrote `notes/笔记.txt`.');
        expect(answer).toContain('`old.txt`:\n\n```txt\nnew\n```');
        expect(answer).toContain('I am no AI');
      });
    },
  );
});

describe('the demonstration model by itself', () => {
  it('says what it understands to those who ask', async () => {
    const { answers } = await conversation(['help']);
    expect(answers[0]).toContain('write FILE: TEXT');
  });

  it('explains itself once, not after every failure', async () => {
    const refused = { isError: true, text: 'no such file' };
    const prompts = ['What is the meaning of life?', 'run: true', 'run: false', 'And now?'];
    const { answers } = await conversation(prompts, [DONE, refused]);
    expect(answers[0]).toContain('I did not understand “What is the meaning of life?”.');
    expect(answers[0]).toContain('I am no AI');
    expect(answers.slice(1)).toEqual([
      'Ran `true`.',
      '`false` failed:\n\n```\nno such file\n```',
      'I did not understand “And now?”.\n\nType `help` for what I understand.',
    ]);
  });

  it('does not repeat what the agent tells a model when a person says no', async () => {
    const said = "The user doesn't want to proceed with this tool use. STOP what you are doing";
    const { answers } = await conversation(['run: a'], [{ isError: true, text: said }]);
    expect(answers[0]).toContain('`a` failed: you said no.');
    expect(answers[0]).not.toContain('STOP');
  });

  it('stops where a tool fails or is refused, and says what it left undone', async () => {
    const refused = { isError: true, text: '<tool_use_error>No.</tool_use_error>' };
    const { answers, calls } = await conversation(['run: a\nrun: b\nrun: c'], [DONE, refused]);
    expect(calls).toEqual(['Bash', 'Bash']);
    expect(answers[0]).toContain(
      'Ran `a`.\n\n`b` failed:\n\n```\nNo.\n```\n\nWhat came after it I left undone (1).',
    );
  });

  it('keeps a list by whichever tool the agent has, and says so where it has none', async () => {
    const none = { isError: true, text: 'No such tool available' };
    const tasks = await conversation(['todo: a, b'], [none, DONE, DONE]);
    expect(tasks.calls).toEqual(['TodoWrite', 'TaskCreate', 'TaskCreate']);
    expect(tasks.answers[0]).toContain('Noted 2 things to do.');
    const nothing = await conversation(['todo: a, b'], [none, none]);
    expect(nothing.answers[0]).toContain(
      'I have no list of things to do here:\n\n```\nNo such tool',
    );
  });
});

const LONG = 'line\n'.repeat(600).trimEnd();
const DONE = { isError: false, text: '' };

interface Spoken {
  readonly answers: readonly string[];
  readonly calls: readonly string[];
}

/** Plays the agent: each tool call gets the next of the results, and once there are no more, success. */
async function conversation(
  prompts: readonly string[],
  results: readonly (typeof DONE)[] = [],
): Promise<Spoken> {
  const server = await startOfflineModel('/project');
  const waiting = [...results];
  const messages: object[] = [];
  const answers: string[] = [];
  const calls: string[] = [];
  try {
    for (const content of prompts) {
      messages.push({ role: 'user', content });
      for (let last = ''; last === ''; ) {
        const block = await ask(server.url, messages);
        messages.push({ role: 'assistant', content: [block] });
        last = block.text ?? '';
        if (last !== '') answers.push(last);
        else {
          calls.push(block.name ?? '');
          messages.push({ role: 'user', content: [resultOf(waiting.shift() ?? DONE)] });
        }
      }
    }
  } finally {
    await server.close();
  }
  return { answers, calls };
}

interface Block {
  readonly text?: string;
  readonly name?: string;
}

async function ask(url: string, messages: readonly object[]): Promise<Block> {
  const body = JSON.stringify({ model: OFFLINE_MODEL, tools: [{ name: 'Bash' }], messages });
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body });
  const { content } = (await response.json()) as { content: [Block] };
  return content[0];
}

function resultOf({ isError, text }: typeof DONE): object {
  return { type: 'tool_result', tool_use_id: 'toolu_1', content: text, is_error: isError };
}

interface Agent {
  readonly project: string;
  ask(prompt: string): Promise<{ readonly tools: readonly string[]; readonly answer: string }>;
}

async function withAgent(
  { model }: { readonly model: string },
  body: (agent: Agent) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const [project, home] = [join(folder, 'project'), join(folder, 'home')];
    await mkdir(project);
    await mkdir(home);
    const server = await startOfflineModel(project);
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
      CLAUDE_CODE_ENABLE_TASKS: '0',
    };
    const options = { cwd: project, model, env, settingSources: [] };
    try {
      await body({ project, ask: (prompt) => answerTo(prompt, options) });
    } finally {
      await server.close();
    }
  });
}

async function answerTo(prompt: string, options: object): ReturnType<Agent['ask']> {
  const tools: string[] = [];
  const allow = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
  for await (const message of query({ prompt, options: { ...options, ...allow } as object })) {
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'tool_use') tools.push(block.name);
      }
    }
    if (message.type === 'result') {
      return { tools, answer: message.subtype === 'success' ? message.result : message.subtype };
    }
  }
  throw new Error('the agent ended without a result');
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), await readFile(path, 'utf8')];
  });
  return Object.fromEntries(await Promise.all(texts));
}
