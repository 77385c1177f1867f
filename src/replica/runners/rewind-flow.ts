import type { KnownExecution } from '../../execution/index.ts';
import { displayText, type Receipt, type RewindPlan, receiptOf } from '../../index.ts';
import { fileDiffs } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { messageOf, relativeTime } from '../../terminal/phrases.ts';
import { changesFile, previewOf, previewText } from '../../terminal/plan-text.ts';
import type { CheckpointManager, CheckpointMetadata } from '../checkpoint/checkpoint-manager.ts';
import { executionItem } from '../files/engine-executions.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import type {
  InteractiveUI,
  RewindChoice,
  RewindCounts,
  RewindEntry,
} from '../ui/interactive-ui.ts';

/** What the way back through Esc Esc works with. */
export interface RewindParts {
  readonly ui: InteractiveUI;
  readonly checkpoints: CheckpointManager;
  /** Null where the SDK alone serves. */
  readonly files: EngineFiles | null;
  readonly query: RewindableQuery | null;
  readonly sessionId: string;
  /** False where the SDK was not told to keep file checkpoints: then the engine alone serves. */
  readonly sdkKeepsFiles: boolean;
  readonly paint: Paint;
}

/** What the person decided on. */
export interface Chosen {
  readonly entry: RewindEntry;
  readonly choice: RewindChoice;
  /** Null where no files are to be taken back, or the engine does not hold the checkpoint. */
  readonly plan: RewindPlan | null;
}

/**
 * Menu, diff and choice; null when the person leaves. With `executions` it is the list of `/checkpoint`,
 * which has them as well.
 */
export async function chooseRewind(
  parts: RewindParts,
  entries: readonly CheckpointMetadata[],
  executions: readonly KnownExecution[] | null = null,
): Promise<Chosen | KnownExecution | null> {
  const { ui, files } = parts;
  await files?.savepoint.scanAgain();
  const labels = await labelsOf(files);
  // The list cannot be updated with counts that come later.
  const counted = executions === null ? files : null;
  const rows = entries.map((one) => entryOf(one, counted, labels));
  const entry = await (executions === null
    ? ui.showRewindMenu(rows)
    : selectCheckpoint(ui, rows, executions, Date.now()));
  if (entry === null || 'kind' in entry) return entry;
  const plan = await planFor(files, entry.id);
  const title = `Rewind to: ${entry.description}`;
  const body = await bodyOf(parts, entry.id, plan);
  const choice = await ui.showRewindChoice({ title, body });
  return choice === null ? null : { entry, choice, plan };
}

/** Null where the engine does not hold the checkpoint. */
async function planFor(files: EngineFiles | null, id: string): Promise<RewindPlan | null> {
  if (files === null || !(await files.holds(id))) return null;
  // The menu may have stood open for a while.
  await files.savepoint.scanAgain();
  return files.plan(id);
}

/** The plan and its diff; where the engine has none, what the SDK alone would do. */
async function bodyOf(
  { files, query, paint }: RewindParts,
  id: string,
  plan: RewindPlan | null,
): Promise<(columns: number) => readonly string[]> {
  if (plan === null || files === null) {
    const lines = await sdkPreview(query, id);
    return () => lines;
  }
  const preview = await previewOf(plan, {
    diffOf: (line) => files.savepoint.planDiff(line),
    paint,
  });
  return (columns) => previewText(preview, paint, columns);
}

/** The result of a rewind of files. */
export interface Restored {
  /** The engine's; null where the SDK did it. */
  readonly receipt: Receipt | null;
  /** The checkpoint that has what the SDK alone has overwritten; null where nothing needed one. */
  readonly keptAs: string | null;
}

/**
 * Takes files back: by the engine, which lets the SDK do its part on the way; by the SDK alone where the
 * engine does not hold the checkpoint.
 */
export async function restoreFiles(parts: RewindParts, chosen: Chosen): Promise<Restored> {
  const { files, query, checkpoints, sdkKeepsFiles } = parts;
  const { entry, plan } = chosen;
  const run = async (): Promise<void> => {
    await checkpoints.restoreCheckpoint(entry.id, query);
  };
  if (files === null || plan === null) {
    // The SDK overwrites what a person wrote: all files are recorded first, or nothing is touched.
    const why = `before the SDK alone rewound to: ${entry.description}`;
    const keptAs = query && files && (await files.keepAll(why, parts.sessionId));
    await run();
    return { receipt: null, keptAs };
  }
  const sdk = query === null || !sdkKeepsFiles ? null : { promptId: entry.id, query, run };
  return { receipt: await files.restore(plan, sdk), keptAs: null };
}

function entryOf(
  { id, timestamp, description }: CheckpointMetadata,
  files: EngineFiles | null,
  labels: ReadonlyMap<string, string>,
): RewindEntry {
  const changes = files === null ? Promise.resolve(null) : countsOf(files, id);
  return { id, timestamp, description, label: labels.get(id) ?? null, changes };
}

/** For the menu. Null where the counts cannot be told, which does not stop the menu. */
async function countsOf(files: EngineFiles, id: string): Promise<RewindCounts | null> {
  try {
    if (!(await files.holds(id))) return null;
    const plan = await files.plan(id);
    const { restoredFiles, deletedFiles, mergedFiles } = receiptOf(plan);
    const lines = plan.lines.filter(changesFile);
    const diffs = fileDiffs(await Promise.all(lines.map((line) => files.savepoint.planDiff(line))));
    return {
      files: restoredFiles.length + deletedFiles.length + mergedFiles.length,
      insertions: diffs.reduce((sum, one) => sum + one.insertions, 0),
      deletions: diffs.reduce((sum, one) => sum + one.deletions, 0),
    };
  } catch {
    return null;
  }
}

/** By the prompts that they belong to. */
async function labelsOf(files: EngineFiles | null): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  for (const { messageId, label } of (await files?.savepoint.list()) ?? []) {
    if (messageId !== null && label !== null) labels.set(messageId, label);
  }
  return labels;
}

/** Names the files that the SDK alone would overwrite, with what a person wrote into them. */
async function sdkPreview(query: RewindableQuery | null, id: string): Promise<string[]> {
  if (query === null) return [NO_RECORD, 'Nor is there a query that could put files back.'];
  try {
    const { canRewind, error, filesChanged = [] } = await query.rewindFiles(id, { dryRun: true });
    if (!canRewind) return [NO_RECORD, cannot(error ?? 'it does not say why')];
    const named = filesChanged.map((path) => `  overwrite ${displayText(path)}`);
    return [NO_RECORD, ...(named.length === 0 ? [NOTHING] : [OVERWRITES, ...named])];
  } catch (error) {
    return [NO_RECORD, cannot(messageOf(error))];
  }
}

const NO_RECORD = 'Savepoint has no record of the files at this prompt.';
const NOTHING = 'The SDK alone would change no file.';
const OVERWRITES = 'The SDK alone would put these back, and what was written into them since goes:';

function cannot(reason: string): string {
  return `The SDK cannot put files back: ${displayText(reason)}`;
}

/** The first entry of the list: it changes nothing. */
const CURRENT = {
  id: '__current__',
  text: '(current)\n  Do not restore, continue with the current session.',
} as const;

/** The list of `/checkpoint`: prompts, then executions. Null when the person leaves it, or stays. */
async function selectCheckpoint(
  ui: InteractiveUI,
  entries: readonly RewindEntry[],
  executions: readonly KnownExecution[],
  now: number,
): Promise<RewindEntry | KnownExecution | null> {
  const items = entries.map(({ id, timestamp, description, label }) => {
    const called = label === null ? '' : `, ${label}`;
    return { id, text: `${description}\n  ${relativeTime(timestamp.getTime(), now)}${called}` };
  });
  const others = executions.map(executionItem);
  const chosen = await ui.select<string>('Checkpoints', [CURRENT, ...items, ...others]);
  const entry = entries.find(({ id }) => id === chosen);
  return entry ?? executions[others.findIndex(({ id }) => id === chosen)] ?? null;
}
