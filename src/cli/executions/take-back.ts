import { type Checkpoint, ExecutionRecovery } from '../../execution/index.ts';
import { type Receipt, type RewindPlan, SavepointError } from '../../index.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { carryOutPlan, isIdle, type Words } from '../carry-out.ts';
import { type Call, oneOf } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Executions, NamedStep } from './which.ts';

/** What a person or a program is told around it; `steps` are the later ones, which will count no more. */
type Told = Pick<Words, 'title' | 'above' | 'json'>;

/** Takes a program that keeps checkpoints back to one of them: files, and the steps that came later. */
export async function takeBack(
  call: Call,
  { savepoint, checkpoints }: Executions,
  to: Checkpoint,
  told: (steps: readonly NamedStep[]) => Told,
): Promise<ExitCode> {
  const hasFiles = to.metadata.file_checkpoint !== undefined;
  const recovery = new ExecutionRecovery({
    checkpoints,
    ...(hasFiles ? { savepoint } : {}),
    now: call.io.now,
  });
  const onConflict = oneOf(call, 'on-conflict', ['keep', 'restore', 'fail']);
  const { files, steps } = await recovery.planRollback(to.id, onConflict);
  const later = steps.map(({ stepIndex, stepName }) => ({ index: stepIndex, name: stepName }));
  const words = told(later);
  return carryOutPlan(call, savepoint, files ?? NO_FILES, {
    ...words,
    above: [...(words.above ?? []), ...(hasFiles ? wrapWords(EVERYBODY, call.columns, 4) : [])],
    reverse: 'savepoint undo (the files; the steps stay set aside)',
    nothingToDo: '',
    besideFiles: hasFiles
      ? 'no file is concerned'
      : 'it was kept without files, which stay as they are',
    // Where nothing is to be done there is nothing to ask.
    ...(later.length === 0 && isIdle(files ?? NO_FILES) ? {} : { question: 'Go ahead?' }),
    apply: async () => {
      const { success, output, error } = await recovery.rollbackToCheckpoint(to.id, {
        plan: files,
      });
      if (!success)
        throw new SavepointError('restore-failed', error ?? 'it could not be taken back');
      return output?.receipt ?? NO_RECEIPT;
    },
  });
}

// Its checkpoints belong to no session, so nothing tells its files from those of others.
const EVERYBODY =
  '  files go back to that moment: what any agent has changed since, not what you changed';

/** Of something that touches no file. */
export const NO_RECEIPT: Receipt = {
  success: true,
  operationId: null,
  safetyCheckpointId: null,
  restoredFiles: [],
  deletedFiles: [],
  mergedFiles: [],
  conflicts: [],
  skipped: [],
  errors: [],
  notes: [],
};

const NO_FILES: RewindPlan = {
  kind: 'rewind',
  checkpointId: null,
  reverts: null,
  seq: 0,
  families: [],
  onConflict: 'fail',
  description: '',
  lines: [],
  notes: [],
};
