import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import type { ConversationStart } from './conversation.ts';
import { MessageRouter } from './message-router.ts';
import type { QueryOptions } from './sdk-query-executor.ts';
import { StreamingQueryManager } from './streaming-query-manager.ts';

const START: ConversationStart = { sessionId: 'session-1', from: null };
const NOW = new Date(2026, 0, 18, 10, 30, 45);

describe('Scenario: handle a user message and capture a checkpoint: GIVEN a checkpointManager', () => {
  it('WHEN a user message with a uuid comes, THEN captureCheckpoint() gets uuid, description and session', () => {
    const { manager, captured } = talk();
    manager.handleSDKMessage(user({ isReplay: true, uuid: 'u1', content: 'Add dark mode' }));
    expect(captured).toEqual([['u1', 'Add dark mode', 'session-1']]);
  });

  it.each([
    ['a tool result', { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] }],
    [
      'what a tool result replays',
      { isReplay: true, content: [{ type: 'tool_result', tool_use_id: 't' }] },
    ],
    ['a message that is no replay', { content: 'hello' }],
    ['what the SDK made itself', { isReplay: true, isSynthetic: true, content: 'go on' }],
    ["a sub-agent's prompt", { isReplay: true, parent_tool_use_id: 'toolu_1', content: 'look' }],
  ])('does not capture %s', (_, fields) => {
    const { manager, captured } = talk();
    manager.handleSDKMessage(user({ uuid: 'u1', ...fields }));
    expect(captured).toEqual([]);
  });

  it('does without a checkpoint manager', () => {
    const { manager } = talk({ checkpoints: false });
    manager.handleSDKMessage(user({ isReplay: true, uuid: 'u1', content: 'hello' }));
  });

  it('describes what the person wrote, not what stands before it for the agent alone', async () => {
    const { manager, captured } = talk();
    await manager.sendPrompt({ uuid: 'u1', text: 'fix it', context: ['rewound: a.txt'] });
    const content = [
      { type: 'text', text: 'rewound: a.txt' },
      { type: 'text', text: 'fix it' },
    ];
    manager.handleSDKMessage(user({ isReplay: true, uuid: 'u1', content }));
    expect(captured).toEqual([['u1', 'fix it', 'session-1']]);
    const picture = user({ isReplay: true, uuid: 'u2', content: [{ type: 'image' }] });
    expect(manager.extractCheckpointDescription(picture as never)).toBe('Checkpoint at 10:30:45');
  });
});

describe('Scenario: provide access to the query: GIVEN a conversation, WHEN getQueryInstance() is called', () => {
  it('THEN gives the query while it lives, AND null before the first prompt and after its end', async () => {
    const { manager, queries, endQuery } = talk();
    expect(manager.getQueryInstance()).toBeNull();
    await manager.sendPrompt(prompt('u1'));
    expect(manager.getQueryInstance()).toBe(queries[0]?.query);
    endQuery();
    await settled();
    expect(manager.getQueryInstance()).toBeNull();
  });
});

describe('what a turn tells', () => {
  it('tells a text once, in pieces where it comes in pieces', async () => {
    const { manager, told } = talk();
    await manager.sendPrompt(prompt('u1'));
    manager.handleSDKMessage(event({ type: 'message_start', message: { id: 'm1' } }));
    manager.handleSDKMessage(piece('thinking_delta', { thinking: 'hm' }));
    manager.handleSDKMessage(assistant([{ type: 'thinking', thinking: 'hm' }], { id: 'm1' }));
    manager.handleSDKMessage(event({ type: 'content_block_stop', index: 0 }));
    manager.handleSDKMessage(piece('text_delta', { text: 'Hel' }));
    manager.handleSDKMessage(piece('text_delta', { text: 'lo' }));
    manager.handleSDKMessage(assistant([{ type: 'text', text: 'Hello' }], { id: 'm1' }));
    manager.handleSDKMessage(event({ type: 'content_block_stop', index: 1 }));
    manager.handleSDKMessage(assistant([{ type: 'text', text: 'At once.' }], { id: 'm2' }));
    manager.handleSDKMessage(result({ result: 'At once.' }));
    expect(told).toEqual([
      'thinking hm',
      'end',
      'answer Hel',
      'answer lo',
      'end',
      'answer At once.',
      'end',
      'turn u1 done At once.',
    ]);
  });

  it('tells the result where nothing else was said', async () => {
    const { manager, told } = talk();
    await manager.sendPrompt(prompt('u1'));
    manager.handleSDKMessage(result({ result: 'Compacted.' }));
    expect(told).toEqual(['answer Compacted.', 'end', 'turn u1 done Compacted.']);
  });

  it("shows a sub-agent's tool calls and not its words", async () => {
    const { manager, told } = talk();
    const blocks = [
      { type: 'text', text: 'I look' },
      { type: 'tool_use', id: 't1', name: 'Read', input: {} },
    ];
    const words = piece('text_delta', { text: 'I look' });
    manager.handleSDKMessage({ ...words, parent_tool_use_id: 'toolu_1' } as SDKMessage);
    manager.handleSDKMessage(assistant(blocks, { id: 'm1', parent: 'toolu_1' }));
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'text', text: 'a' }, { type: 'image' }],
        is_error: true,
      },
    ];
    manager.handleSDKMessage(user({ uuid: 'r', parent_tool_use_id: 'toolu_1', content }));
    expect(told).toEqual(['call t1 Read of a sub-agent', 'result t1 error a\n[image]']);
  });

  it('keeps the list of things to do, whichever tools write it', () => {
    const { manager, todos } = talk();
    const call = (id: string, name: string, input: object): void =>
      manager.handleSDKMessage(assistant([{ type: 'tool_use', id, name, input }], { id }));
    const answer = (id: string, output: unknown, is_error = false): void =>
      manager.handleSDKMessage(
        user({
          uuid: id,
          content: [{ type: 'tool_result', tool_use_id: id, is_error }],
          tool_use_result: output,
        }),
      );
    // A tool that the session does not have changes nothing.
    call('t0', 'TodoWrite', { todos: [{ content: 'never', status: 'pending' }] });
    answer('t0', 'Error: No such tool available', true);
    call('t1', 'TodoWrite', {
      todos: [{ content: 'a', status: 'completed' }, { content: 'b', status: 'in_progress' }, null],
    });
    answer('t1', {});
    call('t2', 'TaskCreate', { subject: 'c' });
    answer('t2', { task: { id: '1', subject: 'c' } });
    call('t3', 'TaskUpdate', { taskId: '1', status: 'completed' });
    answer('t3', { success: true });
    call('t4', 'TaskUpdate', { taskId: '1', status: 'pending' });
    answer('t4', { success: false });
    call('t5', 'TaskList', {});
    answer('t5', { tasks: [{ id: '2', subject: 'd', status: 'in_progress' }] });
    expect(todos).toEqual([
      [
        { text: 'a', state: 'done' },
        { text: 'b', state: 'in-progress' },
      ],
      [{ text: 'c', state: 'pending' }],
      [{ text: 'c', state: 'done' }],
      [{ text: 'd', state: 'in-progress' }],
    ]);
  });
});

describe('how a turn ends', () => {
  it.each([
    ['an API error', { result: 'API Error: 400\nno', is_error: true }, 'failed API Error: 400 no'],
    [
      'too many steps',
      { subtype: 'error_max_turns', errors: ['Reached maximum number of turns (2)'] },
      'failed Reached maximum number of turns (2)',
    ],
    [
      'a note of the SDK to itself',
      { subtype: 'error_during_execution', errors: ['[ede_diagnostic] x'] },
      'failed The agent stopped with an error.',
    ],
    [
      'an abort',
      { subtype: 'error_during_execution', errors: [], terminal_reason: 'aborted_tools' },
      'interrupted ',
    ],
  ])('says in one line that it was %s', async (_, fields, expected) => {
    const { manager, told } = talk();
    await manager.sendPrompt(prompt('u1'));
    manager.handleSDKMessage(init());
    const said = assistant([{ type: 'text', text: 'API Error' }], { id: 'm', error: 'unknown' });
    manager.handleSDKMessage(said);
    manager.handleSDKMessage(result({ is_error: true, ...fields }));
    expect(told).toEqual([`turn u1 ${expected}`]);
  });

  it('ends each prompt once, also those that shared a turn, and leaves the others open', async () => {
    const { manager, told, ends } = talk();
    for (const uuid of ['u1', 'u2', 'u3']) await manager.sendPrompt(prompt(uuid));
    manager.handleSDKMessage(assistant([{ type: 'text', text: 'x' }], { id: 'm', uuid: 'a1' }));
    manager.handleSDKMessage(result({ result: 'x', user_message_uuids: ['u1', 'u1', 'u2'] }));
    manager.handleSDKMessage(result({ result: 'x', user_message_uuids: ['u1', 'u2'] }));
    // A turn that the SDK began by itself, when a task in the background was done.
    manager.handleSDKMessage(result({ result: 'x', origin: { kind: 'task-notification' } }));
    expect(told).toEqual(['answer x', 'end', 'turn u1 done x', 'turn u2 done x']);
    expect(ends).toMatchObject([{ lastMessageId: 'a1' }, { lastMessageId: 'a1' }]);
  });

  it('names the last message that a conversation can be cut at', async () => {
    const { manager, ends } = talk();
    await manager.sendPrompt(prompt('u1'));
    manager.handleSDKMessage(user({ isReplay: true, uuid: 'u1', content: 'u1' }));
    manager.handleSDKMessage(assistant([], { id: 'm', uuid: 'a1' }));
    manager.handleSDKMessage(assistant([], { id: 'm', uuid: 'a2', parent: 'toolu_1' }));
    manager.handleSDKMessage(result({ result: 'x' }));
    expect(ends).toMatchObject([{ promptId: 'u1', lastMessageId: 'a1', outcome: 'done' }]);
    // The prompt itself is nothing that was said in its turn.
    await manager.sendPrompt(prompt('u2'));
    manager.handleSDKMessage(user({ isReplay: true, uuid: 'u2', content: 'u2' }));
    manager.handleSDKMessage(result({ result: '' }));
    expect(ends).toMatchObject([{ promptId: 'u1' }, { promptId: 'u2', lastMessageId: null }]);
  });

  it('fails every open turn when the query dies, and resumes with the next prompt', async () => {
    const { manager, told, queries, endQuery } = talk();
    await manager.sendPrompt(prompt('u1'));
    manager.handleSDKMessage(init());
    manager.handleSDKMessage(result({ result: '' }));
    await manager.sendPrompt(prompt('u2'));
    endQuery(new Error('Claude Code process terminated by signal SIGKILL'));
    await settled();
    expect(told.at(-1)).toBe(
      "turn u2 failed The agent's process has ended: Claude Code process terminated by signal SIGKILL",
    );
    await manager.sendPrompt(prompt('u3'));
    expect(queries.map(({ options }) => options.start)).toEqual([
      START,
      {
        sessionId: 'session-1',
        from: { sessionId: 'session-1', lastMessageId: null, fork: false },
      },
    ]);
    expect(queries[1]?.options.extraArgs).toEqual({ 'replay-user-messages': null });
  });

  it('interrupts what runs when it is closed, and refuses prompts from then on', async () => {
    const { manager, told } = talk();
    await manager.sendPrompt(prompt('u1'));
    await manager.close();
    expect(told).toEqual(['turn u1 interrupted ']);
    await expect(manager.sendPrompt(prompt('u2'))).rejects.toThrow('No conversation was started.');
    expect(told).toHaveLength(1);
  });
});

interface FakeQuery {
  readonly query: Query;
  readonly options: QueryOptions;
}

/** A manager over queries that say nothing by themselves, and all that it tells. */
function talk({ checkpoints = true } = {}) {
  const captured: unknown[][] = [];
  const told: string[] = [];
  const todos: unknown[] = [];
  const ends: unknown[] = [];
  const queries: FakeQuery[] = [];
  let endQuery: (error?: Error) => void = () => undefined;
  const execute = (_: unknown, options: QueryOptions): Query => {
    const ended = new Promise<void>((resolve, reject) => {
      endQuery = (error) => (error === undefined ? resolve() : reject(error));
    });
    // biome-ignore lint/correctness/useYield: it has nothing to say
    const messages = (async function* (): AsyncGenerator<SDKMessage, void> {
      await ended;
    })();
    const query = Object.assign(messages, { close: () => endQuery() }) as unknown as Query;
    queries.push({ query, options });
    return query;
  };
  const manager = new StreamingQueryManager({
    executor: { execute },
    messageRouter: new MessageRouter(),
    checkpointManager: checkpoints
      ? { captureCheckpoint: (...values) => void captured.push(values) }
      : null,
    queryOptions: () => ({ cwd: '/project', env: {} }),
    now: () => NOW,
    events: {
      onAnswerPiece: (text) => told.push(`answer ${text}`),
      onThinkingPiece: (text) => told.push(`thinking ${text}`),
      onAnswerEnd: () => told.push('end'),
      onToolUse: ({ id, name, isOfSubAgent }) =>
        told.push(`call ${id} ${name}${isOfSubAgent === true ? ' of a sub-agent' : ''}`),
      onToolResult: ({ id, isError, text }) =>
        told.push(`result ${id} ${isError ? 'error' : 'ok'} ${text}`),
      onToolOutput: (id, text) => told.push(`output ${id} ${text}`),
      onTodos: (list) => todos.push(list),
      onTurnEnd: (end) => {
        ends.push(end);
        told.push(`turn ${end.promptId} ${end.outcome} ${end.text}`);
      },
    },
  });
  manager.start(START);
  return {
    manager,
    captured,
    told,
    todos,
    ends,
    queries,
    endQuery: (error?: Error) => endQuery(error),
  };
}

const prompt = (uuid: string) => ({ uuid, text: uuid, context: [] });
const settled = (): Promise<void> => new Promise(setImmediate);

const SESSION = { session_id: 'session-1', parent_tool_use_id: null };

function user({ content, ...fields }: Record<string, unknown>): SDKMessage {
  const message = { role: 'user', content } as SDKUserMessage['message'];
  return { ...SESSION, type: 'user', message, ...fields } as SDKMessage;
}

interface AssistantFields {
  readonly id: string;
  readonly uuid?: string;
  readonly parent?: string;
  readonly error?: string;
}

function assistant(content: object[], { id, parent, ...fields }: AssistantFields): SDKMessage {
  const message = { id, role: 'assistant', content };
  const parent_tool_use_id = parent ?? null;
  return {
    ...SESSION,
    type: 'assistant',
    message,
    ...fields,
    parent_tool_use_id,
  } as unknown as SDKMessage;
}

function event(fields: object): SDKMessage {
  return { ...SESSION, type: 'stream_event', event: fields } as unknown as SDKMessage;
}

function piece(type: string, fields: object): SDKMessage {
  return event({ type: 'content_block_delta', index: 0, delta: { type, ...fields } });
}

function init(): SDKMessage {
  return { ...SESSION, type: 'system', subtype: 'init' } as unknown as SDKMessage;
}

function result(fields: object): SDKMessage {
  const success = { type: 'result', subtype: 'success', is_error: false, result: '' };
  return { ...SESSION, ...success, ...fields } as unknown as SDKMessage;
}
