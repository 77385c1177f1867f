import { setTimeout } from 'node:timers/promises';
import type { Bed } from '../e2e/engine-bed.ts';

const PROMPTS = [
  ['m1', 'Add a page for login', 'src/login.ts', 'export const login = 1;\n'],
  ['m2', 'Write tests for the cart', 'test/cart.ts', 'import "node:test";\nok();\n'],
  ['m3', 'Fix the redirect after login', 'src/login.ts', 'export const login = 2;\nredirect();\n'],
  ['m4', 'Format everything', 'src/cart.ts', 'export const cart = [];\n'],
] as const;

/** Prompts of one agent, of which the last was taken back, a save, and an execution of two steps. */
export async function tellStory(bed: Bed): Promise<void> {
  const { savepoint } = bed;
  for (const [messageId, description, path, content] of PROMPTS) {
    const session = { sessionId: 'agent', agent: 'claude-code' };
    // Marks of one moment are one mark: the prompt that is taken back stands apart, however busy the machine is.
    if (messageId === 'm4') await setTimeout(150);
    await savepoint.checkpoint({ ...session, messageId, description });
    await bed.write(messageId, path, content);
  }
  await savepoint.checkpoint({
    sessionId: 'other',
    agent: 'codex',
    messageId: 'c1',
    description: 'Explain the build\nwith many words\u202e',
  });
  await bed.rewind('m4');
  await savepoint.checkpoint({ description: 'before the upgrade', label: 'v1' });
  await runSteps(bed);
}

async function runSteps({ savepoint }: Bed): Promise<void> {
  const run = await savepoint.execution('notes-1', { state: { written: [] as string[] } });
  await run.step('fetch', async (context) => {
    await context.effect('asked example.com for a page');
  });
  await run.step('write', async (context) => {
    await context.files.write('notes.md', 'the text\n');
    context.state.written.push('notes.md');
  });
  await run.leave();
}
