import { describe, type Entry } from './model/entry.ts';
import { type Event, familyOf, isLive } from './model/event.ts';
import type { Lines } from './model/fit-folders.ts';
import { MISFIT, replay } from './model/replay.ts';
import { CONFLICT, takeOut } from './model/take-out.ts';
import type { Checkpoint } from './model/timeline.ts';
import type { World } from './world.ts';
import { type WrittenLine, writtenLines } from './written-lines.ts';

/** The project is what the model says, to the byte, with nothing else in it. */
export function expectSameTree(world: World): void {
  const found = world.disk.read();
  const tree = new Map([...world.history.tree, ...world.ignored]);
  const isAsFound = ([path, entry]: [string, Entry]): boolean =>
    found.get(path) === describe(entry);
  if (found.size === tree.size && [...tree].every(isAsFound)) return;
  const expected = [...tree].map(([path, entry]) => [path, describe(entry)] as const);
  expectSame('the project', found, new Map(expected));
}

/** Whatever was rewound and undone, a file is what the edits that count make of it. */
export function expectReplayed(world: World): void {
  for (const [path, chain] of world.history.chains) {
    if (chain.length === 0 || world.muddled.has(path) || chain.some(isBeyondReplay)) continue;
    const place = replay(chain);
    // By chance there was already what a rewind would have made, or undos came out of order.
    if (place === MISFIT || chain.some(isTakenTwice)) world.muddled.add(path);
    else expectSame(`the edits of ${path}`, describe(world.history.at(path)), describe(place));
  }
}

/** There is no conflict where all other edits would fit without the ones that are taken back. */
export function expectNoNeedlessConflict(world: World, set: ReadonlySet<Event>): void {
  for (const path of new Set([...set].map((event) => event.path))) {
    const chain = world.history.chain(path);
    const isPlain = !chain.some((event) => event.by === 'operation' || isBeyondReplay(event));
    if (!isPlain || takeOut(chain, set, world.history.at(path)) !== CONFLICT) continue;
    const fits = replay(chain, (event) => !set.has(event)) !== MISFIT;
    if (fits) throw new Error(`needless conflict at ${path}`);
  }
}

export type ForeignLines = Map<string, readonly string[]>;

/**
 * Lines that a rewind must leave: those of people, and of sessions other than the checkpoint's. Where it
 * belongs to no session, the lines that people wrote since: an agent's older ones may come back.
 */
export function foreignLines(world: World, { session, at }: Checkpoint): ForeignLines {
  const isForeign = ({ writer, number }: WrittenLine): boolean =>
    session === null ? writer === 'person' && number > at : writer !== familyOf(session);
  const found: ForeignLines = new Map();
  for (const [path, entry] of world.history.tree) {
    // A newer line of the same person may come back as well, in place of one that is there.
    const mixed = session === null && world.history.chain(path).some(tookPeoples);
    if (entry.kind !== 'text' || mixed) continue;
    const born = world.births.get(path) ?? 0;
    const written = writtenLines(path, world.disk.content(path));
    const foreign = written.filter((line) => line.number > born && isForeign(line));
    const lines = foreign.map(({ line }) => line);
    found.set(path, lines);
  }
  return found;
}

export function expectForeignLinesKept(world: World, lines: ForeignLines): void {
  for (const [path, foreign] of lines) {
    if (foreign.length === 0) continue;
    const now = new Set(world.disk.content(path).split(/\r?\n/));
    const lost = foreign.filter((line) => !now.has(line));
    expectSame(`the lines lost from ${path}`, lost, []);
  }
}

/** What agents did counts again as it counted when the point was marked. */
export function expectMarkReached(
  world: World,
  mark: Checkpoint,
  lines: Lines,
  withShared: boolean,
): void {
  for (const [path, chain] of world.history.chains) {
    const verdict = lines.get(path)?.verdict ?? 'work';
    if (world.muddled.has(path) || !['work', 'already-there'].includes(verdict)) continue;
    const agents = chain.filter((event) => event.by === 'agent' && (withShared || !event.shared));
    const wrong = agents.filter((event) => isLive(event) !== mark.live.has(event));
    expectSame(`the edits of ${path} that count`, wrong.length, 0);
  }
}

/** Every byte that the timeline speaks of can be read back. */
export async function expectBlobsReadable({ savepoint }: World): Promise<void> {
  const states = (await savepoint.changes({})).flatMap(({ before, after }) => [before, after]);
  const blobs = states.map((state) => (state?.kind === 'captured' ? state.blob : null));
  for (const blob of new Set(blobs)) if (blob !== null) await savepoint.readBlob(blob);
}

export function expectSame(what: string, found: unknown, expected: unknown): void {
  const is = listed(found);
  const should = listed(expected);
  if (is.join('\n') === should.join('\n')) return;
  const wrong = is.filter((line) => !should.includes(line)).map((line) => `  - found    ${line}`);
  const missing = should.filter((line) => !is.includes(line)).map((line) => `  - expected ${line}`);
  throw new Error([`${what} is not as expected:`, ...wrong, ...missing].join('\n'));
}

function listed(value: unknown): string[] {
  if (value instanceof Map) return [...value].map((pair) => JSON.stringify(pair)).sort();
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item)).sort();
  return [JSON.stringify(value)];
}

function tookPeoples({ takes }: Event): boolean {
  return takes.some((taken) => taken.by === 'person');
}

function isTakenTwice(event: Event): boolean {
  return event.takenBy.filter(isLive).length > 1;
}

function isBeyondReplay({ before, after, unseen }: Event): boolean {
  return before?.kind === 'folder' || after?.kind === 'folder' || unseen;
}
