import { basename } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadAdapter } from '../../src/agents/adapters.ts';
import type { AgentEvent } from '../../src/agents/agent-adapter.ts';
import { AgentBed } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { AGENTS } from './real/agents.ts';
import { dumpPayloads, payloads } from './real/dump-hooks.ts';

const STORY: Story = {
  'Story one begins': [
    [{ act: 'read', path: 'app.txt' }],
    [{ act: 'edit', path: 'app.txt', from: 'two', to: 'TWO' }],
    [{ act: 'write', path: 'made/new.txt', content: 'new\n' }],
    [
      { act: 'run', command: 'sed -i s/keep/gone/ notes.txt' },
      { act: 'run', command: 'echo par > par.txt' },
    ],
    [{ act: 'run', command: 'exit 3' }],
    [{ act: 'delegate', prompt: 'Story helper works' }],
    [{ act: 'wait' }],
  ],
  'Story helper works': [
    [{ act: 'run', command: 'echo sub > sub.txt' }],
    [{ act: 'write', path: 'sub2.txt', content: 's\n' }],
  ],
  'Story two begins': [[{ act: 'run', command: 'echo two > two.txt' }]],
};

/** Named by a tool, or in a command; each begins and ends. */
const WRITES = [
  'app.txt',
  'new.txt',
  'sed -i s/keep/gone/ notes.txt',
  'echo par > par.txt',
  'exit 3',
  'echo sub > sub.txt',
  'sub2.txt',
  'echo two > two.txt',
];

let bed: AgentBed;
afterEach(() => bed.close());

it.each(AGENTS)('reads every payload that $name sends', async (agent) => {
  bed = new AgentBed({ 'app.txt': 'one\ntwo\nthree\n', 'notes.txt': 'keep\n' });
  await bed.add(agent, STORY);
  dumpPayloads(agent.name, bed);
  await bed.prompt(agent, 'Story one begins');
  await bed.prompt(agent, 'Story two begins');

  const adapter = await loadAdapter(agent.name);
  const parsed = payloads(bed).map((payload) => adapter.parse(payload, null));
  const problems = parsed.filter(({ dropped }) =>
    ['malformed', 'unknown-event'].includes(dropped?.reason ?? ''),
  );
  expect(problems).toEqual([]);
  const lines = parsed.flatMap(({ events }) => events.map(lineOf));
  expect(lines).toEqual(
    expect.arrayContaining([
      'message Story one begins',
      'message Story two begins',
      ...WRITES.flatMap((write) => [`before-tool ${write}`, `after-tool ${write}`]),
    ]),
  );
});

function lineOf(event: AgentEvent): string {
  // opencode puts quotes around a prompt that it gets as an argument.
  if (event.kind === 'message') return `message ${event.prompt.replaceAll('"', '')}`;
  if (event.kind !== 'before-tool' && event.kind !== 'after-tool') return event.kind;
  const { act } = event;
  if (act === null) return `${event.kind} ${event.toolCallId}`;
  return `${event.kind} ${act.kind === 'files' ? act.paths.map((path) => basename(path)) : act.command}`;
}
