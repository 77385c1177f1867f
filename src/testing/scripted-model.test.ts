import { describe, expect, it } from 'vitest';
import { overloaded, say, slowly, think, useTool } from '../messages-server/index.ts';
import { type Script, type ScriptedModel, startScriptedModel } from './scripted-model.ts';

describe('the scripted model', () => {
  it('gives the replies of a prompt one after the other, by what the conversation holds', async () => {
    const script = { 'make it': [[useTool('Write', { file_path: '/a' })], [say('made')]] };
    await withModel(script, async (model) => {
      const first = await ask(model, [user('make it')]);
      expect(first).toMatchObject({
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'Write', input: { file_path: '/a' } }],
      });
      const called = [user('make it'), assistant(first.content), result('toolu_1', 'ok')];
      expect(await ask(model, called)).toMatchObject({
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'made' }],
      });
      // The same prompt again begins at its first step.
      const again = [...called, assistant([say('made')]), user('make it')];
      expect(await ask(model, again)).toMatchObject({ stop_reason: 'tool_use' });
      expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    });
  });

  it('finds the prompt among reminders, results of an interrupted turn and context', async () => {
    const mixed = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x', is_error: true },
        { type: 'text', text: '[Request interrupted by user for tool use]' },
        { type: 'text', text: '<system-reminder>\nbe good\n</system-reminder>' },
        { type: 'text', text: 'files were rewound' },
        { type: 'text', text: 'go on' },
      ],
    };
    const script: Script = {
      'go on': [({ context, step }) => [say(JSON.stringify({ context, step }))]],
    };
    await withModel(script, async (model) => {
      const messages = [user('before'), assistant([say('…')]), mixed];
      const note = { role: 'system', content: '# Environment' };
      expect(textOf(await ask(model, [...messages, note]))).toBe(
        '{"context":["files were rewound"],"step":0}',
      );
    });
  });

  it('hands a step the results of the tools that the last reply called', async () => {
    const script: Script = {
      look: [[useTool('Read', {})], ({ results }) => [say(`read: ${results[0]?.text}`)]],
    };
    await withModel(script, async (model) => {
      const messages = [user('look'), assistant([useTool('Read', {})]), result('toolu_1', 'hello')];
      expect(textOf(await ask(model, messages))).toBe('read: hello');
    });
  });

  it('streams texts, thoughts and tool calls in pieces that add up to them', async () => {
    const text = `Grüße, 世界 👩‍👩‍👧 and\n  x${'👍'.repeat(50)}`;
    const script = {
      hi: [[think('let me see'), say(text), useTool('Bash', { command: 'ls -l' })]],
    };
    await withModel(script, async (model) => {
      const events = await stream(model, [user('hi')]);
      expect(joined(events, 'text')).toBe(text);
      expect(events.every(({ delta }) => (delta?.text ?? '').isWellFormed())).toBe(true);
      expect(joined(events, 'thinking')).toBe('let me see');
      expect(JSON.parse(joined(events, 'partial_json'))).toEqual({ command: 'ls -l' });
      expect(events.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['message_start', 'content_block_stop', 'message_delta']),
      );
      expect(events.at(-1)?.type).toBe('message_stop');
    });
  });

  it('fails once for each failure of the script, and the next try gets what follows', async () => {
    const script = { hi: [overloaded(), overloaded(), [say('hello')]] };
    await withModel(script, async (model) => {
      for (const status of [529, 529, 200, 529]) {
        expect((await post(model, { messages: [user('hi')] })).status).toBe(status);
      }
    });
  });

  it('fails as often as it is asked where a function of the script says so', async () => {
    await withModel({ hi: [() => overloaded(), [say('never')]] }, async (model) => {
      for (const status of [529, 529, 529]) {
        expect((await post(model, { messages: [user('hi')] })).status).toBe(status);
      }
    });
  });

  it('stops sending when the client goes, and can be closed in the middle of a reply', async () => {
    await withModel({ hi: [slowly(60_000, [say('a b c')])] }, async (model) => {
      const controller = new AbortController();
      const { body } = await post(
        model,
        { messages: [user('hi')], stream: true },
        controller.signal,
      );
      const reader = body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      controller.abort();
      await expect(reader?.read()).rejects.toThrow('abort');
      const cut = await post(model, { messages: [user('hi')], stream: true });
      await model.close();
      await expect(cut.text()).rejects.toThrow('terminated');
    });
  });

  it('refuses a prompt that the script does not know, aloud', async () => {
    await withModel({}, async (model) => {
      const response = await post(model, { messages: [user('what?')] });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('The script has nothing for: what?');
    });
  });

  it('answers requests without tools harmlessly, and everything else as the API would', async () => {
    await withModel({}, async (model) => {
      const title = await post(model, { messages: [user('a title, please')], tools: [] });
      expect(title.status).toBe(200);
      const count = await fetch(`${model.url}/v1/messages/count_tokens?beta=true`, POST);
      expect(await count.json()).toEqual({ input_tokens: 1 });
      expect((await fetch(`${model.url}/v1/files`)).status).toBe(404);
      expect((await fetch(`${model.url}/v1/messages`, POST)).status).toBe(400);
    });
  });
});

const POST = { method: 'POST', body: '{}' };

async function withModel(
  script: Script,
  body: (model: ScriptedModel) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel(script);
  try {
    await body(model);
  } finally {
    await model.close();
  }
}

function user(content: string): object {
  return { role: 'user', content };
}

function assistant(content: readonly object[]): object {
  return { role: 'assistant', content };
}

function result(id: string, text: string): object {
  const content = [{ type: 'text', text }];
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
}

function post(model: ScriptedModel, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'scripted', tools: [{ name: 'Write' }], ...body }),
    ...(signal && { signal }),
  });
}

interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

async function ask(model: ScriptedModel, messages: readonly object[]): Promise<Answer> {
  return (await (await post(model, { messages })).json()) as Answer;
}

function textOf({ content }: Answer): string | undefined {
  return content[0]?.text;
}

interface Event {
  readonly type: string;
  readonly delta?: Readonly<Record<string, string>>;
}

async function stream(model: ScriptedModel, messages: readonly object[]): Promise<Event[]> {
  const text = await (await post(model, { messages, stream: true })).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Event);
}

function joined(events: readonly Event[], key: string): string {
  return events.map(({ delta }) => delta?.[key] ?? '').join('');
}
