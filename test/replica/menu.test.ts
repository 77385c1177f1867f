import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { ESCAPE, menuRows } from './agent.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const ONE = 'Write one.txt';
const TWO = 'Write two.txt';

function script(project: AgentProject): Script {
  const write = (name: string, content: string) =>
    call('Write', { file_path: project.path(name), content });
  return {
    [ONE]: [[write('one.txt', '1\n\x1b[2J2\n')], [say('One is written.')]],
    [TWO]: [[write('two.txt', 'a\n')], [say('Two is written.')]],
  };
}

it('shows what each prompt changed, the sum, the diff beside it, and other conversations behind a key', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start();
    await agent.ask(ONE, 'One is written.');
    await agent.command('/checkpoint save good so far', 'Saved ');
    await agent.ask(TWO, 'Two is written.');
    await agent.openMenu(3);
    expect(menuRows(agent.screen())).toEqual([
      expect.stringMatching(/Write two\.txt {2}1 file \+1 -0$/),
      expect.stringMatching(/good so far {2}1 file \+1 -0$/),
      expect.stringMatching(/Write one\.txt {2}1 file \+2 -0 → 2 files \+3 -0$/),
    ]);
    expect(agent.screen()).not.toContain('│');

    // The diff of what is selected, where there is room for it.
    agent.resize(120, 30);
    await agent.until((screen) => /│ \+a$/m.test(screen));
    await agent.press('\x1b[B\x1b[B', (screen) => /│ \+\\x1b\[2J2$/m.test(screen));
    for (const width of [60, 96]) {
      agent.resize(width, 30);
      await agent.until((screen) => screen.includes('❯ 3') && !screen.includes('│'));
    }

    await agent.press('d', '1  back to the list');
    expect(agent.screen()).toContain('What will be taken back:');
    await agent.press(ESCAPE, '❯ 3');
    await agent.press('/two', '1 of 3');
    await agent.press(ESCAPE, '3 of 3');
    await agent.press(ESCAPE, '/ filters');
    await agent.press(ESCAPE, (screen) => !screen.includes('/ filters'));

    await agent.command('/clear', (screen) => !screen.includes('Two is written.'));
    await agent.ask(TWO, 'Two is written.');
    await agent.openMenu(1);
    const others = await agent.press('o', 'Other conversations: ');
    expect(others).toContain('Write one.txt');
    expect(others).toContain('good so far');
    await agent.press(ESCAPE, 'Rewind: what');
    await agent.press('o', 'Other conversations: ');
    await agent.press('/one\r', 'Rewind to: Write one.txt');
    const done = await agent.press('1', '/undo takes it back');
    expect(done).toContain('deleted 2 files; /undo takes it back');
    expect([project.read('one.txt'), project.read('two.txt')]).toEqual([null, null]);
    expect(await agent.leave()).toBe(0);
  }));
