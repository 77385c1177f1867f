import {
  displayText,
  type HunkChoice,
  isBelow,
  type PlanHunk,
  type PlanLine,
  pathToBytes,
  type RewindPlan,
  type Savepoint,
  SavepointError,
  selectedPath,
} from '../index.ts';
import { plural } from '../terminal/phrases.ts';
import { changesFile, isFolder, type OfferedHunk, planHunkText } from '../terminal/plan-text.ts';
import type { Call } from './command.ts';

/** The hunks of one line of a plan. */
export interface LineHunks {
  readonly line: PlanLine;
  readonly hunks: readonly PlanHunk[];
}

/** The hunks of every line of a plan that changes something. */
export async function listHunks(savepoint: Savepoint, plan: RewindPlan): Promise<LineHunks[]> {
  const listed: LineHunks[] = [];
  for (const line of offeredLines(plan)) {
    listed.push({ line, hunks: await savepoint.planHunks(line) });
  }
  return listed;
}

export function sayHunks(call: Call, listed: readonly LineHunks[]): void {
  for (const { line, hunks } of listed) {
    for (const hunk of hunks) {
      const name = `${displayText(line.path)}  hunk ${hunk.id}`;
      for (const row of planHunkText({ line, hunk }, call.paint, call.columns, name)) call.say(row);
      call.say();
    }
  }
}

/** A folder goes with what is in it: a person is asked about those files only. */
function offeredLines({ lines }: RewindPlan): PlanLine[] {
  const changed = lines.filter(changesFile);
  const isEmptied = ({ path }: PlanLine): boolean =>
    changed.some((other) => isBelow(other.path, path));
  return changed.filter((line) => !isFolder(line) || !isEmptied(line));
}

/** The choice that takes these hunks and nothing else, by their ids. */
export async function hunksById(
  savepoint: Savepoint,
  plan: RewindPlan,
  ids: readonly string[],
): Promise<HunkChoice[]> {
  const wanted = new Set(ids);
  const chosen = new Map<PlanLine, string[]>();
  for (const line of offeredLines(plan)) {
    const hunks = await savepoint.planHunks(line, 0);
    const found = hunks.filter(({ id }) => wanted.has(id)).map(({ id }) => id);
    chosen.set(line, found);
  }
  const known = new Set([...chosen.values()].flat());
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return choicesOf(plan.lines, chosen);
  throw new SavepointError('hunk-not-found', `no hunk of this rewind has the id "${unknown}"`, {
    hint: 'nothing was changed; the file or the change is not as it was: list the hunks again with --hunks --dry-run',
  });
}

/**
 * What a person chose hunk by hunk; null if nothing. Hunks of a file are looked at when its turn comes. The last
 * answer about a hunk counts.
 */
export async function askForHunks(
  call: Call,
  savepoint: Savepoint,
  plan: RewindPlan,
): Promise<HunkChoice[] | null> {
  const lines = offeredLines(plan);
  const offers: (OfferedHunk & { readonly number: number; readonly count: number })[] = [];
  const taken = new Set<OfferedHunk>();
  for (let at = 0; ; ) {
    for (let line = lines[0]; line !== undefined && at >= offers.length; line = lines[0]) {
      lines.shift();
      const hunks = await savepoint.planHunks(line);
      for (const [i, hunk] of hunks.entries()) {
        offers.push({ line, hunk, number: i + 1, count: hunks.length });
      }
    }
    const offer = offers[at];
    if (offer === undefined) break;
    for (const row of planHunkText(offer, call.paint, call.columns)) call.say(row);
    const place = `(${offer.number}/${offer.count})`;
    const answer = await call.io.ask(`${place} Take back this hunk? [y,n,a,d,k,q,?] `);
    if (answer === null) return null;
    const word = answer.trim().toLowerCase();
    const rest = offers.slice(at).filter(({ line }) => line === offer.line);
    if (word === 'q') {
      for (const one of offers.slice(at)) taken.delete(one);
      break;
    }
    if (word === 'k' && at === 0) call.say('This is the first hunk.');
    else if (word === 'k') at -= 1;
    else if (['y', 'yes', 'n', 'no', 'a', 'd'].includes(word)) {
      const decided = word === 'a' || word === 'd' ? rest : [offer];
      for (const one of decided) {
        if (word.startsWith('y') || word === 'a') taken.add(one);
        else taken.delete(one);
      }
      at += decided.length;
    } else for (const row of HELP) call.say(row);
    call.say();
  }
  if (taken.size === 0) return null;
  call.say(`${plural(taken.size, 'hunk')} chosen.\n`);
  const byLine = Map.groupBy(taken, ({ line }) => line);
  const chosen = new Map([...byLine].map(([line, own]) => [line, own.map(({ hunk }) => hunk.id)]));
  // What is left alone in any case stays in the plan, so that the person reads why.
  return choicesOf(plan.lines.filter(isNotLeftAlone), chosen);
}

const HELP = [
  'y  take back this hunk',
  'n  leave it as it is',
  'a  take back this hunk and all later ones of the file',
  'd  leave this hunk and all later ones of the file',
  'k  go back to the hunk before',
  'q  leave this hunk and all that come after it',
  '?  this help',
];

function isNotLeftAlone({ action }: PlanLine): boolean {
  return action !== 'conflict' && action !== 'skip';
}

/** A choice for each of the lines: none of its hunks where none was chosen. */
function choicesOf(
  lines: readonly PlanLine[],
  chosen: ReadonlyMap<PlanLine, readonly string[]>,
): HunkChoice[] {
  const taken = [...chosen].filter(([, ids]) => ids.length > 0).map(([{ path }]) => path);
  return lines.flatMap((line) => {
    const ids = chosen.get(line);
    // A folder goes, or comes back, with what is chosen in it.
    if (isFolder(line) && taken.some((path) => isBelow(path, line.path))) return [];
    return [{ path: pathToBytes(line.path), ids: ids ?? [] }];
  });
}

/**
 * Refuses a plan with a path that was not chosen. Paths without a choice go back whole, and the plan is made anew after
 * the choice: meanwhile the agent may have written another file, or a conflict may have gone away.
 */
export function refuseUnchosen(
  { root }: Savepoint,
  { lines }: RewindPlan,
  choices: readonly HunkChoice[],
): void {
  const taken = choices.filter(({ ids }) => ids.length > 0);
  const chosen = new Set(taken.map(({ path }) => selectedPath(root, path)));
  const isOnTheWay = (line: PlanLine): boolean =>
    isFolder(line) && [...chosen].some((path) => isBelow(path, line.path));
  const unchosen = lines.filter(
    (line) => isNotLeftAlone(line) && !chosen.has(line.path) && !isOnTheWay(line),
  );
  const first = unchosen.find((line) => !isFolder(line)) ?? unchosen[0];
  if (first === undefined) return;
  throw new SavepointError('plan-stale', 'another file changed while hunks were chosen', {
    path: first.path,
    hint: 'nothing was changed; look at the hunks again',
  });
}
