import { type KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import { displayText, type RollbackPlan, receiptOf, type Savepoint } from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  extended,
  integer,
  type Kind,
  listOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { carryOutPlan, isIdle, type Words } from '../carry-out.ts';
import { type Call, wordOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import {
  EXECUTION_KIND,
  RECEIPT,
  type ReceiptJson,
  receiptJson,
  TIME,
  timeJson,
} from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { asksFirst } from '../options.ts';
import { BEGINNING, find, idWord, type NamedStep, placeText, stepIn } from './list.ts';

const SHAPE = extended(RECEIPT, {
  id: TEXT,
  kind: EXECUTION_KIND,
  to: described('The last step that is kept; -1 for none.', integer(BEGINNING)),
  steps: described('The steps that are taken back.', listOf(exact({ index: COUNT, name: TEXT }))),
  effects: described(
    'What they declared, and nobody can undo.',
    listOf(exact({ index: COUNT, name: TEXT, description: TEXT, declaredAt: TIME })),
  ),
});

/** For the published schema. */
export const PRINTED: Kind<unknown> = SHAPE;

/** `savepoint executions rollback ID --to STEP`: files and state to how they were after a step. */
export async function run(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  const word = call.values.get('to');
  if (word === undefined) {
    const hint = `see its steps with: savepoint executions show ${id}`;
    throw new UsageError('to which step? --to is missing', hint);
  }
  return withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint, call.io.now);
    const known = await find(call, executions, id);
    const steps = await executions.steps(known);
    const to = stepIn(steps, word);
    refuseBeginning(known, to);
    // So that the plan knows of what happened since the last scan.
    await savepoint.scanAgain();
    const plan = await executions.planRollback(known, {
      to,
      includeShared: call.flags.has('include-shared'),
      onConflict: wordOption(call, 'on-conflict', ['keep', 'restore', 'fail']),
    });
    if (plan.steps.length === 0) return nothingAfter(call, known, steps, plan);
    const code = await takeBack(
      call,
      { savepoint, executions, known, plan },
      {
        title: titleOf(call, known, steps, to),
        above: aboveOf(call, plan),
        print: (receipt, dryRun) =>
          printJson(call, SHAPE, rollbackJson(known, plan, receiptJson(receipt, dryRun))),
      },
    );
    if (call.flags.has('dry-run') && plan.effects.length > 0 && !call.flags.has('accept-effects')) {
      call.hint('what cannot be undone has to be accepted: add --accept-effects');
    }
    return code;
  });
}

function refuseBeginning({ id, kind }: KnownExecution, to: number): void {
  if (kind === 'steps' || to !== BEGINNING) return;
  throw new UsageError(
    'a program that keeps checkpoints has none before its first step',
    `see its steps with: savepoint executions show ${idWord(id)}`,
  );
}

function nothingAfter(
  call: Call,
  known: KnownExecution,
  steps: readonly NamedStep[],
  plan: RollbackPlan,
): ExitCode {
  const receipt = receiptOf({ ...plan.files, lines: [], notes: [] });
  const printed = receiptJson(receipt, call.flags.has('dry-run'));
  printJson(call, SHAPE, rollbackJson(known, plan, printed));
  const place = placeText(steps, plan.to).replace('before', 'at');
  const text = `Nothing to do: ${displayText(`${known.id} stands ${place}`)}.`;
  call.tell(text);
  call.hint(
    `take back what a step left that failed or was killed with: savepoint executions resume ${idWord(known.id)}`,
  );
  return EXIT.nothingToDo;
}

function titleOf(
  { columns }: Call,
  { id }: KnownExecution,
  steps: readonly NamedStep[],
  to: number,
): string {
  const place = to === BEGINNING ? 'to its beginning' : `to ${placeText(steps, to)}`;
  return wrapWords(`Roll ${displayText(`${id} back ${place}`)}:`, columns, 2).join('\n');
}

/** The steps that go, and what of them stays done. */
function aboveOf({ paint, columns }: Call, { steps, effects }: RollbackPlan): string[] {
  const names = steps.map(({ index, name }) => `${index} (${displayText(name)})`).join(', ');
  const lasting = effects.flatMap(({ index, name, description }) => {
    const text = `cannot be undone: ${description} (step ${index}, ${name})`;
    return wrapWords(`  ${displayText(text)}`, columns, 4).map((line) => paint('red', line));
  });
  const count = plural(steps.length, 'step');
  return [...wrapWords(`  ${count} to take back: ${names}`, columns, 4), ...lasting];
}

function rollbackJson(
  { id, kind }: KnownExecution,
  { to, steps, effects }: RollbackPlan,
  receipt: ReceiptJson,
): TypeOf<typeof SHAPE> {
  return {
    ...receipt,
    id,
    kind,
    to,
    steps: steps.map(({ index, name }) => ({ index, name })),
    effects: effects.map(({ index, name, description, declaredAt }) => {
      return { index, name, description, declaredAt: timeJson(declaredAt) };
    }),
  };
}

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
