import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSavepoint } from 'savepoint';
import { atMost, type Benchmark } from './benchmark.ts';
import { alternate, type Samples, type Side } from './measure.ts';
import { fileName, plantTree } from './scan/tree.ts';
import type { Scratch } from './scratch.ts';

const BIN = fileURLToPath(new URL('../bin/savepoint.cjs', import.meta.url));
const FILES = 10_000;
const WHERE = `at ${FILES.toLocaleString('en')} files`;
const AGAINST = '`node -e 0`';
const SESSION = { session_id: 'session', prompt_id: 'prompt' };

/** What an agent waits for at each of its events, without a resident process. */
export const HOOKS: readonly Benchmark[] = [
  {
    name: `\`savepoint hook\`, before one edit, ${WHERE}`,
    against: AGAINST,
    bar: atMost(2),
    run: (scratch) =>
      contest(scratch, (project, round) => ({
        ...SESSION,
        hook_event_name: 'PreToolUse',
        tool_name: 'Edit',
        tool_use_id: `call-${round}`,
        tool_input: { file_path: join(project, fileName(round)) },
      })),
  },
  {
    name: `\`savepoint hook\`, a prompt, with a scan, ${WHERE}`,
    against: AGAINST,
    bar: atMost(4),
    run: (scratch) =>
      contest(scratch, (_project, round) => ({
        ...SESSION,
        hook_event_name: 'UserPromptSubmit',
        prompt_id: `prompt-${round}`,
        prompt: `prompt ${round}`,
      })),
  },
];

async function contest(
  scratch: Scratch,
  payload: (project: string, round: number) => object,
): Promise<Samples> {
  const project = scratch.repository('project');
  plantTree(scratch, project, FILES);
  const home = join(scratch.folder, '.local', 'share', 'savepoint');
  const opened = await openSavepoint({ project, home });
  await opened.scan();
  await opened.close();
  const hook: Side = {
    time: async (round) => {
      const input = JSON.stringify({ ...payload(project, round), cwd: project });
      const args = [BIN, 'hook', 'claude-code'];
      return (await scratch.spawn(process.execPath, project, args, input)).elapsed;
    },
    verify: () => {
      const line = readFileSync(join(home, 'hook.log'), 'utf8').trim().split('\n').at(-1) ?? '';
      if (JSON.parse(line).outcome !== 'recorded') throw new Error(`a hook failed: ${line}`);
    },
  };
  const bare: Side = {
    time: async () => (await scratch.spawn(process.execPath, scratch.folder, ['-e', '0'])).elapsed,
  };
  return alternate(hook, bare);
}
