import { contentOf, type FileEntry, isFile, type Place, same } from './entry.ts';
import { type Event, isLive } from './event.ts';

export const MISFIT = 'misfit';

/**
 * The other, simpler way to tell what must be in a file: whatever was taken back and brought back, it
 * is what the edits that count make of it, done one after the other. `misfit` where one of them does
 * not find what it was made on: then this says nothing.
 */
export function replay(
  chain: readonly Event[],
  counts: (event: Event) => boolean = isLive,
): Place | typeof MISFIT {
  let place = chain[0]?.before ?? null;
  for (const event of chain) {
    if (event.by === 'operation' || !counts(event)) continue;
    const next = redo(event, place);
    if (next === MISFIT) return MISFIT;
    place = next;
  }
  return place;
}

function redo({ before, after }: Event, place: Place): Place | typeof MISFIT {
  if (isFile(before) && isFile(after)) {
    return isFile(place) ? redoInFile(before, after, place) : MISFIT;
  }
  if (same(before, after)) return place;
  return same(place, before) ? after : MISFIT;
}

function redoInFile(
  before: FileEntry,
  after: FileEntry,
  place: FileEntry,
): FileEntry | typeof MISFIT {
  const content = redoContent(before, after, place);
  if (content === MISFIT) return MISFIT;
  if (before.mode === after.mode) return { ...content, mode: place.mode };
  return place.mode === before.mode ? { ...content, mode: after.mode } : MISFIT;
}

function redoContent(
  before: FileEntry,
  after: FileEntry,
  place: FileEntry,
): FileEntry | typeof MISFIT {
  if (contentOf(before) === contentOf(after)) return place;
  const inSlots = before.kind === 'text' && after.kind === 'text' && before.text === after.text;
  if (!inSlots) return contentOf(place) === contentOf(before) ? after : MISFIT;
  if (place.kind !== 'text' || place.text !== after.text) return MISFIT;
  const slots = [...place.slots];
  for (const [at, slot] of after.slots.entries()) {
    if (slot === before.slots[at]) continue;
    if (place.slots[at] !== before.slots[at]) return MISFIT;
    slots[at] = slot;
  }
  return { ...place, slots };
}
