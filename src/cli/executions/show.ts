import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { PathNames, printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { showPage } from '../pager.ts';
import { executionJson, timeJson } from './execution-json.ts';
import { idWord } from './execution-text.ts';
import { sayDamaged } from './list.ts';
import { factsText, stepsText } from './show-text.ts';
import { inspectExecution, type ShownAttempt, type ShownExecution } from './shown.ts';
import { executionsOf, find } from './which.ts';

/** `savepoint executions show ID`: the steps, with every attempt. */
export async function showExecution(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  const { shown, problems } = await withTimeline(call, async (savepoint) => {
    const executions = await executionsOf(savepoint);
    const known = await find(call, executions, id);
    return {
      shown: await inspectExecution(executions, known),
      problems: executions.checkpoints.problems(),
    };
  });
  if (call.json) printJson(call, shownJson(shown));
  await showPage(call, [...factsText(call, shown), '', ...stepsText(call, shown)]);
  sayDamaged(call, problems);
  call.hint(hintFor(shown));
  return EXIT.done;
}

function hintFor({ known }: ShownExecution): string {
  const { holder, last } = known;
  const id = idWord(known.id);
  const back = `go back to after a step with: savepoint executions rollback ${id} --to STEP`;
  const isCutOff = holder === null && (last?.status === 'killed' || last?.status === 'failed');
  return isCutOff
    ? `make it ready to go on with: savepoint executions resume ${id}; ${back}`
    : `see what a step did with: savepoint executions diff ${id} STEP --files; ${back}`;
}

function shownJson({ known, createdAt, sessionId, parent, steps }: ShownExecution): object {
  const names = new PathNames();
  return {
    execution: {
      ...executionJson(known),
      createdAt: createdAt === null ? null : timeJson(createdAt),
      sessionId,
      parent,
    },
    steps: steps.map(({ attempts, ...step }) => ({
      ...step,
      attempts: attempts.map((attempt) => attemptJson(attempt, names)),
    })),
    // Last: it is complete only once every name was asked for.
    pathBytes: names.pathBytes,
  };
}

function attemptJson(attempt: ShownAttempt, names: PathNames): object {
  const { startedAt, endedAt, effects, files, ...rest } = attempt;
  return {
    ...rest,
    startedAt: startedAt === null ? null : timeJson(startedAt),
    endedAt: endedAt === null ? null : timeJson(endedAt),
    effects: effects.map(({ description, declaredAt }) => {
      return { description, declaredAt: timeJson(declaredAt) };
    }),
    files: files?.map((file) => ({ ...file, path: names.name(file.path) })) ?? null,
  };
}
