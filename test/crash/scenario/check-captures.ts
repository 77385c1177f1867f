import type { Change, Savepoint, State } from '../../../src/index.ts';
import { type ChildReport, SESSION, type Step } from '../child/steps.ts';
import type { CaptureScenario, Contents } from './capture-scenario.ts';
import { workOn } from './check-rewind.ts';
import { checkDatabase, checkLeftovers, type Problems } from './check-store.ts';
import { openPlace, type Place } from './place.ts';

/** How many captures are on record, and all that is wrong with them. */
export interface CaptureVerdict {
  readonly found: number;
  readonly problems: Problems;
}

/**
 * Opens the store in this process and compares what is there with what the child was promised. Where
 * files could not be read, a capture may say so: `unknown` is honest, other bytes are not.
 */
export async function checkCaptures(
  place: Place,
  scenario: CaptureScenario,
  reports: readonly ChildReport[],
  readable: 'all' | 'some' = 'all',
): Promise<CaptureVerdict> {
  const savepoint = await openPlace(place);
  try {
    const promised = acknowledged(reports);
    const first = await changesUnder(savepoint, 'first');
    const second = await changesUnder(savepoint, 'second');
    const closed = first?.filter(({ after }) => after !== null) ?? [];
    const compare = (
      what: string,
      changes: readonly Change[] | null,
      side: 'before' | 'after',
      expected: Contents,
    ): Promise<Problems> => checkContents(savepoint, { what, changes, side, expected, readable });
    const problems = [
      ...(first === null && promised.includes('first') ? ['the first capture is lost'] : []),
      ...(second === null && promised.includes('second') ? ['the second capture is lost'] : []),
      ...(closed.length === 0 && promised.includes('after') ? ["the capture's end is lost"] : []),
      ...(await compare('first', first, 'before', scenario.first)),
      ...(await compare('second', second, 'before', scenario.second)),
      ...(closed.length === 0
        ? []
        : await compare('end of first', closed, 'after', scenario.firstAfter)),
      ...checkDatabase(place),
    ];
    await workOn(savepoint);
    problems.push(...(await checkLeftovers(place, savepoint)));
    const found = [first, second].filter((changes) => changes !== null).length;
    return { found: found + (closed.length > 0 ? 1 : 0), problems };
  } finally {
    await savepoint.close();
  }
}

interface Comparison {
  readonly what: string;
  readonly changes: readonly Change[] | null;
  readonly side: 'before' | 'after';
  readonly expected: Contents;
  readonly readable: 'all' | 'some';
}

type Promised = 'first' | 'after' | 'second';

/** What the child had been told is on record when it died. */
function acknowledged(reports: readonly ChildReport[]): Promised[] {
  const order: readonly Promised[] = ['first', 'after', 'second'];
  const captures: readonly Step['do'][] = ['capture-before', 'capture-after'];
  const done = reports.filter((line) => line.say === 'done' && captures.includes(line.step));
  return order.slice(0, done.length);
}

/** Null when not even the message's checkpoint is there. */
async function changesUnder(savepoint: Savepoint, messageId: string): Promise<Change[] | null> {
  const [checkpoint] = await savepoint.list({ sessionIds: [SESSION], messageId });
  if (checkpoint === undefined) return null;
  return [...(await savepoint.changes({ checkpointIds: [checkpoint.id] }))];
}

/** A capture is on record with all its paths and all their bytes, or not at all. */
async function checkContents(
  savepoint: Savepoint,
  { what, changes, side, expected, readable }: Comparison,
): Promise<Problems> {
  if (changes === null) return [];
  const problems: Problems = [];
  const found = new Map(changes.map((change) => [change.path as string, change[side]]));
  for (const path of new Set([...found.keys(), ...Object.keys(expected)])) {
    const state = found.get(path);
    if (readable === 'some' && state?.kind === 'unknown') continue;
    const bytes = state ? await contentOf(savepoint, state) : undefined;
    if (bytes !== expected[path]) problems.push(`${what}: wrong content of ${path}`);
  }
  return problems;
}

/** Null for a path where nothing is, undefined where that is not known or the bytes are lost. */
async function contentOf(savepoint: Savepoint, state: State): Promise<string | null | undefined> {
  if (state.kind === 'absent') return null;
  if (state.kind === 'unknown' || state.blob === null) return undefined;
  const bytes = await savepoint.readBlob(state.blob).catch(() => undefined);
  return bytes && Buffer.from(bytes).toString();
}
