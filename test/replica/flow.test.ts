import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { type Agent, isIdle, menuRows, timesIn } from './agent.ts';
import { type AgentProject, inAgentProject, written } from './agent-project.ts';

const FIRST = 'Create a file utils.ts with add and subtract functions';
const SECOND = 'Add multiply and divide functions to utils.ts';
const CHINESE = '请修复解析器，然后说“好了”';
const PASTED = Array.from({ length: 1_000 }, (_, i) => `第${i % 10}行 abcde`)
  .join('\n')
  .padEnd(10_000, 'x')
  .slice(0, 10_000);

const TWO = 'export const add = 1;\nexport const subtract = 2;\n';
const FOUR = `${TWO}export const multiply = 3;\nexport const divide = 4;\n`;

function script(project: AgentProject): Script {
  const file_path = project.path('utils.ts');
  return {
    [FIRST]: [[call('Write', { file_path, content: TWO })], [say('I made the file.')]],
    [SECOND]: [
      [call('Edit', { file_path, old_string: TWO, new_string: FOUR })],
      [say('I added two.')],
    ],
    [CHINESE]: [[say('好了。')]],
    [PASTED]: [[say('I read all of it.')]],
  };
}

it('goes back to a prompt by Esc Esc, as the seed has it from end to end', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start();
    const [session = ''] = project.sessions();

    await agent.ask(FIRST, 'I made the file.');
    expect(project.read('utils.ts')).toBe(TWO);
    await written(() => project.metadata(session)).toEqual({
      checkpoints: [entryOf(FIRST, session)],
    });
    await agent.ask(SECOND, 'I added two.');
    expect(project.read('utils.ts')).toBe(FOUR);
    await written(() => project.metadata(session)).toEqual({
      checkpoints: [entryOf(SECOND, session), entryOf(FIRST, session)],
    });

    await agent.openMenu(2);
    await resized(agent);
    expect(menuRows(agent.screen())).toEqual([
      expect.stringMatching(/^1 {2}.*(just now|ago) +Add multiply and divide .* 1 file \+2 -0$/),
      expect.stringMatching(/^2 {2}.*(just now|ago) +Create a file utils\.ts .* 1 file \+4 -0$/),
    ]);
    const preview = await agent.press('1', 'Rewind to: ');
    expect(preview).toContain('restore   utils.ts');
    expect(preview).toContain('+export const multiply = 3;');
    expect(project.read('utils.ts')).toBe(FOUR);
    await agent.press('1', `Restored to checkpoint: ${SECOND}`);
    expect(project.read('utils.ts')).toBe(TWO);
    await agent.until('restored utils.ts; /undo takes it back');
    expect(agent.raw).toContain(`\x1b[32mRestored to checkpoint: ${SECOND}`);

    // The agent hears of it once.
    await agent.ask(CHINESE, '好了。');
    const told = project.lastAsked().filter((text) => text.startsWith('The user has rewound'));
    expect(told).toEqual([expect.stringMatching(/read them again .*:\nutils\.ts$/)]);
    expect(project.lastAsked().at(-1)).toBe(CHINESE);
    const newest = () => project.metadata(session).checkpoints[0];
    await written(newest).toEqual(entryOf(CHINESE, session));

    await agent.command('/undo', 'Undone; /redo does it again.');
    expect(project.read('utils.ts')).toBe(FOUR);
    await agent.command('/redo', 'Redone; /undo takes it back again.');
    expect(project.read('utils.ts')).toBe(TWO);

    await agent.press(`\x1b[200~${PASTED}\x1b[201~`, '[Pasted 1,000 lines]');
    await agent.press('\r', (screen) => screen.includes('I read all of it.') && isIdle(screen));
    expect(project.lastAsked().at(-1)).toBe(PASTED);

    await failsVisibly(agent, project);
    expect(await agent.leave()).toBe(0);
    expect(project.loggedErrors()).toMatchObject([
      { message: 'Checkpoint restore failed', error: { code: 'plan-stale' } },
    ]);
  }));

function entryOf(prompt: string, sessionId: string): object {
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  return { id, timestamp, description: prompt, sessionId };
}

/** In a narrow terminal an entry takes two rows. */
async function resized(agent: Agent): Promise<void> {
  for (const [columns, rows, first] of [
    [60, 20, /^1 {2}Add multiply .*(just now|ago) {2}1 file \+2 -0$/],
    [96, 60, /^1 {2}.*(just now|ago) +Add multiply .* \+2 -0$/],
  ] as const) {
    agent.resize(columns, rows);
    const screen = await agent.until((now) => first.test(menuRows(now)[0] ?? ''));
    expect(timesIn(screen, '❯')).toBe(1);
    expect(timesIn(screen, '0 or Esc leaves')).toBe(1);
  }
}

/** Somebody changes the file while the diff of a rewind is being read: what was shown holds no more. */
async function failsVisibly(agent: Agent, project: AgentProject): Promise<void> {
  await agent.openMenu(4);
  await agent.press('4', 'Rewind to: ');
  project.write('utils.ts', 'meanwhile\n');
  await agent.press('1', 'Restore failed: ');
  expect(project.read('utils.ts')).toBe('meanwhile\n');
  expect(agent.raw).toContain('\x1b[31mRestore failed: ');
}
