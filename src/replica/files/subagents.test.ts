import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { RunnerBed } from '../../../test/replica/runner-bed.ts';
import { type Script, say, scripted, startScriptedModel, useTool } from '../../testing/index.ts';
import { loadSdk } from '../sdk/load-sdk.ts';

const FIRST = 'Have somebody look after the background';
const SECOND = 'Write two.txt';
const TASK = 'Write background.txt and shell.txt';
const PATIENCE = { timeout: 30_000, interval: 20 };

it("counts a sub-agent's edits to the prompt that started it, also after that and the next have ended", async () => {
  const bed = new RunnerBed();
  const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>();
  const write = (name: string) =>
    useTool('Write', { file_path: join(bed.project, name), content: `${name}\n` });
  const script: Script = {
    [FIRST]: [
      [
        useTool('Agent', {
          description: 'in the background',
          prompt: TASK,
          subagent_type: 'general-purpose',
          run_in_background: true,
        }),
      ],
      [write('one.txt')],
      [say('It is at work.')],
    ],
    [TASK]: [
      async () => {
        await mayWrite;
        return [write('background.txt')];
      },
      [useTool('Bash', { command: 'echo made by a shell > shell.txt' })],
      [say('All is written.')],
    ],
    [SECOND]: [[write('two.txt')], [say('Written.')]],
  };
  const known = scripted(script);
  const model = await startScriptedModel(async (request) => {
    const said = JSON.stringify(request.messages.at(-1));
    // The program tells of its own accord when the sub-agent is done.
    return said.includes('<task-notification>') ? [say('Good.')] : known(request);
  });
  try {
    const env = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    const runner = await bed.runner({ sdk: await loadSdk(), env, engine: true });
    bed.run(runner);
    await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
    for (const prompt of [FIRST, SECOND]) {
      bed.ui.handlers?.onSubmit(prompt);
      await vi.waitFor(() => expect(bed.ui.activity).not.toBeNull(), PATIENCE);
      await vi.waitFor(() => expect(bed.ui.activity).toBeNull(), PATIENCE);
    }
    expect(readdirSync(bed.project).sort()).toEqual(['one.txt', 'two.txt']);
    expect(bed.files?.agentsAtWork).toBe(1);
    letWrite();
    await vi.waitFor(() => expect(bed.files?.agentsAtWork).toBe(0), PATIENCE);
    expect(existsSync(join(bed.project, 'shell.txt'))).toBe(true);

    const changed = async (prompt: string): Promise<string[]> => {
      const savepoint = bed.files?.savepoint;
      const listed = (await savepoint?.list({ kinds: ['message'] })) ?? [];
      const { id = '' } = listed.find(({ description }) => description === prompt) ?? {};
      const plan = await savepoint?.planRewind({ to: id, take: 'message', force: true });
      return plan?.lines.map(({ path, action }) => `${action} ${path}`) ?? [];
    };
    expect(await changed(SECOND)).toEqual(['delete two.txt']);
    expect(await changed(FIRST)).toEqual([
      'delete background.txt',
      'delete one.txt',
      'delete shell.txt',
    ]);
    expect(bed.ui.warnings).toEqual([]);
    expect(bed.ui.errors).toEqual([]);
  } finally {
    letWrite();
    await bed.remove();
    await model.close();
  }
}, 60_000);
