import type {
  ListedCheckpoint,
  PlanLine,
  RewindPlan,
  RewindRequest,
  Savepoint,
} from '../../index.ts';
import { displayText, isSavepointError } from '../../index.ts';
import { diffText } from '../../terminal/diff-text.ts';
import { fileDiff } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { noteText, planNames } from '../../terminal/plan-text.ts';
import { plural } from '../../terminal/plural.ts';
import { relativeTime } from '../../terminal/relative-time.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { nameOf } from './view.ts';

/** What a rewind to a checkpoint would do, as far as a person scrolls. */
export interface Preview {
  /** Null where there is none, and `problem` says why. */
  readonly plan: RewindPlan | null;
  readonly problem: string | null;
  readonly diff: readonly string[];
  /** Paths whose diff was left out. */
  readonly more: number;
}

export interface PreviewRequest {
  readonly savepoint: Savepoint;
  /** What is asked for beside the checkpoint. */
  readonly request: Omit<RewindRequest, 'to'>;
  readonly paint: Paint;
  /** Called between paths: lets keys be heard, and throws once nobody waits for the answer. */
  readonly breathe: () => Promise<void>;
}

const MOST_DIFF_LINES = 2_000;
const LARGEST_SHOWN = 256 * 1024;
const MOST_PLAN_LINES = 200;

/** Plans the rewind for real, so that what is shown is what would happen. Writes nothing. */
export async function previewOf(
  { id }: ListedCheckpoint,
  { savepoint, request, paint, breathe }: PreviewRequest,
): Promise<Preview> {
  try {
    const plan = await savepoint.planRewind({ ...request, to: id });
    const lines = plan.lines.filter(({ action }) => WITH_DIFF.has(action));
    const diff: string[] = [];
    let shown = 0;
    for (const line of lines) {
      if (diff.length >= MOST_DIFF_LINES) break;
      await breathe();
      diff.push(...(await diffOf(savepoint, line, paint)).slice(0, MOST_DIFF_LINES));
      shown += 1;
    }
    return { plan, problem: null, diff, more: lines.length - shown };
  } catch (error) {
    // A session that is busy now may be chosen all the same: the answer comes with the real plan.
    if (!isSavepointError(error) || error.code === 'aborted') throw error;
    return { plan: null, problem: error.message, diff: [], more: 0 };
  }
}

const WITH_DIFF: ReadonlySet<PlanLine['action']> = new Set([
  'write',
  'delete',
  'link',
  'merge',
  'chmod',
]);

async function diffOf(savepoint: Savepoint, line: PlanLine, paint: Paint): Promise<string[]> {
  const sizes = [line.expected, line.target].map((state) =>
    state.kind === 'captured' ? state.size : 0,
  );
  if (Math.max(...sizes) > LARGEST_SHOWN) {
    return [paint('bold', displayText(line.path)), 'too large to be shown here'];
  }
  return diffText(fileDiff(await savepoint.planDiff(line)), paint);
}

export interface PreviewView {
  readonly columns: number;
  readonly now: number;
  readonly paint: Paint;
}

/** The right side of the screen. `preview` null: not known yet. */
export function previewLines(
  checkpoint: ListedCheckpoint,
  preview: Preview | null,
  { columns, now, paint }: PreviewView,
): string[] {
  const { id, agent, createdAt } = checkpoint;
  const about = [relativeTime(createdAt, now), agent ?? 'by hand', id.slice(0, 8)].join(', ');
  const head = [
    ...wrapWords(nameOf(checkpoint), columns).map((line) => paint('bold', line)),
    paint('dim', displayText(about)),
    '',
  ];
  if (preview === null) return [...head, paint('dim', '…')];
  if (preview.plan === null)
    return [...head, ...wrapWords(displayText(preview.problem ?? ''), columns)];
  return [
    ...head,
    ...planLines(preview.plan, columns, paint),
    ...diffLines(id, preview, columns, paint),
  ];
}

function planLines(plan: RewindPlan, columns: number, paint: Paint): string[] {
  if (plan.lines.length === 0) return ['Nothing to take back.'];
  const lines = plan.lines.slice(0, MOST_PLAN_LINES);
  const rest = plan.lines.length - lines.length;
  return [
    ...planNames(lines, paint, columns),
    ...plan.notes.flatMap((note) => noteText(note, columns)),
    ...(rest > 0 ? [`  and ${plural(rest, 'more path')}`] : []),
    '',
  ];
}

function diffLines(id: string, { diff, more }: Preview, columns: number, paint: Paint): string[] {
  if (more === 0) return [...diff];
  const rest = `and ${plural(more, 'more path')}; see all with: savepoint diff ${id.slice(0, 8)}`;
  return [...diff, ...wrapWords(rest, columns).map((line) => paint('dim', line))];
}
