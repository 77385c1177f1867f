import { type PlanLine, type Savepoint, unifiedHunks } from '../../index.ts';
import type { LineRange } from '../api.ts';
import { bytesOf, MAX_TEXT_BYTES } from './sides.ts';

/**
 * The lines of a merged file that a person wrote since the state that the plan returns to, and that stay. Lines of
 * other prompts stay as well, and are not among them.
 */
export async function ownLines(savepoint: Savepoint, line: PlanLine): Promise<LineRange[]> {
  const { path, takes, merged } = line;
  if (merged === undefined || merged.length > MAX_TEXT_BYTES) return [];
  const changes = await savepoint.changes({ paths: [path] });
  const first = changes.find(({ seq }) => takes.includes(seq));
  const before = first === undefined ? null : await bytesOf(savepoint, first.before);
  const { bytes: now } = await savepoint.look(path);
  if (before === null || now === null) return [];
  const isNew = newLines(before, merged);
  const { spans } = await savepoint.why({ path });
  const own = spans.filter(({ origin }) => PERSON.has(origin.kind));
  const found: LineRange[] = [];
  for (const [target, present] of sameLines(now, merged)) {
    const isOwn = own.some(({ first, last }) => first <= present && present <= last);
    if (!isOwn || !isNew.has(target)) continue;
    const last = found.at(-1);
    if (last?.to === target - 1) found[found.length - 1] = { from: last.from, to: target };
    else found.push({ from: target, to: target });
  }
  return found;
}

const PERSON: ReadonlySet<string> = new Set(['outside', 'unrecorded']);

/** The numbers of the lines that `before` does not have. */
function newLines(before: Uint8Array, after: Uint8Array): Set<number> {
  const hunks = unifiedHunks(before, after, 0);
  return new Set(
    hunks.flatMap(({ newStart, newLines }) =>
      Array.from({ length: newLines }, (_, i) => newStart + i),
    ),
  );
}

/** The numbers of the lines that both have: in `after`, and in `before`. */
function* sameLines(before: Uint8Array, after: Uint8Array): Generator<[number, number]> {
  let [old, next] = [1, 1];
  for (const { oldStart, oldLines, newLines } of unifiedHunks(before, after, 0)) {
    // A hunk without old lines has the number of the line before it.
    const start = oldLines === 0 ? oldStart + 1 : oldStart;
    while (old < start) yield [next++, old++];
    old += oldLines;
    next += newLines;
  }
  const lines = Buffer.from(after).toString('latin1').split('\n').length;
  while (next <= lines) yield [next++, old++];
}
