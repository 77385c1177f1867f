import { expect, it } from 'vitest';
import { useTool as call, type Script, say, slowly } from '../../src/testing/index.ts';
import { type Agent, CTRL_C, isIdle, menuRows, timesIn } from './agent.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const WRITE = 'Make the file one.txt';
const TALK = 'Tell me a long story';

function script(project: AgentProject): Script {
  const write = call('Write', { file_path: project.path('one.txt'), content: 'made\n' });
  const story = Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ');
  return {
    [WRITE]: [[write], [say('That was it.')]],
    [TALK]: [slowly(100, [say(story)])],
  };
}

const IN_SHELL = { inShell: true };
const QUESTION = /^Create (one|notes)\.txt\?$/m;
const isAsked = (screen: string): boolean => QUESTION.test(screen);

it('takes Ctrl-C in every state for the way out of it, and leaves the terminal as it was', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start([], IN_SHELL);
    // At an empty input it takes two.
    await agent.press(CTRL_C, 'press Ctrl-C again to leave');
    await agent.press('some text', '> some text');
    await agent.press(CTRL_C, (screen) => !screen.includes('some text'));
    await agent.press(`${TALK}\r`, 'word3');
    await agent.press(CTRL_C, (screen) => screen.includes('Interrupted.') && isIdle(screen));

    await agent.press(`${WRITE}\r`, isAsked);
    // Which says no, and the turn goes on.
    const isOver = (times: number) => (screen: string) =>
      timesIn(screen, 'That was it.') === times && isIdle(screen);
    await agent.press(CTRL_C, isOver(1));
    expect(project.read('one.txt')).toBeNull();
    await agent.press(`${WRITE}\r`, isAsked);
    await agent.press('1', isOver(2));
    expect(project.read('one.txt')).toBe('made\n');

    const isLeft = (screen: string): boolean =>
      menuRows(screen).length === 0 && !screen.includes('Rewind to: ');
    await agent.openMenu(3);
    await agent.press(CTRL_C, isLeft);
    await agent.openMenu(3);
    await agent.press('1', 'Rewind to: ');
    await agent.press(CTRL_C, isLeft);
    expect(project.read('one.txt')).toBe('made\n');
    await agent.command('/resume', 'Conversations');
    await agent.press(CTRL_C, 'Exited conversation selection.');

    await agent.press(CTRL_C, 'press Ctrl-C again to leave');
    agent.type(CTRL_C);
    await expectSane(agent, 0);
  }));

it('leaves the terminal as it was when it is told to end in the middle of an answer', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start([], IN_SHELL);
    await agent.press(`${TALK}\r`, 'word3');
    agent.killGroup('SIGTERM');
    await expectSane(agent, 143);
  }));

it('offers the demonstration model where there are no credentials, and goes on or leaves', () =>
  inAgentProject({}, null, async (project) => {
    const ready = 'Go on with the offline demonstration model? [Y/n]';
    const left = await project.start([], { ...IN_SHELL, ready });
    left.type(CTRL_C);
    await expectSane(left, 130);
    const agent = await project.start([], { ...IN_SHELL, ready });
    await agent.press('y\r', 'demonstration model, offline');
    await agent.press('write notes.txt: milk\r', isAsked);
    await agent.press('2', (screen) => screen.includes('Wrote notes.txt.') && isIdle(screen));
    expect(project.read('notes.txt')).toBe('milk\n');
    expect(await agent.openMenu(1)).toContain('1 file +1 -0');
    await agent.rewind(1, 'files', 'Restored to checkpoint: write notes.txt: milk');
    expect(project.read('notes.txt')).toBeNull();
    agent.type(CTRL_C + CTRL_C);
    await expectSane(agent, 0);
  }));

/** The modes are those of before, the screen is the ordinary one, and the input is gone from it. */
async function expectSane(agent: Agent, code: number): Promise<void> {
  await agent.exit();
  const screen = agent.allRows().join('\n');
  expect(screen).toContain(`code=${code}\n`);
  const modes = screen.slice(screen.indexOf('code=')).replaceAll(/\s+/g, ' ');
  for (const mode of ['icanon', 'isig', 'echo', 'icrnl', 'opost']) {
    expect(modes).toMatch(new RegExp(`[ ;]${mode}\\b`));
  }
  for (const [sane, other] of [
    ['\x1b[?25h', '\x1b[?25l'],
    ['\x1b[?2004l', '\x1b[?2004h'],
  ] as const) {
    expect(agent.raw.lastIndexOf(sane)).toBeGreaterThanOrEqual(agent.raw.lastIndexOf(other));
  }
  expect(agent.isOrdinary).toBe(true);
}
