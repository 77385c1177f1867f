import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ExecutionRun, openSavepoint, type Savepoint } from 'savepoint';
import { type Appended, appendTo } from './append-steps.ts';
import { atMost, type Course, fasterBy } from './benchmark.ts';
import { checkpointOf, idOf, openSaver, SAVER } from './langgraph-saver.ts';
import { alternate, clock, type Rounds, roundsWanted, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const MANY = 2_000;
const FEW = 100;
const IN_A_ROW = 10;
const NAME = `a step that appends a message of 400 bytes to ${MANY.toLocaleString('en')}`;
const MEMORY = `memory of a process after ${MANY.toLocaleString('en')} such steps`;
const APPEND_STEPS = fileURLToPath(new URL('./append-steps.ts', import.meta.url));

/** A step costs what it adds to the state, not what is there. */
export const EXECUTION_STEPS: Course = {
  benchmarks: [
    { name: NAME, against: `the same step at ${FEW} messages`, bar: atMost(1.5), run: againstFew },
    { name: NAME, against: SAVER, bar: fasterBy(1), run: againstSaver },
    { name: MEMORY, against: `${FEW} such steps`, bar: atMost(2), unit: 'bytes', run: memory },
  ],
};

const rounds = (): Rounds => ({ counted: roundsWanted(31), warmUp: 10 });

function againstFew(scratch: Scratch): Promise<Samples> {
  return withSavepoint(scratch, 'few', async (savepoint) =>
    alternate(await stepsAt(savepoint, MANY), await stepsAt(savepoint, FEW), rounds()),
  );
}

function againstSaver(scratch: Scratch): Promise<Samples> {
  return withSavepoint(scratch, 'saver', async (savepoint) => {
    const { saver, close } = await openSaver(join(scratch.make('theirs'), 'saver.db'));
    const run = await filled(savepoint, MANY);
    const { messages } = run.state;
    let step = 0;
    const save = async (): Promise<void> => {
      const parent = { thread_id: 'thread', checkpoint_ns: '', checkpoint_id: idOf(step) };
      step += 1;
      const checkpoint = checkpointOf(step, { messages });
      await saver.put({ configurable: parent }, checkpoint, { source: 'loop', step });
    };
    try {
      return await alternate(stepsOf(run, MANY), { time: () => perStep(save) }, rounds());
    } finally {
      close();
    }
  });
}

/** The most that each of two processes has had, one of which has appended little. */
async function memory(scratch: Scratch): Promise<Samples> {
  const most = (count: number): number => {
    const [project, home] = [scratch.make(`p${count}`), scratch.make(`h${count}`)];
    const words = [APPEND_STEPS, project, home, String(count)];
    return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }));
  };
  return { ours: [most(MANY)], theirs: [most(FEW)] };
}

async function withSavepoint(
  scratch: Scratch,
  name: string,
  measure: (savepoint: Savepoint) => Promise<Samples>,
): Promise<Samples> {
  const project = scratch.make(name, 'project');
  const savepoint = await openSavepoint({ project, home: scratch.make(name, 'home') });
  try {
    return await measure(savepoint);
  } finally {
    await savepoint.close();
  }
}

async function stepsAt(savepoint: Savepoint, count: number): Promise<Side> {
  return stepsOf(await filled(savepoint, count), count);
}

/** An execution whose state has so many messages. */
async function filled(savepoint: Savepoint, count: number): Promise<ExecutionRun<Appended>> {
  const run = await savepoint.execution<Appended>(`with ${count}`, { state: { messages: [] } });
  await appendTo(run, count);
  return run;
}

/** Several steps in a row, each time from as many messages as at first. */
function stepsOf(run: ExecutionRun<Appended>, count: number): Side {
  return {
    prepare: () => run.step('cut', ({ state }) => void state.messages.splice(count)),
    time: () => perStep(() => appendTo(run, 1)),
  };
}

async function perStep(step: () => Promise<void>): Promise<number> {
  const took = await clock(async () => {
    for (let nth = 0; nth < IN_A_ROW; nth += 1) await step();
  });
  return took / IN_A_ROW;
}
