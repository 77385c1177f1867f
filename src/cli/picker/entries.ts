import type { CheckpointId, ListedCheckpoint } from '../../index.ts';

/** A checkpoint to choose, and what a filter finds it by. */
export interface Entry {
  readonly checkpoint: ListedCheckpoint;
  /** In lower case. */
  readonly text: string;
}

export function entriesOf(
  checkpoints: readonly ListedCheckpoint[],
  paths: ReadonlyMap<CheckpointId, readonly string[]> = new Map(),
): Entry[] {
  return checkpoints.map((checkpoint) => {
    const { id, description, label, sessionId, agent, kind } = checkpoint;
    const changed = paths.get(id) ?? [];
    const texts = [description, label, id, agent, sessionId, kind, ...changed];
    return { checkpoint, text: plain(texts.filter((text) => text !== null).join('\n')) };
  });
}

/** Those that hold every word of the filter, in whatever order. */
export function matching(entries: readonly Entry[], filter: string): readonly Entry[] {
  const words = plain(filter)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return entries;
  return entries.filter(({ text }) => words.every((word) => text.includes(word)));
}

/** One letter can be written in several ways; a person means all of them. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
