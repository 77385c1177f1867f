import { afterEach, expect, it } from 'vitest';
import { loadAdapter } from '../../src/agents/adapters.ts';
import { AgentBed, send } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { MORE_AGENTS } from './real/more.ts';
import type { PromptedAgent, TypedAgent } from './real/real-agent.ts';

const [ONE, TWO, NEXT] = ['The first short part', 'The second short part', 'And what now'] as const;
const STORY: Story = {
  [ONE]: [
    [{ act: 'write', path: 'new.txt', content: 'new\n' }],
    [{ act: 'run', command: 'sed -i s/keep/gone/ notes.txt' }],
  ],
  [TWO]: [[{ act: 'run', command: 'rm old.txt; echo two > two.txt' }]],
  [NEXT]: [[{ act: 'run', command: 'true' }]],
};

let bed: AgentBed;
afterEach(() => bed.close());

it.each(MORE_AGENTS)('takes back the prompts of $name, and tells it so', async (agent) => {
  bed = new AgentBed({ 'notes.txt': 'keep\n', 'old.txt': 'old\n' });
  const model = await bed.add(agent, STORY);
  await bed.savepoint('init', '--agent', agent.name, '--yes');
  const untouched = bed.files();
  const prompt = await prompter(agent);
  await prompt(ONE);
  const afterOne = bed.files();
  await prompt(TWO);
  const atLast = bed.files();
  expect(Object.keys(atLast).sort()).toEqual(['new.txt', 'notes.txt', 'two.txt']);

  const [one = '', two = ''] = await checkpointsOf(agent);
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
  await prompt(NEXT);
  const [first, second] = model.bodiesFor(NEXT);
  // Cline hands over what a hook says at a call, and not at a prompt.
  const heard = agent.name === 'cline' ? second : first;
  expect(heard).toContain('Savepoint: since your last turn');
});

/** Gives the agent prompts of one session, and waits until each is answered. */
async function prompter(
  agent: PromptedAgent | TypedAgent,
): Promise<(prompt: string) => Promise<void>> {
  if ('once' in agent) {
    return async (prompt) => {
      await bed.prompt(agent, prompt);
    };
  }
  const terminal = await bed.terminal(agent);
  let turns = 0;
  return async (prompt) => {
    turns += 1;
    await send(terminal, prompt);
    await bed.ended(turns);
  };
}

async function checkpointsOf({ name }: PromptedAgent | TypedAgent): Promise<string[]> {
  if (name !== 'cline') return bed.checkpoints(ONE, TWO);
  // Cline does not hand over the text of a prompt.
  const prompts = await bed.prompts();
  expect(prompts.map(({ description }) => description)).toEqual([
    'a prompt to cline',
    'a prompt to cline',
  ]);
  return prompts.map(({ id }) => id).reverse();
}
