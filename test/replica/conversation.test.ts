import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import type { Agent } from './agent.ts';
import { type AgentProject, inAgentProject, written } from './agent-project.ts';

const ONE = 'Make the file one.txt';
const TWO = 'Make the file two.txt';
const THREE = 'Talk of something else';
const FOUR = 'Go on where we were';
const FIVE = 'Begin anew';
const PROMPTS = [ONE, TWO, THREE, FOUR, FIVE];

function script(project: AgentProject): Script {
  const write = (name: string) => call('Write', { file_path: project.path(name), content: 'x\n' });
  return {
    [ONE]: [[write('one.txt')], [say('Made the first.')]],
    [TWO]: [[write('two.txt')], [say('Made the second.')]],
    [THREE]: [[say('Of what?')]],
    [FOUR]: [[say('Gladly.')]],
    [FIVE]: [[say('A new leaf.')]],
  };
}

it('goes back in the conversation, on a branch of its own', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start();
    const [first = ''] = project.sessions();
    await agent.ask(ONE, 'Made the first.');
    await agent.ask(TWO, 'Made the second.');

    await agent.openMenu(2);
    await agent.rewind(1, 'conversation', `Restored to checkpoint: ${TWO}`);
    expect(files(project)).toEqual(['one.txt', 'two.txt']);
    // As if the second prompt had never been sent.
    expect(agent.screen()).toContain('Made the first.');
    expect(agent.screen()).not.toContain('Made the second.');
    await takenBack(agent, TWO);
    const [fork = ''] = project.sessions().filter((id) => id !== first);
    // What came before is there for the new branch as well, and is still there for the old one.
    await written(descriptions(project, fork)).toEqual([ONE]);
    await written(descriptions(project, first)).toEqual([TWO, ONE]);
    await agent.ask(THREE, 'Of what?');
    expect(prompts(project)).toEqual([ONE, THREE]);
    await written(descriptions(project, fork)).toEqual([THREE, ONE]);

    const listed = await agent.command('/sessions', (now) => now.includes(first.slice(0, 8)));
    expect(listed).toMatch(new RegExp(`\\* 1 +${fork.slice(0, 8)} .* 2 prompts +${ONE}`));
    expect(listed).toMatch(new RegExp(` 2 +${first.slice(0, 8)} .* 2 prompts +${ONE}`));
    await agent.command(`/resume ${first.slice(0, 8)}`, 'Resumed "Make the file one.txt"');
    await agent.ask(FOUR, 'Gladly.');
    expect(prompts(project)).toEqual([ONE, TWO, FOUR]);

    // To before the very first prompt, with the files.
    await agent.openMenu(3);
    await agent.rewind(3, 'both', `Restored to checkpoint: ${ONE}`);
    expect(files(project)).toEqual([]);
    await takenBack(agent, ONE);
    const [anew = ''] = project.sessions().filter((id) => id !== first && id !== fork);
    await written(descriptions(project, anew)).toEqual([]);
    await agent.ask(FIVE, 'A new leaf.');
    expect(prompts(project)).toEqual([FIVE]);
    expect(told(project)).toEqual(['one.txt\ntwo.txt']);
    await written(descriptions(project, anew)).toEqual([FIVE]);

    // On another branch it has not heard of the files yet.
    await agent.openMenu(1);
    await agent.rewind(1, 'conversation', `Restored to checkpoint: ${FIVE}`);
    await takenBack(agent, FIVE);
    await agent.ask(THREE, 'Of what?');
    expect(prompts(project)).toEqual([THREE]);
    expect(told(project)).toEqual(['one.txt\ntwo.txt']);

    // A branch on which nothing was said is not kept.
    const kept = project.sessions();
    await agent.openMenu(1);
    await agent.rewind(1, 'conversation', `Restored to checkpoint: ${THREE}`);
    await takenBack(agent, THREE);
    expect(project.sessions()).toHaveLength(kept.length + 1);
    expect(await agent.leave()).toBe(0);
    expect(project.sessions().sort()).toEqual(kept.sort());

    const { value } = await project.json(['chat', 'sessions']);
    expect(value.sessions).toMatchObject([
      { parentId: anew, prompts: 1 },
      { id: anew, parentId: first, prompts: 1 },
      { id: first, parentId: null, prompts: 3 },
      { id: fork, parentId: first, prompts: 2 },
    ]);
  }));

/** The prompt is in the input, to be edited; here it is cleared. */
async function takenBack(agent: Agent, prompt: string): Promise<void> {
  const isInInput = (screen: string): boolean => screen.includes(`─\n> ${prompt}\n─`);
  await agent.until(isInInput);
  await agent.press('\x15', (screen) => !isInInput(screen));
}

function files(project: AgentProject): string[] {
  return ['one.txt', 'two.txt'].filter((name) => project.read(name) !== null);
}

function descriptions(project: AgentProject, session: string): () => string[] {
  return () => project.metadata(session).checkpoints.map(({ description }) => description);
}

/** What a person said in the conversation as the model was sent it last. */
function prompts(project: AgentProject): string[] {
  return project.lastAsked().filter((text) => PROMPTS.includes(text));
}

/** The files that the agent was told of as rewound, with the prompts that the model was sent last. */
function told(project: AgentProject): string[] {
  const notices = project.lastAsked().filter((text) => text.startsWith('The user has rewound'));
  return notices.map((text) => text.slice(text.indexOf(':\n') + 2));
}
