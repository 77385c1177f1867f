import type { KnownExecution } from '../../execution/index.ts';
import { displayText, type RollbackPlan } from '../../index.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { carryOutPlan, type Words } from '../carry-out.ts';
import { type Call, oneOf } from '../command.ts';
import { asksFirst } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { receiptJson } from '../receipt-json.ts';
import { timeJson } from './execution-json.ts';
import { idWord } from './execution-text.ts';
import { NO_RECEIPT, takeBack } from './take-back.ts';
import {
  BEGINNING,
  type Executions,
  executionsOf,
  find,
  type NamedStep,
  placeText,
  stepIn,
  stepsOf,
} from './which.ts';

/** `savepoint executions rollback ID --to STEP`: files and state to how they were after a step. */
export async function rollBackExecution(
  call: Call,
  [id = '']: readonly string[],
): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  const to = call.values.get('to');
  if (to === undefined) {
    const hint = `see its steps with: savepoint executions show ${id}`;
    throw new UsageError('to which step? --to is missing', hint);
  }
  return withTimeline(call, async (savepoint) => {
    const executions = await executionsOf(savepoint);
    const known = await find(call, executions, id);
    const steps = await stepsOf(executions, known);
    const index = stepIn(steps, to);
    // So that the plan knows of what happened since the last scan.
    await savepoint.scanAgain();
    return known.kind === 'steps'
      ? rollBackSteps(call, executions, known, { steps, index })
      : rollBackCheckpoints(call, executions, known, { steps, index });
  });
}

interface Target {
  readonly steps: readonly NamedStep[];
  /** The last step to keep. */
  readonly index: number;
}

async function rollBackSteps(
  call: Call,
  { savepoint }: Executions,
  known: KnownExecution,
  target: Target,
): Promise<ExitCode> {
  const { id } = known;
  const plan = await savepoint.planRollback(id, {
    to: target.index,
    includeShared: call.flags.has('include-shared'),
    onConflict: oneOf(call, 'on-conflict', ['keep', 'restore', 'fail']),
  });
  if (plan.steps.length === 0) return nothingAfter(call, known, target);
  // Who was shown the effects and says yes has accepted them.
  const acceptEffects = call.flags.has('accept-effects') || asksFirst(call);
  const words: Words = {
    title: titleOf(call, id, target),
    above: [...stepLines(call, plan.steps), ...effectLines(call, plan.effects)],
    reverse: 'savepoint undo',
    nothingToDo: '',
    besideFiles: 'the state goes back, and no file is concerned',
    question: plan.effects.length === 0 ? 'Go ahead?' : 'Go ahead, although that stays done?',
    apply: () => savepoint.applyRollback(plan, { acceptEffects }),
    json: (receipt, dryRun) => ({
      ...rollbackJson(known, plan),
      ...receiptJson(receipt, dryRun),
    }),
  };
  const code = await carryOutPlan(call, savepoint, plan.files, words);
  if (call.flags.has('dry-run') && plan.effects.length > 0 && !call.flags.has('accept-effects')) {
    call.hint('what cannot be undone has to be accepted: add --accept-effects');
  }
  return code;
}

async function rollBackCheckpoints(
  call: Call,
  executions: Executions,
  known: KnownExecution,
  target: Target,
): Promise<ExitCode> {
  const { id } = known;
  const kept = await executions.checkpoints.listCheckpoints(id);
  const to = kept.find(({ stepIndex }) => stepIndex === target.index);
  if (to === undefined) {
    throw new UsageError(
      'a program that keeps checkpoints has none before its first step',
      `see its steps with: savepoint executions show ${idWord(id)}`,
    );
  }
  if (kept.at(-1) === to) return nothingAfter(call, known, target);
  return takeBack(call, executions, to, (steps) => ({
    title: titleOf(call, id, target),
    above: stepLines(call, steps),
    json: (receipt, dryRun) => ({
      ...rollbackJson(known, { to: target.index, steps, effects: [] }),
      ...receiptJson(receipt, dryRun),
    }),
  }));
}

function nothingAfter(call: Call, known: KnownExecution, { steps, index }: Target): ExitCode {
  const after = placeText(steps, index).replace('before', 'at');
  printJson(call, {
    ...rollbackJson(known, { to: index, steps: [], effects: [] }),
    ...receiptJson(NO_RECEIPT, call.flags.has('dry-run')),
  });
  const text = `Nothing to do: ${displayText(`${known.id} stands ${after}`)}.`;
  call.say(wrapWords(text, call.columns).join('\n'));
  call.hint(
    `take back what a step left that failed or was killed with: savepoint executions resume ${idWord(known.id)}`,
  );
  return EXIT.nothingToDo;
}

function titleOf({ columns }: Call, id: string, { steps, index }: Target): string {
  const place = index === BEGINNING ? 'to its beginning' : `to ${placeText(steps, index)}`;
  return wrapWords(`Roll ${displayText(`${id} back ${place}`)}:`, columns, 2).join('\n');
}

function stepLines({ columns }: Call, steps: readonly NamedStep[]): string[] {
  const names = steps.map(({ index, name }) => `${index} (${displayText(name)})`).join(', ');
  return wrapWords(`  ${plural(steps.length, 'step')} to take back: ${names}`, columns, 4);
}

function effectLines({ paint, columns }: Call, effects: RollbackPlan['effects']): string[] {
  return effects.flatMap(({ index, name, description }) => {
    const text = `cannot be undone: ${description} (step ${index}, ${name})`;
    return wrapWords(`  ${displayText(text)}`, columns, 4).map((line) => paint('red', line));
  });
}

interface Told {
  readonly to: number;
  readonly steps: readonly NamedStep[];
  readonly effects: RollbackPlan['effects'];
}

function rollbackJson({ id, kind }: KnownExecution, { to, steps, effects }: Told): object {
  return {
    id,
    kind,
    to,
    steps: steps.map(({ index, name }) => ({ index, name })),
    effects: effects.map(({ index, name, description, declaredAt }) => {
      return { index, name, description, declaredAt: timeJson(declaredAt) };
    }),
  };
}
