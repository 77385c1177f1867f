import { isUnfinished, type KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  displayText,
  type OperationId,
  type Savepoint,
  type StepAttempt,
  type TrackedPath,
} from '../../index.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { RESTORE } from '../carry-out.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withTimeline } from '../open-timeline.ts';
import { printResumed } from './execution-json.ts';
import { resumeCheckpoints } from './resume-checkpoints.ts';
import { find } from './which.ts';

/** `savepoint executions resume ID`: ready for its program, which goes on where it was. */
export async function resumeExecution(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  return withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint, call.io.now);
    const known = await find(call, executions, id);
    const resume = known.kind === 'steps' ? resumeSteps : resumeCheckpoints;
    return resume(call, savepoint, executions, known);
  });
}

/** What was made ready, and how. */
interface Resumed {
  readonly known: KnownExecution;
  readonly done: number;
  /** The attempts whose changes were taken back. */
  readonly rolledBack: readonly StepAttempt[];
  readonly operations: readonly OperationId[];
  readonly files: readonly PutBack[];
}

interface PutBack {
  readonly path: TrackedPath;
  readonly word: 'restored' | 'deleted';
}

async function resumeSteps(
  call: Call,
  savepoint: Savepoint,
  { reader }: ProjectExecutions,
  known: KnownExecution,
): Promise<ExitCode> {
  const { steps } = await reader.show(known.id);
  const rolledBack = steps.flatMap(({ attempts }) => attempts).filter(isUnfinished);
  const nothing = { known, done: known.done, rolledBack, operations: [], files: [] };
  if (call.flags.has('dry-run')) return dryRun(call, nothing);
  const before = new Set((await savepoint.operations()).map(({ id }) => id));
  const done = await call.io.interrupts.hold(() => openAndClose(savepoint, known.id), RESTORE);
  const made = (await savepoint.operations()).map(({ id }) => id).filter((id) => !before.has(id));
  const files = await filesOf(savepoint, made);
  return ready(call, { known, done, rolledBack, operations: made, files });
}

/** Opening takes back what is left, and compares files with what the steps left. */
async function openAndClose(savepoint: Savepoint, id: string): Promise<number> {
  const run = await savepoint.execution(id, { create: false });
  try {
    return run.done;
  } finally {
    await run.close();
  }
}

async function filesOf(savepoint: Savepoint, made: readonly OperationId[]): Promise<PutBack[]> {
  const words = new Map<TrackedPath, PutBack['word']>();
  // Newest last: what it did is what stands.
  for (const operationId of made.toReversed()) {
    for (const { path, after } of await savepoint.changes({ operationId })) {
      words.set(path, after?.kind === 'absent' ? 'deleted' : 'restored');
    }
  }
  const files = [...words].map(([path, word]) => ({ path, word }));
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function dryRun(call: Call, resumed: Resumed): ExitCode {
  printFor(call, resumed);
  const { known, done, rolledBack } = resumed;
  const would = rolledBack.length === 0 ? 'nothing is to be taken back' : 'it would take back:';
  say(call, `Dry run, nothing was changed. ${standsText(known, done)}; ${would}`);
  for (const attempt of rolledBack) call.say(attemptText(attempt));
  return EXIT.done;
}

function ready(call: Call, resumed: Resumed): ExitCode {
  const { known, done, rolledBack, files } = resumed;
  printFor(call, resumed);
  for (const attempt of rolledBack) call.say(`Taken back: ${attemptText(attempt).trim()}`);
  for (const { path, word } of files) {
    call.say(`  ${call.paint('green', word.padEnd(WORD_COLUMN))}  ${displayText(path)}`);
  }
  say(call, `${standsText(known, done)}. The files are as its steps left them.`);
  call.remark(wrapWords(goOnText(known.id, done), call.columns).join('\n'));
  return EXIT.done;
}

const WORD_COLUMN = 8;

function say(call: Call, text: string): void {
  call.say(wrapWords(text, call.columns).join('\n'));
}

function standsText({ id, status }: KnownExecution, done: number): string {
  const finished = `${displayText(id)} is finished: ${plural(done, 'step is', 'steps are')} done`;
  if (status === 'finished') return `${finished}, and nothing has to go on`;
  return `${displayText(id)} is ready to go on with step ${done}: ${plural(done, 'step is', 'steps are')} done`;
}

function goOnText(id: string, done: number): string {
  return (
    "This command cannot run the program's own code: start the program again. " +
    `It gets the results of the steps that are done, and savepoint.execution(${displayText(JSON.stringify(id))}) ` +
    `runs step ${done} next.`
  );
}

function attemptText({ index, name, attempt, status }: StepAttempt): string {
  const how = status === 'running' ? 'killed' : status;
  return `  attempt ${attempt} at step ${index} (${displayText(name)}), which was ${how}`;
}

function printFor(call: Call, { known, done, rolledBack, operations, files }: Resumed): void {
  printResumed(call, {
    id: known.id,
    kind: known.kind,
    done,
    next: done,
    checkpointId: null,
    rolledBack: rolledBack.map(({ index, name, attempt }) => ({ index, name, attempt })),
    operationIds: operations,
    files: files.map(({ path }) => path),
  });
}
