import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStoryModel } from '../test/agents/model/model.ts';
import type { Story } from '../test/agents/model/script.ts';
import { AGENTS } from '../test/agents/real/agents.ts';
import type { RealAgent } from '../test/agents/real/real-agent.ts';
import type { Benchmark } from './benchmark.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const BIN = fileURLToPath(new URL('../bin/savepoint.cjs', import.meta.url));
// Each prompt starts the agent anew, which takes seconds.
const ROUNDS = { counted: 5, warmUp: 1 };
const PROMPT = 'Do a little of everything';
const STORY: Story = {
  [PROMPT]: [
    [{ act: 'read', path: 'a.txt' }],
    [{ act: 'write', path: 'made.txt', content: 'made\n' }],
    [{ act: 'run', command: 'echo more >> b.txt' }],
  ],
};

/** What the hooks add to a prompt of each real agent that `npm run test:agents` has installed. */
export const AGENT_PROMPTS: readonly Benchmark[] = AGENTS.filter(({ file }) =>
  existsSync(file),
).map((agent) => ({
  name: `a prompt to ${agent.name} that writes a file and runs a command`,
  against: 'the same without hooks',
  bar: null,
  run: (scratch) => contest(scratch, agent),
}));

async function contest(scratch: Scratch, agent: RealAgent): Promise<Samples> {
  const beds = [await makeBed(scratch, agent, 'with'), await makeBed(scratch, agent, 'without')];
  const [ours, theirs] = beds as [Bed, Bed];
  try {
    await ours.run('savepoint', ['init', '--agent', agent.name, '--yes', '--quiet']);
    return await alternate(ours.side, theirs.side, ROUNDS);
  } finally {
    for (const { close } of beds) await close();
  }
}

/** A home and a project in which an agent has a model that tells the story. */
interface Bed {
  readonly side: Side;
  run(program: string, args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

async function makeBed(scratch: Scratch, agent: RealAgent, name: string): Promise<Bed> {
  const folder = scratch.make(`${agent.name}-${name}`);
  const [home, project, bin] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'bin')];
  for (const one of [home, project, bin]) mkdirSync(one);
  for (const file of ['a.txt', 'b.txt']) writeFileSync(join(project, file), `${file}\n`);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync(BIN, join(bin, 'savepoint'));
  symlinkSync(agent.file, join(bin, agent.program));
  const model = await startStoryModel(agent.protocol, STORY, agent.toolFor(project));
  agent.settle({ home, project }, model.url);
  const env = {
    PATH: [bin, '/usr/bin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    ...agent.env(model.url),
  };
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const child = spawn(join(bin, program), args, { cwd: project, env, stdio: 'ignore' });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
  };
  const side: Side = {
    time: () => clock(() => run(agent.program, agent.once(PROMPT, null))),
    verify: () => {
      if (!existsSync(join(project, 'made.txt'))) throw new Error(`${agent.name} wrote nothing`);
    },
  };
  return { side, run, close: () => model.close() };
}
