import type { KnownExecution } from '../../execution/index.ts';
import { displayText, type ListedCheckpoint, type Receipt, type RewindPlan } from '../../index.ts';
import { fileDiffs } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { messageOf, relativeTime } from '../../terminal/phrases.ts';
import { changesFile, planCounts, previewOf, previewText } from '../../terminal/plan-text.ts';
import type { CheckpointManager, CheckpointMetadata } from '../checkpoint/checkpoint-manager.ts';
import { executionItem } from '../files/engine-executions.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import {
  type InteractiveUI,
  type ListItem,
  REWIND_CHOICES,
  type RewindChoice,
  type RewindCounts,
  type RewindEntry,
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

/** What the menus offer beside executions. */
export interface Offered {
  /** The prompts of this conversation. */
  readonly prompts: readonly CheckpointMetadata[];
  /** Checkpoints that people made by hand. */
  readonly byHand: readonly ListedCheckpoint[];
  /** Checkpoints of other sessions; only the list of `/checkpoint` has them. */
  readonly ofOthers: readonly ListedCheckpoint[];
}

export async function offeredBy({ checkpoints, files, sessionId }: RewindParts): Promise<Offered> {
  const prompts = checkpoints.listCheckpoints();
  if (files === null) return { prompts, byHand: [], ofOthers: [] };
  return { prompts, ...(await files.otherCheckpoints(sessionId)) };
}

/**
 * Menu, diff and choice; null when the person leaves. With `executions` it is the list of `/checkpoint`,
 * which has them as well.
 */
export async function chooseRewind(
  parts: RewindParts,
  { prompts, byHand, ofOthers }: Offered,
  executions: readonly KnownExecution[] | null = null,
): Promise<Chosen | KnownExecution | null> {
  const { ui, files } = parts;
  await files?.savepoint.scanAgain();
  const labels = await labelsOf(files);
  // The list cannot be updated with counts that come later.
  const counted = executions === null ? files : null;
  const rows = [
    ...prompts.map((one) => promptEntry(one, counted, labels)),
    ...byHand.map((one) => otherEntry(one, counted)),
  ].sort((a, b) => b.timestamp.getTime() - a.timestamp.getTime());
  const entry = await (executions === null
    ? ui.showRewindMenu(rows)
    : selectCheckpoint(ui, { rows, executions, ofOthers }, Date.now()));
  return entry === null || 'kind' in entry ? entry : chooseWhat(parts, entry);
}

/** As `chooseRewind`, for a checkpoint that the person has named. */
export async function chooseNamed(
  parts: RewindParts,
  named: ListedCheckpoint,
): Promise<Chosen | null> {
  const prompts = parts.checkpoints.listCheckpoints();
  const prompt = prompts.find(({ id }) => id === named.messageId);
  const labels = await labelsOf(parts.files);
  const entry = prompt ? promptEntry(prompt, null, labels) : otherEntry(named, null);
  return chooseWhat(parts, entry);
}

/** The plan, its diff, and what of it to take back. */
async function chooseWhat(parts: RewindParts, entry: RewindEntry): Promise<Chosen | null> {
  const { ui, files } = parts;
  const plan = await planFor(files, entry);
  const title = `Rewind to: ${entry.description}`;
  const body = await bodyOf(parts, entry.id, plan);
  const choices = entry.isPrompt ? REWIND_CHOICES : (['files'] as const);
  const choice = await ui.showRewindChoice({ title, body, choices });
  return choice === null ? null : { entry, choice: entry.isPrompt ? choice : 'files', plan };
}

/** Null where the engine does not hold the checkpoint. */
async function planFor(
  files: EngineFiles | null,
  { id, isPrompt }: RewindEntry,
): Promise<RewindPlan | null> {
  if (files === null || (isPrompt && !(await files.holds(id)))) return null;
  // The menu may have stood open for a while.
  await files.savepoint.scanAgain();
  return isPrompt ? files.plan(id) : files.planOther(id);
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
  if (!entry.isPrompt) return { receipt: await files.restoreOther(plan), keptAs: null };
  const sdk = query === null || !sdkKeepsFiles ? null : { promptId: entry.id, query, run };
  return { receipt: await files.restore(plan, sdk), keptAs: null };
}

function promptEntry(
  { id, timestamp, description }: CheckpointMetadata,
  files: EngineFiles | null,
  labels: ReadonlyMap<string, string>,
): RewindEntry {
  const planned = async () => ((await files?.holds(id)) ? files?.plan(id) : undefined);
  const changes = countsOf(files, planned);
  return { id, timestamp, description, label: labels.get(id) ?? null, isPrompt: true, changes };
}

function otherEntry(
  { id, createdAt, description, label }: ListedCheckpoint,
  files: EngineFiles | null,
): RewindEntry {
  const timestamp = new Date(createdAt);
  const changes = countsOf(files, async () => files?.planOther(id));
  return { id, timestamp, description, label, isPrompt: false, changes };
}

/** For the menu. Null where the counts cannot be told, which does not stop the menu. */
async function countsOf(
  files: EngineFiles | null,
  planned: () => Promise<RewindPlan | undefined>,
): Promise<RewindCounts | null> {
  if (files === null) return null;
  try {
    const plan = await planned();
    if (plan === undefined) return null;
    const lines = plan.lines.filter(changesFile);
    const diffs = fileDiffs(await Promise.all(lines.map((line) => files.savepoint.planDiff(line))));
    return {
      ...planCounts(plan),
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

const OTHERS_ID = '__others__';
const OTHERS = 'Checkpoints of other sessions';

interface Selectable {
  readonly rows: readonly RewindEntry[];
  readonly executions: readonly KnownExecution[];
  readonly ofOthers: readonly ListedCheckpoint[];
}

/**
 * The list of `/checkpoint`: prompts and what was made by hand, then executions, then the way to other
 * sessions. Null when the person leaves it, or stays.
 */
async function selectCheckpoint(
  ui: InteractiveUI,
  { rows, executions, ofOthers }: Selectable,
  now: number,
): Promise<RewindEntry | KnownExecution | null> {
  const items = rows.map((row) => itemOf(row, now));
  const others = executions.map(executionItem);
  const count = ofOthers.length;
  const last =
    count === 0 ? [] : [{ id: OTHERS_ID, text: `${OTHERS}\n  ${count} in this project` }];
  const chosen = await ui.select<string>('Checkpoints', [CURRENT, ...items, ...others, ...last]);
  if (chosen === OTHERS_ID) return selectOther(ui, ofOthers, now);
  const entry = rows.find(({ id }) => id === chosen);
  return entry ?? executions[others.findIndex(({ id }) => id === chosen)] ?? null;
}

async function selectOther(
  ui: InteractiveUI,
  ofOthers: readonly ListedCheckpoint[],
  now: number,
): Promise<RewindEntry | null> {
  const rows = ofOthers.map((one) => otherEntry(one, null));
  const chosen = await ui.select<string>(
    OTHERS,
    rows.map((row) => itemOf(row, now)),
  );
  return rows.find(({ id }) => id === chosen) ?? null;
}

function itemOf({ id, timestamp, description, label }: RewindEntry, now: number): ListItem {
  const called = label === null ? '' : `, ${label}`;
  return { id, text: `${description}\n  ${relativeTime(timestamp.getTime(), now)}${called}` };
}
