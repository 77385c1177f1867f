import { type ChildOutcome, runChild } from '../child/run-child.ts';
import type { Step } from '../child/steps.ts';
import { copyPlace, type Place, withFolder } from '../scenario/place.ts';
import { callSite, changesFiles, type FileCall } from './file-calls.ts';
import { record } from './recording.ts';
import { killer, WRITING_CALLS } from './strace.ts';

/** Every call of an undisturbed run at which a kill leaves another disk than before it. */
export async function killPoints(
  scratch: string,
  template: Place,
  steps: readonly Step[],
): Promise<FileCall[]> {
  return withFolder(scratch, async (folder) => {
    const { calls } = await record(scratch, copyPlace(template, folder), steps);
    return calls.filter((call) => changesFiles(call, WRITING_CALLS));
  });
}

/** Runs the steps until the process is killed, just before it makes that call. */
export async function killAt(
  scratch: string,
  place: Place,
  steps: readonly Step[],
  point: FileCall,
): Promise<ChildOutcome> {
  const order = { project: place.project, home: place.home, steps };
  const outcome = await runChild({ order, scratch, tracers: { [point.thread]: killer(point) } });
  // A kill that missed would make a test pass that shows nothing.
  if (outcome.ended) throw new Error(`the process was not killed at ${titleOf(point)}`);
  return outcome;
}

export function titleOf(call: FileCall): string {
  return `${callSite(call)} #${call.nth}${call.thread === 'pool' ? ' on the pool' : ''}`;
}
