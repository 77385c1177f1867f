import type { Checkpoint, KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import { displayText, type Receipt, type RollbackPlan, type Savepoint } from '../../index.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { type Call, oneOf } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printResumed } from './execution-json.ts';
import { takeBack } from './take-back.ts';

/** A program that keeps checkpoints goes on from the last one that succeeded. */
export async function resumeCheckpoints(
  call: Call,
  savepoint: Savepoint,
  executions: ProjectExecutions,
  known: KnownExecution,
): Promise<ExitCode> {
  const last = await executions.checkpoints.getLastSuccessfulCheckpoint(known.id);
  if (last === null) return nothingToGoOnFrom(call, known);
  // So that the plan knows of what happened since the last scan.
  await savepoint.scanAgain();
  const onConflict = oneOf(call, 'on-conflict', ['keep', 'restore', 'fail']);
  const plan = await executions.planRollback(known, { to: last.stepIndex, onConflict });
  const code = await takeBack(
    call,
    { savepoint, executions, known, plan },
    {
      title: titleOf(call, last),
      above: aboveOf(call, plan),
      print: (receipt) => printFor(call, known, last, plan, receipt),
    },
  );
  if (code === EXIT.done && !call.flags.has('dry-run')) {
    call.remark(wrapWords(goOnText(last), call.columns).join('\n'));
  }
  return code;
}

function nothingToGoOnFrom(call: Call, { id }: KnownExecution): ExitCode {
  const nothing = { checkpointId: null, rolledBack: [], operationIds: [], files: [] };
  printResumed(call, { id, kind: 'checkpoints', done: 0, next: 0, ...nothing });
  call.say(`Nothing to do: no step of ${displayText(id)} has succeeded; its program begins anew.`);
  return EXIT.nothingToDo;
}

function titleOf({ columns }: Call, { executionId, stepIndex, stepName }: Checkpoint): string {
  const place = `${executionId} as it was after step ${stepIndex} (${stepName})`;
  return wrapWords(`Make ready ${displayText(place)}:`, columns, 2).join('\n');
}

function aboveOf({ columns }: Call, { steps }: RollbackPlan): string[] {
  if (steps.length === 0) return [];
  const names = steps.map(({ index, name }) => `${index} (${name})`).join(', ');
  return wrapWords(`  set aside, because it did not succeed: ${displayText(names)}`, columns, 4);
}

function goOnText({ id, stepIndex }: Checkpoint): string {
  return (
    "This command cannot run the program's own code: start the program again, and let it call " +
    `resumeFromCheckpoint(${displayText(JSON.stringify(id))}, agent) of ExecutionRecovery. ` +
    `State, context and variables are those after step ${stepIndex}, and step ${stepIndex + 1} comes next.`
  );
}

function printFor(
  call: Call,
  { id, kind, done }: KnownExecution,
  last: Checkpoint,
  { steps }: RollbackPlan,
  { restoredFiles, deletedFiles, mergedFiles, operationId }: Receipt,
): void {
  printResumed(call, {
    id,
    kind,
    done,
    next: last.stepIndex + 1,
    checkpointId: last.id,
    rolledBack: steps.map(({ index, name }) => ({ index, name, attempt: null })),
    operationIds: operationId === null ? [] : [operationId],
    files: [...restoredFiles, ...deletedFiles, ...mergedFiles].sort(),
  });
}
