import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { LiveMessageGenerator } from './live-query.ts';
import { MessageRouter } from './message-router.ts';

const message = (text: string): SDKUserMessage =>
  new MessageRouter().buildStreamMessage({ uuid: text, text, context: [] });

async function uuidsOf(messages: AsyncIterable<SDKUserMessage>): Promise<unknown[]> {
  const uuids = [];
  for await (const { uuid } of messages) uuids.push(uuid);
  return uuids;
}

describe('LiveMessageGenerator', () => {
  it('gives what is pushed before and while it is read, in order, until it is closed', async () => {
    const live = new LiveMessageGenerator();
    live.push(message('a'));
    const read = uuidsOf(live);
    live.push(message('b'));
    await new Promise(setImmediate);
    live.push(message('c'));
    await new Promise(setImmediate);
    live.close();
    expect(await read).toEqual(['a', 'b', 'c']);
  });

  it('drops what nobody read when it is closed, and takes no more', async () => {
    const live = new LiveMessageGenerator();
    live.push(message('a'));
    live.close();
    live.close();
    expect(() => live.push(message('b'))).toThrow('The conversation is closed.');
    expect(await uuidsOf(live)).toEqual([]);
  });
});
