import { type Checkpoint, displayText, type PrunePlan, type PruneReport } from '../index.ts';
import { plural, relativeTime, sizeText } from '../terminal/phrases.ts';
import { clipWidth, wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';

/** What was removed, or would be. */
export type Gone = Omit<PrunePlan, 'upToBytes'>;

export function isNothing({ checkpoints, sessions, operations, changes, blobs }: Gone): boolean {
  return checkpoints.length + sessions.length + operations.length + changes + blobs === 0;
}

const SHOWN = 20;
const WORDS = 50;

/** The checkpoints that go, one in a row, as far as somebody reads. */
export function goneText(call: Call, { checkpoints }: Gone): string[] {
  const rows = checkpoints.slice(0, SHOWN).map((checkpoint) => rowText(call, checkpoint));
  const left = checkpoints.length - rows.length;
  const more = left > 0 ? [`  and ${plural(left, 'more checkpoint')}; --json lists them all`] : [];
  return [...rows, ...more];
}

export function outcomeText(
  call: Call,
  plan: PrunePlan,
  report: PruneReport | null,
  diskBytes: number,
): string[] {
  const text = outcome(report ?? plan, plan, report);
  return wrapWords(`${text} ${holds(diskBytes)}`, call.columns);
}

/** "2 checkpoints, 1 session, 5 changes" */
export function countsOf({ checkpoints, sessions, operations, changes }: Gone): string {
  return [
    plural(checkpoints.length, 'checkpoint'),
    ...(sessions.length > 0 ? [plural(sessions.length, 'session')] : []),
    ...(operations.length > 0 ? [plural(operations.length, 'operation')] : []),
    plural(changes, 'change'),
  ].join(', ');
}

function rowText(call: Call, { id, createdAt, description }: Checkpoint): string {
  const when = relativeTime(createdAt, call.io.now());
  return `  ${call.paint('cyan', id.slice(0, 8))}  ${when}  ${clipWidth(displayText(description), WORDS)}`;
}

function outcome(what: Gone, plan: PrunePlan, report: PruneReport | null): string {
  const counts = countsOf(what);
  if (report === null) {
    if (isNothing(what)) return 'Dry run: nothing would be removed.';
    return `Dry run, nothing was removed. It would be: ${counts}; up to ${sizeText(plan.upToBytes)} would come back.`;
  }
  if (isNothing(what)) {
    const came =
      report.freedBytes > 0 ? `; ${sizeText(report.freedBytes)} came back by compression` : '';
    return `Nothing to remove${came}.`;
  }
  return `Removed ${counts}; ${sizeText(report.freedBytes)} came back.`;
}

function holds(diskBytes: number): string {
  return `The store takes up ${sizeText(diskBytes)}.`;
}
