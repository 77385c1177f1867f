import {
  authorOfFinds,
  doubtedFinds,
  type Ended,
  hasGapSince,
  lostWindows,
  rootsOf,
} from '../capture/attribution.ts';
import { endLostCalls } from '../capture/capture.ts';
import { sharedBytes, unshareObjects } from '../capture/git/keep-objects.ts';
import type { BaselineReport, TooLarge } from '../capture/scan/take-baseline.ts';
import type { CompleteWalk, Recording } from '../capture/scan/worktree.ts';
import type { Change } from '../model/change.ts';
import { AMOUNT, ID, type Kind, nullable, object, optional } from '../model/check.ts';
import type { Coverage } from '../model/checkpoint.ts';
import { monotonicMs } from '../model/clock.ts';
import type { TrackedPath } from '../model/path.ts';
import { commandsIn, type Window } from '../model/window.ts';
import { Draft } from '../store/draft.ts';
import { currentSeq } from '../store/find.ts';
import { endWindow } from '../timeline/runs.ts';
import { noteOnHidden, noteOnIgnored, notesOnFirst } from './scan-notes.ts';
import type { Workbench } from './workbench.ts';

/** What a scan put on record. */
export interface ScanReport {
  readonly coverage: Coverage;
  readonly changes: readonly Change[];
  /** Paths whose content could not be recorded; their changes or the first report say why. */
  readonly unrecorded: readonly TrackedPath[];
  /**
   * Paths that were left out of scope and are gone since the last scan, so that nothing can bring them back: large
   * files and folders that git ignores, and the `.git` of nested repositories. Build output is not among them.
   */
  readonly lost: readonly TrackedPath[];
  /** Set by the scan that made the baseline. */
  readonly first: BaselineReport | null;
  /** For people: why the worktree is not covered, or what could still be lost of it. */
  readonly notice: string | null;
}

/** The report of an act that needed no scan. */
export const NOTHING_SCANNED: ScanReport = {
  coverage: 'named',
  changes: [],
  unrecorded: [],
  lost: [],
  first: null,
  notice: null,
};

export interface ScanOptions {
  /** How long the scan may take before it gives up and leaves a gap; null for as long as it takes. */
  readonly deadlineMs?: number | null | undefined;
  /** A session whose agent has moved on: the windows that it opened are over, although nobody closed them. */
  readonly movedOn?: string | null | undefined;
}

interface InnerScanOptions extends Pick<ScanOptions, 'deadlineMs'> {
  /** Work that is over, although nobody told its end. */
  readonly ended?: Ended | null | undefined;
  /** Windows whose end is told by this very scan, so that it is known. */
  readonly isTold?: (window: Window) => boolean;
  /** False: where no first scan was made before, leaves a gap and does not make it. */
  readonly baseline?: boolean | undefined;
  /** Whether to look at paths on record, too, that rules leave out: before and after a run. */
  readonly looksAtLeftOut?: boolean;
  /** Whether to say that rules hide everything. Left out, it is said. */
  readonly saysHidden?: boolean;
}

export const SCAN_OPTIONS: Kind<ScanOptions> = object({
  deadlineMs: optional(nullable(AMOUNT)),
  movedOn: optional(nullable(ID)),
});

/** What the agent of a session itself began: sub-agents may go on in the background. */
export function agentsWork(sessionId: string | null | undefined): Ended | null {
  return sessionId == null ? null : { sessionId, subagentId: null };
}

/**
 * Scans the worktree and puts its changes on record, in one transaction with what `work` drafts. A scan
 * that cannot be completed stops nobody: the report says so, and then only the ends of lost windows and
 * what `work` drafts are committed.
 */
export async function scanWith<T>(
  bench: Workbench,
  options: InnerScanOptions,
  work: (draft: Draft, now: number, report: ScanReport) => Promise<T>,
): Promise<T> {
  const deadlineMs = options.deadlineMs ?? bench.settings.scanDeadlineMs;
  const deadline = deadlineMs === null ? null : monotonicMs() + deadlineMs;
  await bench.settings.onProgress?.({ step: 'scan', done: 0, total: null });
  const isMissing = options.baseline === false && (await bench.store.state()).baseline === null;
  const walk = isMissing ? gap('no-baseline', NO_BASELINE) : await walked(bench, deadline);
  return bench.locked(async () => {
    // Another process may have made the first scan meanwhile. A second one would take what an agent did since for
    // what was always there, so the walk is made again, to find that as changes.
    const isLate = walk.kind === 'first' && (await bench.store.state()).baseline !== null;
    const found = isLate ? await walked(bench, deadline) : walk;
    const { draft, report, keep } = await draftWalk(bench, found, deadline, options);
    const result = await work(draft, bench.settings.now(), report);
    if (!draft.isEmpty()) await bench.store.timeline.commit(draft.batch());
    await keep();
    return result;
  });
}

type Gap = { readonly kind: 'gap'; readonly coverage: Coverage; readonly notice: string };

/** An error during the walk becomes a gap: an agent's message must not fail because of it. */
async function walked(bench: Workbench, deadline: number | null): Promise<CompleteWalk | Gap> {
  try {
    const walk = await bench.worktree.walk(deadline);
    if (walk.kind !== 'gave-up') return walk;
    if (walk.reason === 'aborted') return gap('failed', 'the scan was ended');
    return gap(walk.reason, GAVE_UP[walk.reason]);
  } catch (error) {
    return gap('failed', error instanceof Error ? error.message : String(error));
  }
}

const GAVE_UP = {
  deadline: 'the scan of the worktree took too long',
  'too-many-entries':
    'there are too many files; leave generated ones out with a .savepointignore file, or raise maxScanEntries',
} as const;

const NO_BASELINE = 'no first scan of the worktree was made yet; make it with: savepoint save';

interface DraftedWalk {
  /** For the caller to commit. */
  readonly draft: Draft;
  readonly report: ScanReport;
  /** Keeps the walk's index; to be called after the commit. */
  readonly keep: () => Promise<void>;
}

async function draftWalk(
  bench: Workbench,
  walk: CompleteWalk | Gap,
  deadline: number | null,
  { ended = null, isTold, looksAtLeftOut = false, saysHidden = true }: InnerScanOptions,
): Promise<DraftedWalk> {
  const { store } = bench;
  const now = bench.settings.now();
  const windows = await store.timeline.windows();
  const lost = lostWindows(windows, ended, now);
  if (isTold !== undefined) for (const { id } of windows.filter(isTold)) lost.delete(id);
  const newDraft = async (): Promise<Draft> => {
    const draft = new Draft(await currentSeq(store));
    await endLostCalls(draft, bench.site, ended, bench.finds(now));
    const ending = windows.filter(({ id, closed }) => closed === null && lost.has(id));
    draft.doubted.push(...(await doubtedFinds(store, ending, ended)));
    return draft;
  };
  if (walk.kind === 'gap') return draftGap(await newDraft(), walk, windows, lost);
  const draft = await newDraft();
  const late = walk.kind === 'next' && (await hasGapSince(store, windows, walk.since));
  const commands = commandsIn(windows);
  const roots = await rootsOf(store, commands);
  const author = authorOfFinds({ windows: commands, roots, lost, late, now });
  let recording: Recording;
  try {
    const options = { author, checkTime: timer(deadline), looksAtLeftOut };
    recording = await bench.worktree.record(draft, walk, options);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return draftGap(await newDraft(), gap('deadline', GAVE_UP.deadline), windows, lost);
  }
  if (recording.kind === 'too-large') {
    return draftGap(await newDraft(), tooLarge(recording), windows, lost);
  }
  // Everything that happened in these windows is on record now.
  for (const window of windows) {
    const isOver = window.closed !== null || lost.has(window.id);
    if (isOver && window.kind !== 'interrupted') await endWindow(draft, store, window);
  }
  const keep = async (): Promise<void> => {
    const baseline = (await store.state()).baseline;
    if (baseline !== null) await bench.worktree.keep(walk, baseline.manifest);
  };
  const first = recording.kind === 'baseline' ? recording : null;
  const found =
    recording.kind === 'changes'
      ? recording
      : { changes: [], unrecorded: recording.unrecorded.map(({ path }) => path), lost: [] };
  const isFirstUse =
    draft.privatePaths.length > 0 && (await store.timeline.privatePaths()).length === 0;
  if (isFirstUse) bench.addNotices(noteOnIgnored(draft.privatePaths));
  if (saysHidden) bench.addNoticesOnce(noteOnHidden(bench.worktree.hiddenBy(walk)));
  if (first !== null) {
    bench.addNotices(notesOnFirst(first, walk.index.unreadable(), bench.settings.maxFileSize));
  }
  const notice = await keepFromSharing(bench);
  const { changes, unrecorded } = found;
  const report: ScanReport = {
    coverage: 'scanned',
    changes,
    unrecorded,
    lost: found.lost,
    first,
    notice,
  };
  return { draft, report, keep };
}

/** Windows that end in a gap stay on record: the next scan finds their changes. */
function draftGap(
  draft: Draft,
  { coverage, notice }: Gap,
  windows: readonly Window[],
  lost: ReadonlySet<string>,
): DraftedWalk {
  for (const window of windows) {
    if (!lost.has(window.id) || window.closed !== null) continue;
    draft.windows.push({ ...window, closed: draft.nextSeq() });
  }
  const report = { coverage, changes: [], unrecorded: [], lost: [], first: null, notice };
  return { draft, report, keep: async () => {} };
}

/**
 * Copies git's packs that are only linked, if that is possible now: they may have become writable since the first scan,
 * or the limit may have been raised. Returns what to say of those that stay shared.
 */
async function keepFromSharing({ store, settings }: Workbench): Promise<string | null> {
  const folder = store.git?.folder;
  if (folder === undefined) return null;
  await unshareObjects(folder, { bytes: settings.maxCopyBytes });
  const bytes = sharedBytes(folder);
  if (bytes === 0) return null;
  return `${mib(bytes)} MiB of git's packs could not be copied and are shared with the repository: whoever overwrites files in .git/objects/pack destroys what undo needs; to have them copied, raise maxCopyBytes, or make room on the disk`;
}

class OutOfTime extends Error {}

function timer(deadline: number | null): () => void {
  return () => {
    if (deadline !== null && monotonicMs() > deadline) throw new OutOfTime();
  };
}

function gap(coverage: Coverage, notice: string): Gap {
  return { kind: 'gap', coverage, notice };
}

function tooLarge({ bytes, limit }: TooLarge): Gap {
  const notice = `a first copy would take ${mib(bytes)} MiB and may take ${mib(limit)}; leave generated files out with a .savepointignore file, or raise maxCopyBytes`;
  return gap('too-large', notice);
}

function mib(bytes: number): string {
  return Math.ceil(bytes / (1024 * 1024)).toLocaleString('en');
}
