import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadAdapter } from '../../src/agents/adapters.ts';
import { loadFork } from '../../src/agents/fork-conversation.ts';
import type { Conversation } from '../../src/index.ts';
import { AgentBed } from './agent-bed.ts';
import { keptConversation } from './kept-conversation.ts';
import type { Story } from './model/script.ts';
import { AGENTS } from './real/agents.ts';
import { dumpPayloads, payloads } from './real/dump-hooks.ts';
import type { RealAgent } from './real/real-agent.ts';

const [FIRST, SECOND, THIRD, ELSEWHERE] = [
  'The first prompt',
  'The second prompt',
  'The third prompt',
  'Now something else',
] as const;
const STORY: Story = {
  [FIRST]: [[{ act: 'run', command: 'echo 1 > one.txt' }]],
  [SECOND]: [[{ act: 'run', command: 'echo 2 > two.txt' }]],
  [THIRD]: [],
  [ELSEWHERE]: [],
};

let bed: AgentBed;
afterEach(() => bed.close());

it.each(AGENTS)(
  'forks a conversation of $name before a prompt, and asks no model',
  async (agent) => {
    bed = new AgentBed({ 'a.txt': 'a\n', 'part/b.txt': 'b\n' });
    // Agents are often started in a folder of the project.
    bed.folder = join(bed.project, 'part');
    const model = await bed.add(agent, STORY);
    dumpPayloads(agent.name, bed);
    for (const prompt of [FIRST, SECOND, THIRD]) await bed.prompt(agent, prompt);
    const sessionId = bed.sessionOf(agent);
    const asked = model.requests.length;
    const told = keptConversation(agent, bed.home, sessionId);
    const events = payloads(bed).length;

    const { conversation, sentAt } = await promptOf(agent, SECOND);
    const env = bed.env(agent);
    const fork = await loadFork(agent.name);
    const forked = await fork({ conversation, prompt: SECOND, sentAt, project: bed.project, env });

    expect(model.requests).toHaveLength(asked);
    expect(keptConversation(agent, bed.home, sessionId)).toEqual(told);
    // The hooks of the person did not run for it.
    expect(payloads(bed)).toHaveLength(events);
    expect(forked.command[0]).toBe(agent.program);
    expect(forked.command).toContain(forked.id);

    bed.continueIn(agent, forked.id ?? '');
    bed.folder = forked.folder;
    await bed.prompt(agent, ELSEWHERE);
    const [body] = model.bodiesFor(ELSEWHERE);
    expect(body).toContain(FIRST);
    expect(body).not.toContain(SECOND);
    expect(body).not.toContain(THIRD);
  },
);

/** What the hooks have told of a prompt. */
async function promptOf(
  agent: RealAgent,
  prompt: string,
): Promise<{ conversation: Conversation; sentAt: number }> {
  const { parse } = await loadAdapter(agent.name);
  for (const payload of payloads(bed)) {
    for (const event of parse(payload, null).events) {
      if (event.kind !== 'message' || !event.prompt.includes(prompt)) continue;
      const { sessionId: id, messageId, transcriptPath } = event;
      const conversation = { id, promptId: messageId, turnId: messageId, transcriptPath };
      return { conversation, sentAt: Date.parse(String(payload.timestamp ?? 0)) };
    }
  }
  throw new Error(`no hook was told of ${prompt}`);
}
