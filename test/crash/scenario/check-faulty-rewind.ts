import type { Receipt } from '../../../src/index.ts';
import type { ChildOutcome } from '../child/run-child.ts';
import type { ChildReport } from '../child/steps.ts';
import { checkRewind, checkTree, type Depth } from './check-rewind.ts';
import { checkDatabase, type Problems } from './check-store.ts';
import { openPlace, type Place } from './place.ts';
import type { RewindScenario } from './rewind-scenario.ts';
import { differences, treeOf } from './tree.ts';

export interface FaultVerdict {
  /** What the process said: the code of an error, "success", or "partly". */
  readonly said: string;
  readonly problems: Problems;
}

/** Whether what a process said about a rewind under faults is what happened. */
export async function checkFaultyRewind(
  place: Place,
  scenario: RewindScenario,
  { reports, complaints }: ChildOutcome,
  depth: Depth = 'thorough',
): Promise<FaultVerdict> {
  const failure = reports.find((line) => line.say === 'failed');
  if (failure?.say === 'failed') return checkFailure(place, scenario, failure, depth);
  const done = reports.find((line) => line.say === 'done' && line.step === 'rewind');
  if (done?.say !== 'done') {
    return { said: 'nothing', problems: [`the process broke off: ${complaints}`] };
  }
  const receipt = done.result as Receipt;
  if (!receipt.success) return checkPartly(place, scenario, receipt);
  // Files of our own may be left if the receipt says so; the next start removes them.
  const untidy = receipt.notes.some(({ code }) => code === 'left-to-tidy');
  const problems = checkTree('reported success', place, scenario.after).filter(
    (problem) => !(untidy && problem.includes('.savepoint-')),
  );
  const verdict = await checkRewind(place, scenario, true, depth);
  return { said: untidy ? 'untidy' : 'success', problems: [...problems, ...verdict.problems] };
}

/** An error means that nothing was changed, unless it says that the rest is still to be done. */
async function checkFailure(
  place: Place,
  scenario: RewindScenario,
  { error }: Extract<ChildReport, { say: 'failed' }>,
  depth: Depth,
): Promise<FaultVerdict> {
  const problems: Problems = error.typed ? [] : [`untyped error ${error.code}: ${error.message}`];
  const unfinished = error.code === 'restore-unfinished';
  if (!unfinished) problems.push(...checkTree(`reported ${error.code}`, place, scenario.before));
  const verdict = await checkRewind(place, scenario, false, depth);
  if (verdict.done && !unfinished) problems.push(`reported ${error.code} and was done after all`);
  return { said: error.code, problems: [...problems, ...verdict.problems] };
}

/** What could not be looked at is named and left alone; all the rest is done, and can be undone. */
async function checkPartly(
  place: Place,
  scenario: RewindScenario,
  receipt: Receipt,
): Promise<FaultVerdict> {
  const left = [...receipt.conflicts, ...receipt.errors, ...receipt.skipped];
  const found = treeOf(place.project);
  const problems: Problems = [];
  for (const path of differences(found, scenario.after)) {
    const named = left.some((line) => path === line.path || path.startsWith(`${line.path}/`));
    if (found[path] !== scenario.before[path]) problems.push(`${path} is neither old nor new`);
    if (!named) problems.push(`${path} was left behind without a word`);
  }
  const savepoint = await openPlace(place);
  try {
    if (receipt.operationId !== null) await savepoint.undo();
    problems.push(...checkTree('undone', place, scenario.before), ...checkDatabase(place));
    await savepoint.rewind({ to: scenario.target });
    problems.push(...checkTree('rewound again', place, scenario.after));
  } finally {
    await savepoint.close();
  }
  return { said: 'partly', problems };
}
