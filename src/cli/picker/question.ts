import {
  displayText,
  type ListedCheckpoint,
  type RewindPlan,
  type RewindRequest,
  receiptOf,
} from '../../index.ts';
import { plural } from '../../terminal/plural.ts';
import { clipWidth, textWidth } from '../../terminal/text-width.ts';
import { isIdle } from '../carry-out.ts';
import type { Preview } from './preview.ts';
import { nameOf } from './view.ts';

const BACK = '  Esc back';
const LEAST_NAME = 8;

/** The plan that a yes would be about; null where there is nothing that could be agreed to. */
export function planToAgree(preview: Preview | null): RewindPlan | null {
  const plan = preview?.plan ?? null;
  return plan === null || isIdle(plan) ? null : plan;
}

export interface QuestionView {
  readonly take: RewindRequest['take'];
  readonly columns: number;
}

/** What stands at the bottom of the screen once a checkpoint is chosen; the answer fits on it in any case. */
export function questionText(
  checkpoint: ListedCheckpoint,
  preview: Preview | null,
  { take, columns }: QuestionView,
): string {
  if (preview === null) return `Planning…${BACK}`;
  const plan = planToAgree(preview);
  if (plan === null) {
    const reason = displayText(preview.problem ?? 'Nothing to take back there.');
    return clipWidth(reason, Math.max(0, columns - BACK.length)) + BACK;
  }
  const [begin, end] = around(checkpoint, plan, take);
  const room = columns - textWidth(begin) - textWidth(end);
  return room < LEAST_NAME
    ? `Rewind?${YES_OR_NO}`
    : begin + clipWidth(nameOf(checkpoint), room) + end;
}

const YES_OR_NO = ' y/N';

function around(
  { kind }: ListedCheckpoint,
  plan: RewindPlan,
  take: RewindRequest['take'],
): [begin: string, end: string] {
  const { restoredFiles, deletedFiles, mergedFiles, conflicts } = receiptOf(plan);
  const count = restoredFiles.length + deletedFiles.length + mergedFiles.length;
  const files = plural(count, 'file');
  const left = conflicts.length === 0 ? '' : ` (${conflicts.length} left in conflict)`;
  const end = `"${left}?${YES_OR_NO}`;
  if (take === 'message') return [`Take back ${files} of only "`, end];
  if (take === 'exact') return [`Restore ${files} as they were at "`, end];
  return [`Rewind ${files} to ${kind === 'message' ? 'before ' : ''}"`, end];
}
