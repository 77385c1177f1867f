import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentBed, killGroup, send } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { AGENTS } from './real/agents.ts';

const [LONG, NEXT] = ['Begin the long one', 'Go on with it'] as const;
const STORY: Story = {
  [LONG]: [
    [{ act: 'write', path: 'tool.txt', content: 'by a tool\n' }],
    [{ act: 'run', command: 'echo changed > a.txt; echo part > part.txt; sleep 300' }],
  ],
  [NEXT]: [[{ act: 'run', command: 'echo next > next.txt' }]],
};
const BUSY = 1;
const PERSONS = 'b, says the person\n';

let bed: AgentBed;
beforeEach(() => {
  bed = new AgentBed({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
});
afterEach(() => bed.close());

describe.each(AGENTS)('$name', (agent) => {
  it('is stopped by Esc in the middle of a command, and goes on with the next prompt', async () => {
    await bed.add(agent, STORY);
    await bed.savepoint('init', '--agent', agent.name, '--yes');
    const untouched = bed.files();
    const terminal = await bed.terminal(agent);
    await send(terminal, LONG);
    await bed.made('part.txt');
    const [long = ''] = await bed.checkpoints(LONG);
    const { code } = await bed.savepoint('rewind', long, '--yes');
    expect(code).toBe(BUSY);
    expect(bed.read('a.txt')).toBe('changed\n');

    for (let times = 0; times < agent.interactive.escapes; times += 1) {
      terminal.type('\x1b');
      await pause(500);
    }
    await terminal.until(agent.interactive.interrupted);
    await commandsEnd();
    bed.write('b.txt', PERSONS);
    const beforeNext = bed.files();
    await send(terminal, NEXT);
    await bed.made('next.txt');
    await terminal.until('Done.');
    const refused = await bed.savepoint('rewind', long, '--conversation', '--yes');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('still running') });
    await terminal.close();

    const [next = ''] = await bed.checkpoints(NEXT);
    await bed.savepoint('rewind', next, '--yes');
    expect(bed.files()).toEqual(beforeNext);
    await bed.savepoint('rewind', long, '--yes');
    expect(bed.read('b.txt')).toBe(PERSONS);
    await bed.savepoint('rewind', long, '--yes', '--include-shared');
    const { 'b.txt': _persons, ...others } = bed.files();
    const { 'b.txt': _before, ...wanted } = untouched;
    expect(others).toEqual(wanted);

    /** Most agents tell a moment later that the command has ended; Claude Code never does. */
    async function commandsEnd(): Promise<void> {
      for (let times = 0; times < 20; times += 1) {
        const { out } = await bed.savepoint('status', '--json');
        if (JSON.parse(out).running.length === 0) return;
        await pause(100);
      }
    }
  });

  it('is killed in the middle of a command, and what others do later is theirs', async () => {
    await bed.add(agent, STORY);
    await bed.savepoint('init', '--agent', agent.name, '--yes');
    const untouched = bed.files();
    const running = bed.start(agent.program, agent.once(LONG, null), bed.env(agent));
    await bed.made('part.txt');
    killGroup(running);
    await bed.prompt(agent, NEXT);
    const atLast = bed.files();

    const [long = '', next = ''] = await bed.checkpoints(LONG, NEXT);
    await bed.savepoint('rewind', next, '--yes');
    const { 'next.txt': _gone, ...before } = atLast;
    expect(bed.files()).toEqual(before);
    await bed.savepoint('rewind', long, '--yes', '--include-shared');
    expect(bed.files()).toEqual(untouched);
  });
});
