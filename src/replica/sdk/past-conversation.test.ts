import type { SDKResultMessage, SessionMessage } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { usageOf } from './message-router.ts';
import { entriesOf, pastConversation } from './past-conversation.ts';

const text = (said: string) => ({ type: 'text', text: said });
const user = (uuid: string, ...content: object[]) => messageOf('user', uuid, content);
const agent = (uuid: string, ...content: object[]) => messageOf('assistant', uuid, content);

function messageOf(type: 'user' | 'assistant', uuid: string, content: object[]): SessionMessage {
  const message = { role: type, content };
  return {
    type,
    uuid,
    session_id: 's',
    message,
    parent_tool_use_id: null,
    parent_agent_id: null,
  };
}

const TURNS = [
  { promptId: 'p1', prompt: 'one', lastMessageId: 'a1' },
  { promptId: 'p2', prompt: 'two', lastMessageId: null },
];
const MESSAGES = [
  user('p1', text('only for the agent'), text('one')),
  agent('a0', text('Let me see.'), {
    type: 'tool_use',
    id: 't',
    name: 'Bash',
    input: { command: 'ls' },
  }),
  user('r1', { type: 'tool_result', tool_use_id: 't', content: 'a.txt' }),
  agent('a1', text('There it is.')),
  user('x', text('<task-notification>')),
  user('another uuid', text('two')),
  agent('a2', text('Gladly.')),
];
const FIRST = [
  { kind: 'user', text: 'one' },
  { kind: 'answer', text: 'Let me see.' },
  {
    kind: 'tool',
    call: { id: 't', name: 'Bash', input: { command: 'ls' } },
    result: { id: 't', text: 'a.txt', isError: false },
  },
  { kind: 'answer', text: 'There it is.' },
];
const SECOND = [
  { kind: 'user', text: 'two' },
  { kind: 'answer', text: 'Gladly.' },
];

describe('a conversation that is taken up again', () => {
  it('has prompts as they were typed, answers and tool calls, and nothing that the SDK said itself', () => {
    expect(entriesOf(MESSAGES, TURNS)).toMatchObject([...FIRST, ...SECOND]);
    expect(entriesOf(MESSAGES, TURNS)).toContainEqual(
      expect.objectContaining({ call: { id: 't', name: 'Bash', input: { command: 'ls' } } }),
    );
  });

  it('shows prompts that the SDK has not kept', () => {
    expect(entriesOf([], TURNS)).toEqual([
      { kind: 'user', text: 'one' },
      { kind: 'user', text: 'two' },
    ]);
  });

  it('ends where it was cut, and is looked for where the SDK of this conversation keeps it', async () => {
    const before = process.env.CLAUDE_CONFIG_DIR;
    const places: unknown[] = [];
    const sdk = {
      getSessionMessages: async (id: string, options: object | undefined) => {
        places.push([process.env.CLAUDE_CONFIG_DIR, id, options]);
        return MESSAGES;
      },
    };
    const place = { sdk, project: '/p', env: { HOME: '/home/me' } };
    const from = { sessionId: 'old', lastMessageId: 'a1', fork: true };
    const past = await pastConversation(place, { sessionId: 'new', from }, TURNS.slice(0, 1));
    expect(past).toMatchObject(FIRST);
    expect(places).toEqual([['/home/me/.claude', 'old', { dir: '/p' }]]);
    expect(process.env.CLAUDE_CONFIG_DIR).toBe(before);
  });
});

describe('what a conversation has used', () => {
  const last = {
    model: 'm',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 985 },
  } as unknown as Parameters<typeof usageOf>[1];
  const result = (costBasis: string): SDKResultMessage =>
    ({
      total_cost_usd: 0.5,
      modelUsage: { m: { contextWindow: 2_000, costBasis } },
    }) as unknown as SDKResultMessage;

  it('is what the SDK knows', () => {
    const context = { tokens: 1_000, window: 2_000 };
    expect(usageOf(result('list'), last)).toEqual({ model: 'm', context, costUSD: 0.5 });
  });

  it('is not what it guesses, or does not tell', () => {
    const nothing = { context: null, costUSD: null };
    expect(usageOf(result('unknown'), last)).toEqual({ model: 'm', ...nothing });
    expect(usageOf({} as SDKResultMessage, null)).toEqual({ model: null, ...nothing });
  });
});
