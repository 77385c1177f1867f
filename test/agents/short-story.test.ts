import { afterEach, expect, it } from 'vitest';
import { loadAdapter } from '../../src/agents/adapters.ts';
import { AgentBed } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { MORE_AGENTS } from './real/more.ts';

const [ONE, TWO, NEXT] = ['The first short part', 'The second short part', 'And what now'] as const;
const STORY: Story = {
  [ONE]: [
    [{ act: 'write', path: 'new.txt', content: 'new\n' }],
    [{ act: 'run', command: 'sed -i s/keep/gone/ notes.txt' }],
  ],
  [TWO]: [[{ act: 'run', command: 'rm old.txt; echo two > two.txt' }]],
  [NEXT]: [],
};

let bed: AgentBed;
afterEach(() => bed.close());

it.each(MORE_AGENTS)('takes back the prompts of $name, and tells it so', async (agent) => {
  bed = new AgentBed({ 'notes.txt': 'keep\n', 'old.txt': 'old\n' });
  const model = await bed.add(agent, STORY);
  await bed.savepoint('init', '--agent', agent.name, '--yes');
  const untouched = bed.files();
  await bed.prompt(agent, ONE);
  const afterOne = bed.files();
  await bed.prompt(agent, TWO);
  const atLast = bed.files();
  expect(Object.keys(atLast).sort()).toEqual(['new.txt', 'notes.txt', 'two.txt']);

  const [one = '', two = ''] = await bed.checkpoints(ONE, TWO);
  for (const [id, wanted] of [
    [two, afterOne],
    [one, untouched],
  ] as const) {
    await bed.savepoint('rewind', id, '--yes');
    expect(bed.files()).toEqual(wanted);
    await bed.savepoint('undo', '--yes');
    expect(bed.files()).toEqual(atLast);
  }
  // Copilot CLI has no way to add to a prompt.
  const { answer } = await loadAdapter(agent.name);
  if (answer('') === null) return;
  await bed.savepoint('rewind', two, '--yes');
  await bed.prompt(agent, NEXT);
  expect(model.bodiesFor(NEXT)[0]).toContain('Savepoint: since your last turn');
});
