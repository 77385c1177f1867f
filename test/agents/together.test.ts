import { afterEach, expect, it } from 'vitest';
import { AgentBed } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { AGENTS } from './real/agents.ts';
import { CLAUDE_CODE } from './real/claude-code.ts';
import { CODEX } from './real/codex.ts';

const MINE = 'The work of the first agent';
const OTHERS = 'The work of the second agent';

/** Each runs a command in the middle of which the other's writes. */
function story(prompt: string, own: string, other: string): Story {
  const meet = (what: string): string =>
    `touch ~/${own}-${what}; until [ -e ~/${other}-${what} ]; do sleep 0.1; done`;
  const command = `${meet('began')}; echo ${own} > ${own}-command.txt; ${meet('wrote')}`;
  return {
    [prompt]: [
      [{ act: 'write', path: `${own}-tool.txt`, content: `${own}\n` }],
      [{ act: 'run', command }],
    ],
  };
}

let bed: AgentBed;
afterEach(() => bed.close());

it.each(AGENTS)('keeps $name and another agent apart in one worktree', async (agent) => {
  const another = agent === CODEX ? CLAUDE_CODE : CODEX;
  bed = new AgentBed({ 'a.txt': 'a\n' });
  await bed.add(agent, story(MINE, 'mine', 'others'));
  await bed.add(another, story(OTHERS, 'others', 'mine'));
  await bed.savepoint('init', '--agent', `${agent.name},${another.name}`, '--yes');
  await Promise.all([bed.prompt(agent, MINE), bed.prompt(another, OTHERS)]);
  const atLast = bed.files();

  const [mine = '', others = ''] = await bed.checkpoints(MINE, OTHERS);
  for (const [id, own] of [
    [mine, 'mine'],
    [others, 'others'],
  ] as const) {
    await bed.savepoint('rewind', id, '--yes');
    const { [`${own}-tool.txt`]: _own, ...rest } = atLast;
    // Nobody can tell whose command made the other files.
    expect(bed.files()).toEqual(rest);
    await bed.savepoint('undo', '--yes');
    expect(bed.files()).toEqual(atLast);
  }
  await bed.savepoint('rewind', mine, '--yes', '--include-shared');
  expect(Object.keys(bed.files())).toEqual(['a.txt', 'others-tool.txt']);
});
