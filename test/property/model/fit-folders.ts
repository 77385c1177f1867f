import type { Entry, Place } from './entry.ts';
import type { Event } from './event.ts';
import { foldersAbove, isBelow, isDirectlyBelow } from './names.ts';

export type Verdict = 'work' | 'already-there' | 'keep' | 'conflict' | 'skip';

/** What a rewind is expected to do to one path. */
export interface Line {
  readonly verdict: Verdict;
  /** What will be there afterwards. */
  readonly target: Place;
  readonly takes: readonly Event[];
  /** Afterwards the edits that count no longer tell what is there. */
  readonly muddles?: boolean;
  /** Nothing is there, and nobody recorded what was. */
  readonly isLost?: boolean;
}

export type Lines = Map<string, Line>;
export type Tree = ReadonlyMap<string, Entry>;

/**
 * Lines that are each right by themselves have to agree about folders: one goes only if it is empty
 * afterwards, and a file and a folder swap together or not at all.
 */
export function fitFolders(lines: Lines, tree: Tree, newFolder: (path: string) => Line): void {
  const later = (path: string): Place => placeAfter(lines, tree, path);
  while (deepestFirst(lines).some(([path, line]) => giveWay(path, line)));
  for (const [path, line] of [...lines]) {
    if (line.verdict === 'work' && line.target !== null) addFolders(path);
  }

  /** Whether the line had to be given up, alone or with its group. */
  function giveWay(path: string, { verdict, target }: Line): boolean {
    if (verdict !== 'work') return false;
    if (tree.get(path)?.kind === 'folder' && target?.kind !== 'folder' && !isEmptied(path)) {
      if (target === null) idle(path, 'skip');
      else block(path);
      return true;
    }
    const barrier = target && foldersAbove(path).find(isInTheWay);
    if (!barrier) return false;
    const foreignLink = later(barrier)?.kind === 'link' && !lines.has(barrier);
    if (foreignLink) idle(path, 'skip');
    else block(barrier);
    return true;
  }

  /** No folder can be there: something else is, or a conflict, which stays as it is. */
  function isInTheWay(folder: string): boolean {
    const place = later(folder);
    if (place !== null) return place.kind !== 'folder';
    return lines.get(folder)?.verdict === 'conflict';
  }

  function isEmptied(folder: string): boolean {
    const there = [...tree.keys()].some((path) => isDirectlyBelow(path, folder) && later(path));
    const arrives = [...lines].some(
      ([path, line]) => isBelow(path, folder) && line.verdict === 'work' && line.target,
    );
    return !there && !arrives;
  }

  function block(top: string): void {
    for (const [path, { verdict }] of lines) {
      if (verdict === 'work' && (path === top || isBelow(path, top))) idle(path, 'conflict');
    }
  }

  function idle(path: string, verdict: Verdict): void {
    lines.set(path, { verdict, target: tree.get(path) ?? null, takes: [] });
  }

  /** What comes needs folders to stand in; those that are gone are made again. */
  function addFolders(path: string): void {
    for (const folder of foldersAbove(path)) {
      if (later(folder) !== null) continue;
      const made = newFolder(folder);
      const line = lines.get(folder);
      lines.set(folder, line === undefined ? made : { ...made, takes: line.takes });
    }
  }
}

function placeAfter(lines: Lines, tree: Tree, path: string): Place {
  const line = lines.get(path);
  return line?.verdict === 'work' ? line.target : (tree.get(path) ?? null);
}

function deepestFirst(lines: Lines): [string, Line][] {
  return [...lines].sort(([a], [b]) => (a < b ? 1 : -1));
}
