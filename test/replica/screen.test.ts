import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useTool as call, type Script, say, slowly } from '../../src/testing/index.ts';
import { ENTER, ESCAPE, isIdle } from './agent.ts';
import { type AgentProject, inAgentProject, UNASKED } from './agent-project.ts';

const ONE = 'Make the file one.txt';
const TWO = 'Make the file two.txt';
const TALK = 'Tell me a long story';
const UP = '\x1b[A';
const CLEAR_LINE = '\x15';

function script(project: AgentProject): Script {
  const write = (name: string) => call('Write', { file_path: project.path(name), content: 'x\n' });
  const story = Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ');
  return {
    [ONE]: [[write('one.txt')], [say('Made the first.')]],
    [TWO]: [[write('two.txt')], [say('Made the second.')]],
    [TALK]: [slowly(100, [say(story)])],
  };
}

function checkOut(project: AgentProject, branch: string): void {
  mkdirSync(project.path('.git'), { recursive: true });
  project.write('.git/HEAD', `ref: refs/heads/${branch}\n`);
}

const statusOf = (screen: string): string => screen.split('\n').at(-1) ?? '';

it('greets in two lines, keeps the status line true at every width, and lets prompts wait', () =>
  inAgentProject({}, script, async (project) => {
    checkOut(project, 'main');
    const agent = await project.start([...UNASKED, '--model', 'claude-sonnet-4-5']);
    const [title, way, rule] = agent.screen().split('\n');
    expect(title).toMatch(/^claude-replica in .*\/project$/);
    expect(way).toBe(
      'Each prompt is a checkpoint: Esc Esc takes back files, conversation or both.',
    );
    expect(rule).toMatch(/^─+$/);
    expect(statusOf(agent.screen())).toMatch(
      /project · main · .*sonnet-4-5 · asks nothing .*Esc Esc rewinds/,
    );

    checkOut(project, 'topic');
    await agent.ask(ONE, 'Made the first.');
    const told = await agent.until('Esc Esc rewinds 1 file +1 -0');
    expect(statusOf(told)).toMatch(
      / · topic · .* · asks nothing .*· \d+% (of )?context · \$\d+\.\d\d · /,
    );
    for (const columns of [80, 60]) {
      agent.resize(columns, 30);
      // Until it is drawn anew, the terminal shows the wider rows, broken.
      const narrow = await agent.until((screen) => {
        const isRuled = screen.split('\n').at(-2) === '─'.repeat(columns);
        return isRuled && statusOf(screen).includes('Esc Esc rewinds 1 file +1 -0');
      });
      expect(statusOf(narrow)).not.toContain('…');
      expect(statusOf(narrow).length).toBeLessThanOrEqual(columns);
    }
    agent.resize(100, 60);
    await agent.until((screen) => screen.split('\n').at(-2) === '─'.repeat(100));

    await agent.press(TALK + ENTER, 'word3');
    const waits = `waits: ${TWO} (↑ takes it back)`;
    const waiting = await agent.press(TWO + ENTER, waits);
    expect(waiting).not.toContain(`> ${TWO}`);
    const taken = await agent.press(UP, (screen) => screen.includes(`─\n> ${TWO}\n─`));
    expect(taken).not.toContain('waits:');
    await agent.press(ENTER, waits);
    await agent.press(ESCAPE, (screen) => screen.includes('Made the second.') && isIdle(screen));
    expect(agent.screen()).toContain(`Interrupted.\n\n> ${TWO}\n`);
    expect(agent.screen()).not.toContain('waits:');
    expect(await agent.leave()).toBe(0);
  }));

it('draws the conversation as it stands when it is taken up, and when it goes back', () =>
  inAgentProject({}, script, async (project) => {
    const first = await project.start();
    await first.ask(ONE, 'Made the first.');
    await first.ask(TWO, 'Made the second.');
    expect(await first.leave()).toBe(0);

    const whole = [
      `> ${ONE}`,
      '● Write one.txt',
      'Made the first.',
      `> ${TWO}`,
      'Made the second.',
    ];
    const agent = await project.start(['--continue', ...UNASKED]);
    await agent.until((screen) => inOrder(screen, whole));
    await agent.press(UP, (screen) => screen.includes(`─\n> ${TWO}\n─`));
    await agent.press(CLEAR_LINE, (screen) => !screen.includes(`─\n> ${TWO}\n─`));

    await agent.command('/clear', (screen) => !screen.includes(ONE));
    await agent.command('/resume 2', 'Resumed "');
    expect(inOrder(agent.screen(), [...whole, 'Resumed "'])).toBe(true);

    await agent.openMenu(2);
    await agent.rewind(1, 'conversation', `Restored to checkpoint: ${TWO}`);
    const back = await agent.until((screen) => screen.includes(`─\n> ${TWO}\n─`));
    expect(inOrder(back, [`> ${ONE}`, 'Made the first.', 'Restored to checkpoint'])).toBe(true);
    for (const later of ['Made the second.', '● Write two.txt', 'Resumed "']) {
      expect(back).not.toContain(later);
    }
    await agent.press(CLEAR_LINE, (screen) => !screen.includes(`> ${TWO}\n─`));
    expect(await agent.leave()).toBe(0);
  }));

it('says what a missing variable means, at 60 columns between words', () =>
  inAgentProject({}, script, async (project) => {
    const agent = await project.start(UNASKED, {
      env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '0' },
      size: { columns: 60, rows: 30 },
    });
    const screen = agent.screen();
    expect(screen).toContain(
      'Warning: File checkpointing enabled in config but\nenvironment variable',
    );
    expect(screen).toContain('A rewind works without it, by Savepoint’s own timeline.');
    expect(screen).toContain('Esc Esc takes back files,\n');
    for (const row of screen.split('\n')) expect(row.length).toBeLessThanOrEqual(60);
    expect(await agent.leave()).toBe(0);
  }));

function inOrder(screen: string, texts: readonly string[]): boolean {
  let at = 0;
  return texts.every((text) => {
    const found = screen.indexOf(text, at);
    at = found + text.length;
    return found !== -1;
  });
}
