import { type Agree, displayText, type PlanOptions, type Savepoint } from '../../index.ts';
import { carryOut } from '../carry-out.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { RECEIPT } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PLAN_OPTIONS, planOptions } from '../plan-options.ts';

export const redo: Command = {
  name: 'redo',
  arguments: '',
  summary: 'take back the newest undo',
  details: 'Takes back the newest undo, as long as no new rewind came after it.',
  options: PLAN_OPTIONS,
  examples: [['savepoint redo', 'rewind again what was undone']],
  json: { redo: RECEIPT },
  run: async (call) => {
    call.io.interrupts.meaning = 'nothing was changed';
    expectArgs(call, 'redo', 0, 0);
    const options = planOptions(call);
    return withTimeline(call, (savepoint) => runRedo(call, savepoint, options));
  },
};

function runRedo(call: Call, savepoint: Savepoint, options: PlanOptions): Promise<ExitCode> {
  const act = {
    plan: () => savepoint.planRedo(options),
    run: (agree: Agree) => savepoint.redo(options, agree),
  };
  return carryOut(call, savepoint, act, (plan) => {
    const what = displayText(plan.description.replace(/^redo /, ''));
    return {
      title: `Redo: ${what}`,
      reverse: 'savepoint undo',
      nothingToDo: `Nothing to do for: ${what}`,
    };
  });
}
