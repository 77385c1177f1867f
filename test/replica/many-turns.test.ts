import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { say, turnOf } from '../../src/testing/index.ts';
import { isIdle } from './agent.ts';
import { inAgentProject } from './agent-project.ts';
import { SAMPLE } from './markdown-sample.ts';

const TURNS = 500;
/** By then everything is loaded and compiled, and as much of the transcript is kept as ever will be. */
const WARM_BY = 150;

/** The memory that a process has, in megabytes. */
function memory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000;
}

it.runIf(process.platform === 'linux')(
  `takes ${TURNS} turns on the real SDK in at most a third more memory`,
  () =>
    inAgentProject(
      {},
      () => (request) => [say(`${SAMPLE}\nAnswer to ${turnOf(request)?.prompt}.`)],
      async (project) => {
        const agent = await project.start();
        const figures: number[] = [];
        for (let turn = 1; turn <= TURNS; turn += 1) {
          agent.type(`turn ${turn}\r`);
          const answer = `Answer to turn ${turn}.`;
          await agent.until((screen) => screen.includes(answer) && isIdle(screen));
          if (turn % 50 === 0) figures.push(memory(agent.pid));
        }
        const warm = figures.slice(WARM_BY / 50 - 1);
        expect(Math.max(...warm), figures.join(', ')).toBeLessThan((warm[0] ?? 0) * 1.3);
        expect(await agent.leave()).toBe(0);
      },
    ),
);
