import { displayText, type PlanOptions, type Savepoint } from '../../index.ts';
import { carryOut } from '../carry-out.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { withTimeline } from '../open-timeline.ts';
import { INCLUDE_SHARED, PLAN_OPTIONS, planOptions } from '../plan-options.ts';

export const undo: Command = {
  name: 'undo',
  arguments: '[OPERATION]',
  summary: 'take back the newest rewind, or what the newest run changed',
  details:
    'Takes back whichever came last, the newest rewind that is in effect or what `savepoint run` changed;\n' +
    'or the operation whose id is given: every rewind, undo and redo prints its own. Work that was done\n' +
    'since stays. Repeat it to go further back; `savepoint redo` takes an undo back.',
  options: { ...PLAN_OPTIONS, 'include-shared': INCLUDE_SHARED },
  examples: [
    ['savepoint undo', 'the newest rewind or run'],
    ['savepoint undo --dry-run', 'only show what it would do'],
  ],
  completes: ['operation'],
  run: async (call) => {
    call.io.interrupts.meaning = 'nothing was changed';
    expectArgs(call, 'undo', 0, 1);
    const [operationId] = [...call.args, ...call.rest];
    const options = { ...planOptions(call), includeShared: call.flags.has('include-shared') };
    const request = operationId === undefined ? options : { ...options, operationId };
    return withTimeline(call, (savepoint) => runUndo(call, savepoint, request));
  },
};

async function runUndo(
  call: Call,
  savepoint: Savepoint,
  request: PlanOptions & { operationId?: string },
): Promise<ExitCode> {
  const plan = await savepoint.planUndo(request);
  const what = displayText(plan.description.replace(/^undo /, ''));
  return carryOut(call, savepoint, plan, {
    title: `Undo: ${what}`,
    reverse: 'savepoint redo',
    nothingToDo: `Nothing to do for: ${what}`,
  });
}
