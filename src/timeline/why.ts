import { type CaptureSite, look } from '../capture/capture.ts';
import type { Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Gap, LineOriginKind } from '../model/line-origin.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { State, UnknownReason } from '../model/state.ts';
import { diffLines, type Hunk, splitLines } from '../plan/line-diff.ts';
import { isBinary } from '../plan/merge.ts';
import type { Store } from '../store/store.ts';
import { authorsOf } from './file-history.ts';
import { FileVersions, isSameContent, type Version } from './file-versions.ts';

export interface LineOrigin {
  readonly kind: LineOriginKind;
  /** The change that brought the line, with the name that the file had then; null where none is on record. */
  readonly change: Change | null;
  /** The prompt, and the session, under which it was made; null where there is none, or it was removed. */
  readonly checkpoint: Checkpoint | null;
  readonly session: Session | null;
  /** Why nobody can tell; null unless the kind is `unknown`. */
  readonly reason: Gap | null;
}

/** Lines that follow each other and have one origin. The first line of a file is 1. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
  /** The same object for all spans of one origin. */
  readonly origin: LineOrigin;
}

/** Why a path has no lines to ask about. */
export type NoLines = 'absent' | 'directory' | 'symlink' | 'binary' | UnknownReason;

export interface FileOrigins {
  readonly path: TrackedPath;
  /** What is there now. */
  readonly state: State;
  /** Null for a file of text. */
  readonly noLines: NoLines | null;
  /** All lines, without their newlines. Bytes that are not UTF-8 became a replacement character. Not yet safe to show. */
  readonly lines: readonly string[];
  /** The lines that were asked about, in order. */
  readonly spans: readonly LineSpan[];
}

/** A part of a file. The first line is 1, and `last` belongs to it. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Says of each line of a file, as it is on disk now, who wrote it. Reads only. */
export async function why(
  site: CaptureSite,
  path: TrackedPath,
  range: LineRange | null,
): Promise<FileOrigins> {
  const versions = new FileVersions(site.store, site.known);
  // Only files of the project, and those that a tool has named, are anybody's business here.
  if (isOutside(path) && !(await versions.isOnRecord(path))) throw notOnRecord(path);
  const { state, blob } = look(site, path);
  const bytes = blob?.bytes ?? null;
  const noLines = whyNoLines(state, bytes);
  if (noLines !== null || bytes === null) return { path, state, noLines, lines: [], spans: [] };
  const lines = splitLines(bytes);
  const wanted = wantedLines(range, lines.length, path);
  const found = await traceLines(versions, await versions.now(path, state, bytes), wanted);
  const origins = await describe(site.store, [...new Set(found)]);
  return { path, state, noLines, lines: lines.map(textOf), spans: spansOf(wanted, found, origins) };
}

function whyNoLines(state: State, bytes: Uint8Array | null): NoLines | null {
  if (state.kind === 'absent') return 'absent';
  if (state.kind === 'unknown') return state.reason;
  if (state.type !== 'file') return state.type;
  return bytes !== null && isBinary(bytes) ? 'binary' : null;
}

/** Lines of the file as it is now, counted from 0. */
function wantedLines(range: LineRange | null, count: number, path: TrackedPath): number[] {
  const { first, last } = range ?? { first: 1, last: count };
  if (range !== null && (first > last || first > count)) {
    const lines = count === 1 ? '1 line' : `${count} lines`;
    throw new SavepointError('argument-invalid', `there is no such line: the file has ${lines}`, {
      path,
    });
  }
  return Array.from({ length: Math.min(last, count) - first + 1 }, (_, i) => first - 1 + i);
}

/** The version that brought a line, and what is known of it. */
interface Source {
  readonly version: Version;
  readonly rest: 'made' | 'before' | Gap;
}

/** A line of a version, and which of the wanted lines it is. */
interface Traced {
  readonly line: number;
  readonly wanted: number;
}

/**
 * Goes back from version to version, the newest first, with the lines whose origin is not known yet. A line stays
 * with the version whose parents do not have it. Each content is compared once with each parent, and the walk ends
 * when no line is left.
 */
async function traceLines(
  versions: FileVersions,
  now: Version,
  wanted: readonly number[],
): Promise<Source[]> {
  const sources: Source[] = [];
  const waiting = new Map<Version, Traced[]>();
  if (wanted.length > 0)
    waiting.set(
      now,
      wanted.map((line, i) => ({ line, wanted: i })),
    );
  for (let version = newest(waiting); version !== null; version = newest(waiting)) {
    let left = waiting.get(version) ?? [];
    waiting.delete(version);
    const { parents, rest } = await versions.descent(version);
    for (const parent of new Set(parents)) {
      const passed = await passOn(versions, version, parent, left);
      if (passed.up.length > 0) {
        const known = waiting.get(parent) ?? [];
        waiting.set(
          parent,
          [...known, ...passed.up].sort((a, b) => a.line - b.line),
        );
      }
      left = passed.left;
      if (left.length === 0) break;
    }
    const source = { version, rest };
    for (const one of left) sources[one.wanted] = source;
  }
  return sources;
}

function newest(waiting: ReadonlyMap<Version, unknown>): Version | null {
  let found: Version | null = null;
  for (const version of waiting.keys()) if (version.at > (found?.at ?? -1)) found = version;
  return found;
}

/** Those of the lines that a parent has, at their places there, and those that it has not. */
async function passOn(
  versions: FileVersions,
  version: Version,
  parent: Version,
  traced: readonly Traced[],
): Promise<{ readonly up: Traced[]; readonly left: Traced[] }> {
  if (isSameContent(parent.state, version.state)) return { up: [...traced], left: [] };
  const [before, after] = [await versions.lines(parent), await versions.lines(version)];
  const hunks = diffLines(before ?? [], after ?? []);
  const up: Traced[] = [];
  const left: Traced[] = [];
  let at = 0;
  for (const one of traced) {
    while ((hunks[at]?.bEnd ?? Number.POSITIVE_INFINITY) <= one.line) at += 1;
    const hunk = hunks[at];
    if (hunk !== undefined && hunk.bStart <= one.line) left.push(one);
    else up.push({ ...one, line: one.line - shiftBefore(hunks, at) });
  }
  return { up, left };
}

/** How many lines the hunks before this one have added. */
function shiftBefore(hunks: readonly Hunk[], at: number): number {
  const last = hunks[at - 1];
  return last === undefined ? 0 : last.bEnd - last.aEnd;
}

async function describe(
  store: Store,
  sources: readonly Source[],
): Promise<ReadonlyMap<Source, LineOrigin>> {
  const changes = sources.flatMap(({ version: { madeBy } }) =>
    typeof madeBy === 'object' ? [madeBy] : [],
  );
  const authorOf = await authorsOf(store, changes);
  const kept = new Map<string, LineOrigin>();
  return new Map(
    sources.map((source) => {
      const { kind, change, reason } = originOf(source);
      const key = JSON.stringify([kind, change?.seq, reason]);
      const origin = kept.get(key) ?? { kind, change, ...authorOf(change), reason };
      kept.set(key, origin);
      return [source, origin];
    }),
  );
}

function originOf({
  version: { madeBy },
  rest,
}: Source): Pick<LineOrigin, 'kind' | 'change' | 'reason'> {
  if (rest === 'before') return { kind: 'before', change: null, reason: null };
  if (rest !== 'made') return { kind: 'unknown', change: null, reason: rest };
  if (typeof madeBy !== 'object') return { kind: 'unrecorded', change: null, reason: null };
  const { origin } = madeBy;
  const kind = origin === 'tool' || origin === 'shell' ? 'agent' : origin;
  return { kind, change: madeBy, reason: null };
}

function spansOf(
  wanted: readonly number[],
  found: readonly Source[],
  origins: ReadonlyMap<Source, LineOrigin>,
): LineSpan[] {
  const spans: LineSpan[] = [];
  wanted.forEach((line, i) => {
    const origin = origins.get(found[i] as Source) as LineOrigin;
    const above = spans.at(-1);
    if (above?.origin === origin) spans[spans.length - 1] = { ...above, last: line + 1 };
    else spans.push({ first: line + 1, last: line + 1, origin });
  });
  return spans;
}

function textOf(line: string): string {
  return Buffer.from(line, 'latin1').toString('utf8').replace(/\n$/, '');
}

function notOnRecord(path: TrackedPath): SavepointError {
  return new SavepointError('file-missing', 'nothing is on record of this file', {
    path,
    hint: 'name a file of the project, or one that an agent has changed',
  });
}
