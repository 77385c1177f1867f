import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentBed } from './agent-bed.ts';
import type { Story } from './model/script.ts';
import { AGENTS } from './real/agents.ts';
import { CLAUDE_CODE } from './real/claude-code.ts';

const WRITE = 'Change the file';
const UNDO = 'say that /savepoint:undo-all takes that back too';
const STATUS = 'Show this to the person as it is';
const STORY: Story = {
  [WRITE]: [
    [{ act: 'read', path: 'a.txt' }],
    [{ act: 'edit', path: 'a.txt', from: 'old', to: 'new' }],
  ],
  [UNDO]: [],
  [STATUS]: [],
};

let bed: AgentBed;
beforeEach(() => {
  bed = new AgentBed({ 'a.txt': 'old\n' });
});
afterEach(() => bed.close());

describe.runIf(AGENTS.includes(CLAUDE_CODE))('the commands in Claude Code', () => {
  it('reach the model in every case, with no more permission than their own', async () => {
    const model = await bed.add(CLAUDE_CODE, STORY);
    const asked = (): string => JSON.stringify(model.requests.at(-1));
    await bed.savepoint('init', '--agent', 'claude-code', '--yes');
    await bed.prompt(CLAUDE_CODE, WRITE);
    expect(bed.read('a.txt')).toBe('new\n');
    await command('/savepoint:undo');
    expect(bed.read('a.txt')).toBe('old\n');
    expect(asked()).toContain('Done: 1 restored.');
    // Each of these ends with another code than 0, which Claude Code would take for a failure.
    await command('/savepoint:undo');
    expect(asked()).toContain('Nothing to do: its session changed nothing');
    await bed.savepoint('off');
    await command('/savepoint:status');
    expect(asked()).toContain('because of savepoint off');
  });
});

/** Asks as a person who allows nothing by the way. */
async function command(words: string): Promise<void> {
  const args = CLAUDE_CODE.once(words, bed.sessionOf(CLAUDE_CODE));
  const asking = args.map((arg) => (arg === 'bypassPermissions' ? 'default' : arg));
  const { out } = await bed.run('claude', asking, bed.env(CLAUDE_CODE));
  expect(JSON.parse(out)).toMatchObject({ result: 'Done.' });
}
