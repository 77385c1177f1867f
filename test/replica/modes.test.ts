import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { isIdle, timesIn } from './agent.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const SHIFT_TAB = '\x1b[Z';
const UP = '\x1b[A';
const QUESTION = 'Create a.txt?';
const DONE = 'That was it.';
const WRITE = (name: string): string => `Make the file ${name}`;
const PLAN = 'Make a plan';
const LATE = 'Think, then make the file d.txt';

function script(project: AgentProject, modeChanged: Promise<void>): Script {
  const write = (name: string) =>
    call('Write', { file_path: project.path(name), content: 'made\n' });
  return {
    [WRITE('a.txt')]: [[write('a.txt')], [say(DONE)]],
    [WRITE('b.txt')]: [[write('b.txt')], [say(DONE)]],
    [WRITE('c.txt')]: [[write('c.txt')], [say(DONE)]],
    [PLAN]: [[call('ExitPlanMode', { plan: '1. Make the file.' })], [say(DONE)]],
    [LATE]: [() => modeChanged.then(() => [write('d.txt')]), [say(DONE)]],
  };
}

it('changes what the SDK asks about by Shift-Tab, in a turn that runs too, and keeps the history', () => {
  const { promise: modeChanged, resolve: goOn } = Promise.withResolvers<void>();
  const scriptFor = (project: AgentProject): Script => script(project, modeChanged);
  return inAgentProject({}, scriptFor, async (project) => {
    const agent = await project.start([]);
    const isOver = (times: number) => (screen: string) =>
      timesIn(screen, DONE) === times && isIdle(screen);
    await agent.press(`${WRITE('a.txt')}\r`, QUESTION);
    await agent.press('3', isOver(1));
    expect(project.read('a.txt')).toBeNull();

    await agent.press(SHIFT_TAB, 'edits pass');
    await agent.press(`${WRITE('b.txt')}\r`, isOver(2));
    expect(project.read('b.txt')).toBe('made\n');

    await agent.press(SHIFT_TAB, 'plans only');
    await agent.press(`${PLAN}\r`, 'Go ahead with this plan?');
    // Once the plan is agreed to, the SDK is back in the mode before, and says so.
    await agent.press('1', isOver(3));
    await agent.until('edits pass');
    await agent.press(SHIFT_TAB, 'plans only');
    // Nobody asked for a mode without questions at the start: the round begins again.
    await agent.press(SHIFT_TAB, (screen) => !screen.includes('plans only'));
    expect(agent.screen()).not.toContain('asks nothing');
    await agent.press(`${WRITE('c.txt')}\r`, 'Create c.txt?');
    await agent.press('3', isOver(4));

    await agent.press(`${LATE}\r`, (screen) => !isIdle(screen));
    await agent.press(SHIFT_TAB, 'edits pass');
    goOn();
    await agent.until(isOver(5));
    expect(project.read('d.txt')).toBe('made\n');
    expect(await agent.leave()).toBe(0);

    const [folder = ''] = readdirSync(join(project.replicaHome, 'history'));
    const files = readdirSync(join(project.replicaHome, 'history', folder));
    expect(files).toHaveLength(1);
    const file = join(project.replicaHome, 'history', folder, files[0] ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(5);

    const next = await project.start();
    await next.press(UP, `> ${LATE}`);
    await next.press(UP, `> ${WRITE('c.txt')}`);
    await next.press('\x12b.t', `> ${WRITE('b.txt')}`);
    // Allowed at the start, so Shift-Tab comes back to it.
    await next.press('\x03', 'asks nothing');
    await next.press(SHIFT_TAB, (screen) => !screen.includes('asks nothing'));
    await next.press(SHIFT_TAB, 'edits pass');
    await next.press(SHIFT_TAB, 'plans only');
    await next.press(SHIFT_TAB, 'asks nothing');
  });
});
