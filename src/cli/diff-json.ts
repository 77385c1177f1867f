import type { State } from '../index.ts';
import type { FileDiff } from '../terminal/file-diff.ts';
import type { PathNames } from './json.ts';

/** One file of a diff, for programs; without its hunks where only the numbers were asked for. */
export function fileDiffJson(file: FileDiff, names: PathNames, stat = false): object {
  const { diff, status, from, binary, damaged, insertions, deletions, hunks } = file;
  return {
    path: names.name(diff.path),
    status,
    ...(from === null ? {} : { from: names.name(from) }),
    before: stateJson(diff.before),
    after: stateJson(diff.after),
    binary,
    damaged,
    insertions,
    deletions,
    ...(stat ? {} : { hunks }),
  };
}

/** Null where nothing is. */
export function stateJson(state: State): object | null {
  if (state.kind === 'absent') return null;
  if (state.kind === 'unknown') return { type: 'unknown', reason: state.reason };
  const { type, mode, size } = state;
  return { type, mode: mode.toString(8).padStart(3, '0'), size };
}
