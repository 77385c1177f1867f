import {
  type CheckpointProblem,
  type KnownExecution,
  ProjectExecutions,
} from '../../execution/index.ts';
import { displayText } from '../../index.ts';
import { described, exact, type Kind, listOf, TEXT } from '../../model/check.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { limitOf } from '../options.ts';
import { showPage } from '../pager.ts';
import { EXECUTION, executionJson, holderText, listed, STATUS_STYLES } from './which.ts';

const SHAPE = exact({
  executions: described('Most recently updated first.', listOf(EXECUTION)),
  damaged: described('Ids of checkpoints that cannot be read.', listOf(TEXT)),
});

/** For the published schema. */
export const PRINTED: Kind<unknown> = SHAPE;

/** `savepoint executions list`: both kinds, most recently updated first. */
export async function run(call: Call): Promise<ExitCode> {
  const limit = limitOf(call) ?? Number.POSITIVE_INFINITY;
  const { all, problems } = await withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint);
    const found = await listed(call, executions);
    return { all: found, problems: executions.checkpoints.problems() };
  });
  const shown = all.slice(0, limit);
  printJson(call, SHAPE, {
    executions: shown.map(executionJson),
    damaged: problems.map(({ id }) => id),
  });
  await showPage(call, shown.length === 0 ? ['No execution is on record.'] : rows(call, shown));
  sayDamaged(call, problems);
  if (shown.length < all.length) {
    call.hint('there are older ones: savepoint executions list --limit 0');
  }
  call.hint(hintFor(shown));
  return EXIT.done;
}

function hintFor(shown: readonly KnownExecution[]): string {
  return shown.length === 0
    ? 'a program begins one with: savepoint.execution(ID); see docs/executions.md'
    : 'see one of them with: savepoint executions show ID';
}

/** Names the checkpoints that cannot be read; the others are listed all the same. */
export function sayDamaged(call: Call, problems: readonly CheckpointProblem[]): void {
  for (const { id, error } of problems) {
    call.io.err(`savepoint: ${displayText(`${id} cannot be read: ${error.message}`)}\n`);
  }
}

const LONGEST_ID = 32;

/** The id and the status on the left; the rest on the right, in as many lines as it needs. */
function rows({ io, paint, columns }: Call, shown: readonly KnownExecution[]): string[] {
  const ids = shown.map(({ id }) => clipWidth(displayText(id), LONGEST_ID));
  const idColumn = Math.max(...ids.map(textWidth));
  const statusColumn = Math.max(...shown.map(({ status }) => status.length));
  return shown.flatMap((execution, i) => {
    const { status } = execution;
    const id = paint('bold', padWidth(ids[i] ?? '', idColumn));
    const painted = paint(STATUS_STYLES[status] ?? 'bold', status.padEnd(statusColumn));
    return beside(`${id}  ${painted}  `, aboutOf(execution, io.now()), columns);
  });
}

function aboutOf({ kind, done, last, updatedAt, holder }: KnownExecution, now: number): string {
  return [
    kind,
    `${plural(done, 'step')} done`,
    last === null
      ? 'none begun'
      : `last ${last.index} "${displayText(last.name)}" (${last.status})`,
    relativeTime(updatedAt, now),
    ...(holder === null ? [] : [`held by ${holderText(holder)}`]),
  ].join(', ');
}
