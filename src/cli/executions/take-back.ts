import type { KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import type { RollbackPlan, Savepoint } from '../../index.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { carryOutPlan, isIdle, type Words } from '../carry-out.ts';
import type { Call } from '../command.ts';
import { asksFirst } from '../confirm.ts';
import type { ExitCode } from '../exit-codes.ts';

interface Rolling {
  readonly savepoint: Savepoint;
  readonly executions: ProjectExecutions;
  readonly known: KnownExecution;
  readonly plan: RollbackPlan;
}

/** Shows the plan of a rollback and carries it out; `told` is what a person or a program reads around it. */
export function takeBack(
  call: Call,
  { savepoint, executions, known, plan }: Rolling,
  told: Pick<Words, 'title' | 'above' | 'print'>,
): Promise<ExitCode> {
  const { effects, files } = plan;
  // A person who was shown the effects and says yes has accepted them.
  const acceptEffects = call.flags.has('accept-effects') || asksFirst(call);
  const words = {
    ...told,
    nothingToDo: '',
    apply: () => executions.applyRollback(known, plan, { acceptEffects }),
  };
  if (known.kind === 'steps') {
    return carryOutPlan(call, savepoint, files, {
      ...words,
      reverse: 'savepoint undo',
      besideFiles: 'the state goes back, and no file is concerned',
      question: effects.length === 0 ? 'Go ahead?' : 'Go ahead, although that stays done?',
    });
  }
  const hasFiles = files.checkpointId !== null;
  return carryOutPlan(call, savepoint, files, {
    ...words,
    above: [...(words.above ?? []), ...(hasFiles ? wrapWords(EVERYBODY, call.columns, 4) : [])],
    reverse: 'savepoint undo (the files; the steps stay set aside)',
    besideFiles: hasFiles
      ? 'no file is concerned'
      : 'it was kept without files, which stay as they are',
    // Where nothing would be done, nobody is asked.
    ...(plan.steps.length === 0 && isIdle(files) ? {} : { question: 'Go ahead?' }),
  });
}

// The checkpoints belong to no session, so nothing tells the program's files from those of other agents.
const EVERYBODY =
  '  files go back to that moment: what any agent has changed since, not what you changed';
