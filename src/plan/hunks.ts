import { SavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine } from '../model/plan.ts';
import { type Captured, permissions, restored, type State } from '../model/state.ts';
import { joinLines, splitLines } from './line-diff.ts';
import { isBinary } from './merge.ts';
import { type DiffHunk, type SingleHunk, singleHunks } from './unified-diff.ts';

/** A part of what a line of a plan takes back, which can be taken back alone. */
export interface PlanHunk extends DiffHunk {
  /** Made of its path, place and lines: the same as long as the file and the change to take back are the same. */
  readonly id: string;
  /**
   * `lines`: these lines. `mode`: the permissions. `whole`: everything, because the line cannot be divided: the file
   * was created or deleted, or it is binary, very large, a link or a folder.
   */
  readonly kind: 'lines' | 'mode' | 'whole';
}

/** The contents of a line: as the plan has them, and as they are now. Null where there are none to compare. */
export interface LineContents {
  readonly planned: Uint8Array | null;
  readonly current: Uint8Array | null;
}

/** The planner is pure: its caller knows how to hash. */
export type Hash = (bytes: Uint8Array) => string;

export interface HunkOptions {
  readonly hash: Hash;
  /** Unchanged lines around each hunk. */
  readonly context?: number;
}

/** The larger a file, the longer it takes to compare. A file beyond this size goes back whole or not at all. */
export const MOST_DIVIDED: number = 2 * 1024 * 1024;

const ID_LENGTH = 12;

/**
 * The hunks of a line that works, in the order of the file: from how the plan has it (old) to how it is now (new).
 * Taking all of them is what the line does.
 */
export function hunksOf(
  line: PlanLine,
  contents: LineContents,
  { hash, context = 3 }: HunkOptions,
): PlanHunk[] {
  return partsOf(line, contents, context).map((part) => {
    const { kind, hunk } = part;
    const { oldStart, oldLines, newStart, newLines, lines } = hunk ?? NO_LINES;
    const id = idOf(part, line, hash);
    return { id, kind, oldStart, oldLines, newStart, newLines, lines };
  });
}

/**
 * The line that takes back these hunks alone; null for none of them. Lines that the hunks do not hold stay, whoever
 * wrote them.
 */
export function takeHunks(
  line: PlanLine,
  contents: LineContents,
  { ids, hash, inPlace }: TakenHunks,
): PlanLine | null {
  const parts = new Map(partsOf(line, contents, 0).map((part) => [idOf(part, line, hash), part]));
  const unknown = ids.find((id) => !parts.has(id));
  if (unknown !== undefined) throw hunkNotFound(unknown, line.path);
  const wanted = new Set(ids);
  const taken = [...parts].filter(([id]) => wanted.has(id));
  if (taken.length === 0) return null;
  if (taken.length === parts.size) return line;
  const divided = taken.map(([, part]) => part);
  // The bytes of the whole merge: the part has its own, or none.
  const { merged: _whole, kept: _all, ...rest } = line;
  return {
    ...rest,
    ...inPart(line, contents, divided, inPlace),
    hunks: taken.map(([id]) => id),
  };
}

/**
 * The hunks of a line by their ids, each with its place in the file as it is now and what comes there. Two lines about
 * the same file that have a place in common do the same there, though the rest of what they bring differs.
 */
export function placesOf(line: PlanLine, contents: LineContents, hash: Hash): Map<string, string> {
  return new Map(
    partsOf(line, contents, 0).map((part) => {
      const { kind, hunk } = part;
      const mode = kind === 'lines' ? null : modeOf(line.target);
      const place = JSON.stringify([kind, hunk?.bStart, hunk?.bEnd, hunk?.old, mode]);
      return [idOf(part, line, hash), place];
    }),
  );
}

/** The contents of a line, from those that were loaded. */
export function lineContents(
  { expected, target, merged }: PlanLine,
  contents: ReadonlyMap<BlobId, Uint8Array>,
): LineContents {
  const contentOf = (state: State): Uint8Array | null =>
    (state.kind === 'captured' && state.blob && contents.get(state.blob)) || null;
  return { planned: merged ?? contentOf(target), current: contentOf(expected) };
}

export interface TakenHunks extends Pick<HunkOptions, 'hash'> {
  readonly ids: readonly string[];
  /** Whether the mode may be changed in place: the file has no other name. */
  readonly inPlace: boolean;
}

export function hunkNotFound(id: string, path: TrackedPath): SavepointError {
  return new SavepointError('hunk-not-found', `no hunk here has the id "${id}"`, {
    path,
    hint: 'nothing was changed; the file or what is to be taken back is not as it was: look at the hunks again',
  });
}

interface Part {
  readonly kind: PlanHunk['kind'];
  readonly hunk: SingleHunk | null;
}

function partsOf(line: PlanLine, contents: LineContents, context: number): Part[] {
  const { action, expected, target, kept } = line;
  if (!isWork(line)) return [];
  const planned = textOf(target, contents.planned);
  const current = textOf(expected, contents.current);
  const isText = planned !== null && current !== null;
  const hunks = isText ? singleHunks(planned, current, { context, kept }) : [];
  if (!isText || target.kind === 'absent' || expected.kind === 'absent') {
    // A file that was created or deleted differs in one hunk, which shows its lines.
    return [{ kind: action === 'chmod' ? 'mode' : 'whole', hunk: hunks[0] ?? null }];
  }
  const lines = hunks.map((hunk): Part => ({ kind: 'lines', hunk }));
  const changesMode = permissionsOf(expected) !== permissionsOf(target);
  return changesMode || lines.length === 0 ? [{ kind: 'mode', hunk: null }, ...lines] : lines;
}

/** Null where the bytes are not to be compared by lines. */
function textOf(state: State, bytes: Uint8Array | null): Uint8Array | null {
  if (state.kind === 'absent') return NOTHING;
  if (!isFile(state) || bytes === null || bytes.length > MOST_DIVIDED) return null;
  return isBinary(bytes) ? null : bytes;
}

const NOTHING = new Uint8Array();
const NO_LINES: DiffHunk = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, lines: [] };

function isFile(state: State): state is Captured {
  return state.kind === 'captured' && state.type === 'file';
}

function idOf(part: Part, line: PlanLine, hash: Hash): string {
  const text = JSON.stringify([line.path, part.kind, identityOf(part, line, hash)]);
  return hash(new TextEncoder().encode(text)).slice(0, ID_LENGTH);
}

/** What tells a part from every other one of the same path. */
function identityOf(
  { kind, hunk }: Part,
  { expected, target, merged }: PlanLine,
  hash: Hash,
): readonly unknown[] {
  const modes = [permissionsOf(expected), permissionsOf(target)];
  if (kind === 'mode') return modes;
  // The line numbers of the plan: other hunks that are taken back do not move them.
  if (kind === 'lines') return [hunk?.aStart, hunk?.old, hunk?.new];
  const planned = merged === undefined ? blobOf(target) : hash(merged);
  return [modes, typeOf(expected), typeOf(target), blobOf(expected), planned];
}

function modeOf(state: State): number | null {
  return state.kind === 'captured' ? state.mode : null;
}

function permissionsOf(state: State): number | null {
  return state.kind === 'captured' ? permissions(state) : null;
}

function blobOf(state: State): string | null {
  return state.kind === 'captured' ? state.blob : null;
}

function typeOf(state: State): string {
  return state.kind === 'captured' ? state.type : state.kind;
}

function inPart(
  { expected, target }: PlanLine,
  { current }: LineContents,
  taken: readonly Part[],
  inPlace: boolean,
): Pick<PlanLine, 'action' | 'target' | 'merged'> {
  if (!isFile(expected) || !isFile(target)) throw new Error('only a file goes back in part');
  const takesMode = taken.some(({ kind }) => kind === 'mode');
  const state = { ...expected, mode: takesMode ? target.mode : expected.mode };
  const hunks = taken.flatMap(({ hunk }) => hunk ?? []);
  if (hunks.length === 0 && inPlace) return { action: 'chmod', target: restored(state, expected) };
  const merged = replaced(splitLines(current ?? NOTHING), hunks);
  return { action: 'merge', target: { ...state, size: merged.length }, merged };
}

function replaced(lines: readonly string[], hunks: readonly SingleHunk[]): Uint8Array {
  const pieces: (readonly string[])[] = [];
  let done = 0;
  for (const { old, bStart, bEnd } of hunks) {
    pieces.push(lines.slice(done, bStart), old);
    done = bEnd;
  }
  return joinLines([...pieces, lines.slice(done)].flat());
}
