import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRun, Savepoint, StepContext } from '../../../src/index.ts';

interface State {
  lines: number[];
}

const EXECUTION = 'steps';
const FILE = 'steps/log.txt';

/** An execution whose steps each add a line to a file and to the state, and which knows what it was told was done. */
export class CountedSteps {
  readonly #project: string;
  #run: ExecutionRun<State> | null = null;
  /** How many steps were acknowledged. */
  #done = 0;
  #isTrying = false;

  constructor(project: string) {
    this.#project = project;
  }

  async next(savepoint: Savepoint): Promise<void> {
    this.#run ??= await open(savepoint);
    this.#isTrying = true;
    await this.#run.step('line', { key: this.#done }, addLine);
    this.#isTrying = false;
    this.#done += 1;
  }

  /** Goes on with the execution as another process would, and tells what is not as it was told. */
  async problems(savepoint: Savepoint): Promise<string[]> {
    const run = await open(savepoint);
    const { done } = run;
    const problems: string[] = [];
    if (done !== this.#done && !(this.#isTrying && done === this.#done + 1)) {
      problems.push(`${this.#done} steps were acknowledged, and ${done} are on record`);
    }
    for (let nth = 0; nth < done; nth += 1) {
      await run.step('line', { key: nth }, async () => {
        problems.push(`step ${nth} ran twice`);
      });
    }
    problems.push(...this.#differences(run, done));
    await run.step('line', { key: done }, addLine);
    problems.push(...this.#differences(run, done + 1));
    await run.finish();
    return problems;
  }

  #differences({ state }: ExecutionRun<State>, done: number): string[] {
    const lines = Array.from({ length: done }, (_, nth) => nth);
    const path = join(this.#project, FILE);
    const file = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return [
      ...(state.lines.join() === lines.join() ? [] : [`the state is ${state.lines}, not ${lines}`]),
      ...(file === textOf(lines) ? [] : [`${FILE} holds ${file}, not ${lines}`]),
    ];
  }
}

function open(savepoint: Savepoint): Promise<ExecutionRun<State>> {
  return savepoint.execution<State>(EXECUTION, { state: { lines: [] } });
}

async function addLine({ files, state }: StepContext<State>): Promise<void> {
  state.lines.push(state.lines.length);
  await files.write(FILE, textOf(state.lines));
}

function textOf(lines: readonly number[]): string {
  return lines.map((line) => `line ${line}\n`).join('');
}
