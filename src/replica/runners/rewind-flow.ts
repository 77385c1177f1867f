import { setImmediate as breathe } from 'node:timers/promises';
import type { KnownExecution } from '../../execution/index.ts';
import {
  displayText,
  isSavepointError,
  type ListedCheckpoint,
  type PathDiff,
  type Receipt,
  type Resolution,
  type RewindPlan,
} from '../../index.ts';
import { eachFileDiff } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { messageOf, relativeTime } from '../../terminal/phrases.ts';
import {
  canBeDecided,
  changesFile,
  pathsText,
  planCounts,
  previewOf,
  previewText,
} from '../../terminal/plan-text.ts';
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
import { decideConflicts } from './conflict-flow.ts';

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

export interface Chosen {
  readonly entry: RewindEntry;
  readonly choice: RewindChoice;
  /** Null where no files are to be taken back, or the engine does not hold the checkpoint. */
  readonly plan: RewindPlan | null;
}

/** What the menus offer beside executions. */
export interface Offered {
  readonly prompts: readonly CheckpointMetadata[];
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
  const rows = [
    ...prompts.map((one) => promptEntry(one, parts, labels)),
    ...byHand.map((one) => otherEntry(one, parts)),
  ].sort((a, b) => b.timestamp.getTime() - a.timestamp.getTime());
  const others = ofOthers.map((one) => otherEntry(one, parts));
  const entry = await (executions === null
    ? ui.showRewindMenu(rows, others)
    : selectCheckpoint(ui, { rows, executions, others }, Date.now()));
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
  const entry = prompt ? promptEntry(prompt, parts, labels) : otherEntry(named, parts);
  return chooseWhat(parts, entry);
}

/** The plan, its diff, and what of it to take back. Decisions about conflicts make another plan. */
async function chooseWhat(parts: RewindParts, entry: RewindEntry): Promise<Chosen | null> {
  const { ui, files } = parts;
  const title = `Rewind to: ${entry.description}`;
  const choices = entry.isPrompt ? REWIND_CHOICES : (['files'] as const);
  let decided: readonly Resolution[] = [];
  for (;;) {
    // The menu may have stood open for a while.
    if (!entry.isPrompt || (await files?.holds(entry.id))) await files?.savepoint.scanAgain();
    const plan = await planFor(files, entry, decided).catch((error: unknown) => {
      if (decided.length === 0 || !isSavepointError(error, 'plan-stale')) throw error;
      return null;
    });
    if (plan === null && decided.length > 0) {
      ui.displayWarning('A file changed since you decided about it. Decide again.');
      decided = [];
      continue;
    }
    const body = await bodyOf(parts, entry.id, plan);
    const conflicts = plan?.lines.filter(canBeDecided).length ?? 0;
    const choice = await ui.showRewindChoice({ title, body, choices, conflicts });
    if (choice === null) return null;
    if (choice !== 'conflicts') {
      return { entry, choice: entry.isPrompt ? choice : 'files', plan };
    }
    if (plan !== null && files !== null) {
      decided = [...decided, ...(await decideConflicts({ ...parts, files }, plan))];
    }
  }
}

/** Null where the engine does not hold the checkpoint. */
async function planFor(
  files: EngineFiles | null,
  { id, isPrompt }: Pick<RewindEntry, 'id' | 'isPrompt'>,
  resolutions: readonly Resolution[] = [],
): Promise<RewindPlan | null> {
  if (files === null || (isPrompt && !(await files.holds(id)))) return null;
  return isPrompt ? files.plan(id, resolutions) : files.planOther(id, resolutions);
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
  const { savepoint } = files;
  const preview = await previewOf(plan, {
    diffOf: (line) => savepoint.planDiff(line),
    // One that changes meanwhile is found when the plan is carried out.
    conflictOf: (line) => savepoint.planConflict(line).catch(() => null),
    paint,
    breathe,
  });
  return (columns) => previewText(preview, paint, columns);
}

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
  parts: RewindParts,
  labels: ReadonlyMap<string, string>,
): RewindEntry {
  const label = labels.get(id) ?? null;
  return entryOf({ id, timestamp, description, label, isPrompt: true }, parts);
}

function otherEntry(
  { id, createdAt, description, label }: ListedCheckpoint,
  parts: RewindParts,
): RewindEntry {
  const timestamp = new Date(createdAt);
  return entryOf({ id, timestamp, description, label, isPrompt: false }, parts);
}

/** Nothing of it is counted before somebody looks. */
function entryOf(about: Omit<RewindEntry, 'counts' | 'preview'>, parts: RewindParts): RewindEntry {
  const { files } = parts;
  const { id } = about;
  return {
    ...about,
    counts: async () => {
      if (files === null) return { own: null, sum: null };
      const sum = await planFor(files, about);
      return { own: await files.ownCounts(id), sum: sum && (await countsOf(files, sum)) };
    },
    preview: async () => bodyOf(parts, id, await planFor(files, about)),
  };
}

/** What Esc Esc takes back if the newest prompt is chosen: "2 files +3 -1". Null where nobody can tell. */
export async function newestChanges(
  checkpoints: CheckpointManager,
  files: EngineFiles | null,
): Promise<string | null> {
  const [newest] = checkpoints.listCheckpoints();
  if (newest === undefined || files === null) return null;
  try {
    if (!(await files.holds(newest.id))) return null;
    const plan = await files.plan(newest.id);
    const counts = planCounts(plan);
    if (counts.files + counts.folders === 0) return null;
    if (plan.lines.filter(changesFile).length > MOST_OF_NEWEST) return pathsText(counts);
    const { insertions, deletions } = await countsOf(files, plan);
    return `${pathsText(counts)} +${insertions} -${deletions}`;
  } catch {
    return null;
  }
}

async function countsOf({ savepoint }: EngineFiles, plan: RewindPlan): Promise<RewindCounts> {
  const counts = { ...planCounts(plan), insertions: 0, deletions: 0 };
  const lines = plan.lines.filter(changesFile);
  const diffs: PathDiff[] = [];
  for (const line of lines.slice(0, MOST_COUNTED)) {
    // Lets keys be heard between two files.
    await breathe();
    diffs.push(await savepoint.planDiff(line));
  }
  for (const { insertions, deletions } of eachFileDiff(diffs)) {
    counts.insertions += insertions;
    counts.deletions += deletions;
  }
  return counts;
}

/** Of a plan with more files, the lines of these are counted; at the end of every turn, not even of these. */
const MOST_COUNTED = 500;
const MOST_OF_NEWEST = 50;

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
  readonly others: readonly RewindEntry[];
}

/**
 * The list of `/checkpoint`: prompts and what was made by hand, then executions, then the way to other
 * sessions. Null when the person leaves it, or stays.
 */
async function selectCheckpoint(
  ui: InteractiveUI,
  { rows, executions, others: ofOthers }: Selectable,
  now: number,
): Promise<RewindEntry | KnownExecution | null> {
  const itemsOf = (entries: readonly RewindEntry[]) => entries.map((entry) => itemOf(entry, now));
  const others = executions.map(executionItem);
  const count = ofOthers.length;
  const last =
    count === 0 ? [] : [{ id: OTHERS_ID, text: `${OTHERS}\n  ${count} in this project` }];
  const chosen = await ui.select<string>('Checkpoints', [
    CURRENT,
    ...itemsOf(rows),
    ...others,
    ...last,
  ]);
  if (chosen === OTHERS_ID) {
    const other = await ui.select<string>(OTHERS, itemsOf(ofOthers));
    return ofOthers.find(({ id }) => id === other) ?? null;
  }
  const entry = rows.find(({ id }) => id === chosen);
  return entry ?? executions[others.findIndex(({ id }) => id === chosen)] ?? null;
}

function itemOf({ id, timestamp, description, label }: RewindEntry, now: number): ListItem {
  const called = label === null ? '' : `, ${label}`;
  return { id, text: `${description}\n  ${relativeTime(timestamp.getTime(), now)}${called}` };
}
