import { describe, expect, it } from 'vitest';
import type { TrackedPath } from '../../index.ts';
import type { ConversationEvents, Prompt, TurnEnd } from '../sdk/conversation.ts';
import type { Session } from '../sessions/session-manager.ts';
import type { LiveConversation } from './conversation-desk.ts';
import { PrintRunner, type PrintRunnerParts, type TurnFiles } from './print-runner.ts';

const SESSION: Session = {
  id: 'session-1',
  name: null,
  project: '/p',
  parentId: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  turns: [],
};

describe('PrintRunner', () => {
  it('prints the answer, and nothing in it that steers a terminal', async () => {
    const { run, out, errors, log } = printing({ text: 'Hello\n\u001b[2Jthere' });
    expect(await run()).toBe(0);
    expect(out).toEqual(['Hello\n\\x1b[2Jthere\n']);
    expect(errors).toEqual([]);
    // The checkpoint stands before the prompt is sent, and everything is closed at the end.
    expect(log).toEqual([
      'start',
      'prompt begins',
      'turn added',
      'sent hi',
      'tool ends t1',
      'turn ended m1',
      'turn ends',
      'closed',
      'flushed',
    ]);
  });

  it('prints one JSON object with what a program wants to know', async () => {
    const { run, out, sent } = printing({ format: 'json', text: 'Hello' });
    expect(await run()).toBe(0);
    expect(out).toHaveLength(1);
    expect(JSON.parse(out[0] ?? '')).toEqual({
      version: 1,
      sessionId: 'session-1',
      result: 'Hello',
      isError: false,
      durationMs: 250,
      checkpointId: sent[0]?.uuid,
      files: ['a.txt'],
    });
  });

  it('leaves open what nobody knows where checkpoints and the engine are off', async () => {
    const { run, out } = printing({
      format: 'json',
      text: 'x',
      files: null,
      checkpointManager: null,
    });
    expect(await run()).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ checkpointId: null, files: null });
  });

  it('says why a turn failed, and exits with 1', async () => {
    const failed = { outcome: 'failed' as const, text: 'API Error: 400' };
    const text = printing(failed);
    expect(await text.run()).toBe(1);
    expect([text.out, text.errors]).toEqual([[], ['API Error: 400\n']]);
    const json = printing({ ...failed, format: 'json' });
    expect(await json.run()).toBe(1);
    expect(JSON.parse(json.out[0] ?? '')).toMatchObject({
      result: 'API Error: 400',
      isError: true,
    });
  });

  it('says what to do where the prompt could not even be sent', async () => {
    const missing = Object.assign(new Error('It is not installed.'), { hint: 'npm install it' });
    const { run, errors, log } = printing({ sendPrompt: () => Promise.reject(missing) });
    expect(await run()).toBe(1);
    expect(errors).toEqual(['It is not installed. (npm install it)\n']);
    expect(log.slice(-3)).toEqual(['turn ends', 'closed', 'flushed']);
  });

  it('interrupts the turn on Ctrl-C, and exits with 130', async () => {
    const controller = new AbortController();
    const { run, errors, log } = printing({
      outcome: 'interrupted',
      signal: controller.signal,
      whileRunning: () => controller.abort(),
    });
    expect(await run()).toBe(130);
    expect(errors).toEqual(['Interrupted.\n']);
    expect(log).toContain('interrupt');
  });

  it('sends nothing when Ctrl-C came first', async () => {
    const { run, log } = printing({ signal: AbortSignal.abort() });
    expect(await run()).toBe(130);
    expect(log).toEqual([]);
  });

  it('sends nothing when Ctrl-C came while the checkpoint was made', async () => {
    const controller = new AbortController();
    const begins = async (): Promise<void> => controller.abort();
    const files = { ...agentFiles([]), promptBegins: begins };
    const { run, sent, log } = printing({ signal: controller.signal, files });
    expect(await run()).toBe(130);
    expect(sent).toEqual([]);
    expect(log.slice(-2)).toEqual(['closed', 'flushed']);
  });

  it('says what of the turn is not on record, beside the answer', async () => {
    const files = { ...agentFiles([]), takeGaps: () => ['Bash could not be recorded: it is full'] };
    const { run, out, errors } = printing({ text: 'Hello', files });
    expect(await run()).toBe(0);
    expect(out).toEqual(['Hello\n']);
    expect(errors).toEqual(['Bash could not be recorded: it is full\n']);
  });

  it('still gives the answer when what changed cannot be told', async () => {
    const broken = {
      ...agentFiles([]),
      diff: () => Promise.reject(new Error('the store is gone')),
    };
    const { run, out, errors } = printing({ format: 'json', text: 'Hello', files: broken });
    expect(await run()).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ result: 'Hello', files: null });
    expect(errors).toEqual(['What changed cannot be told: the store is gone\n']);
  });
});

interface Printing extends Partial<PrintRunnerParts> {
  readonly text?: string;
  readonly outcome?: TurnEnd['outcome'];
  readonly sendPrompt?: LiveConversation['sendPrompt'];
  readonly whileRunning?: () => void;
}

/** A runner over a conversation that answers at once, with all that it printed and did. */
function printing({ text = '', outcome = 'done', sendPrompt, whileRunning, ...parts }: Printing) {
  const out: string[] = [];
  const errors: string[] = [];
  const log: string[] = [];
  const sent: Prompt[] = [];
  let time = 0;
  const converse = (events: ConversationEvents): LiveConversation => ({
    start: () => void log.push('start'),
    sendPrompt: async (prompt) => {
      if (sendPrompt !== undefined) return sendPrompt(prompt);
      log.push(`sent ${prompt.text}`);
      sent.push(prompt);
      whileRunning?.();
      events.onToolResult({ id: 't1', text: 'ok', isError: false });
      events.onTurnEnd({ promptId: prompt.uuid, lastMessageId: 'm1', outcome, text });
    },
    interrupt: async () => void log.push('interrupt'),
    setPermissionMode: async () => undefined,
    close: async () => void log.push('closed'),
    getQueryInstance: () => null,
  });
  const runner = new PrintRunner({
    prompt: 'hi',
    format: 'text',
    session: SESSION,
    start: { sessionId: SESSION.id, from: null },
    sessionManager: {
      addTurn: async (session) => {
        log.push('turn added');
        return session;
      },
      endTurn: async (session, _, lastMessageId) => {
        log.push(`turn ended ${lastMessageId}`);
        return session;
      },
    },
    converse,
    files: agentFiles(log),
    checkpointManager: { flush: async () => void log.push('flushed') },
    write: (one) => void out.push(one),
    writeError: (one) => void errors.push(one),
    signal: new AbortController().signal,
    now: () => {
      time += 250;
      return time;
    },
    ...parts,
  });
  return { run: () => runner.run(), out, errors, log, sent };
}

/** The part of the engine that a turn without a terminal uses. */
function agentFiles(log: string[]): TurnFiles {
  return {
    notices: () => [],
    takeGaps: () => [],
    toolEnds: async (id) => void log.push(`tool ends ${id}`),
    promptBegins: async () => void log.push('prompt begins'),
    turnEnds: async () => void log.push('turn ends'),
    holds: async () => true,
    diff: async () => {
      const state = { kind: 'absent' as const };
      const path = 'a.txt' as TrackedPath;
      return [{ path, before: state, after: state, beforeBytes: null, afterBytes: null }];
    },
  };
}
