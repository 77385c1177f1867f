import type { Seq } from '../../../model/ids.ts';
import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import type { Connection } from '../connection.ts';
import { readBaseline, readJournal, readProject, readSeq } from '../meta.ts';
import { isKnownMode } from '../state-columns.ts';
import {
  type Chain,
  floorOf,
  isAfterKnown,
  isBeforeKnown,
  isHeadRight,
  isJoined,
  readChains,
} from './chains.ts';
import { problem, type StoreProblem } from './problem.ts';

/** The newest number that any row has. */
export const NEWEST: string = `
  SELECT max(seq) AS seq FROM (
    SELECT max(seq) AS seq FROM checkpoints UNION ALL SELECT max(seq) FROM changes
    UNION ALL SELECT max(seq) FROM operations UNION ALL SELECT max(max(opened), max(closed)) FROM windows
    UNION ALL SELECT max(seq) FROM heads
  )`;

const CANCELLATIONS = `
  SELECT change_seq, by_seq FROM cancellations
  LEFT JOIN changes AS change ON change.seq = change_seq
  LEFT JOIN changes AS canceller ON canceller.seq = by_seq
  WHERE by_seq <= change_seq OR canceller.seq IS NULL AND by_seq >= ?1
    OR change.seq IS NULL AND change_seq >= ?1 OR canceller.path <> change.path`;

const STRANGERS = `
  SELECT changes.seq FROM changes JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
  JOIN sessions ON sessions.num = changes.session
  WHERE checkpoints.session_id IS NOT NULL AND checkpoints.session_id <> sessions.id`;

/** What rows say of each other. */
export function checkChains(connection: Connection): StoreProblem[] {
  const floor = floorOf(connection);
  return [
    ...checkValues(connection),
    ...checkOrder(connection),
    ...checkLinks(connection, floor),
    ...checkCancellations(connection, floor),
    ...connection
      .all<{ seq: Seq }>(STRANGERS)
      .map(({ seq }) =>
        problem('chain', `change ${seq} is of another session than its checkpoint`),
      ),
  ];
}

function checkValues(connection: Connection): StoreProblem[] {
  const readers = [readProject, readBaseline, readJournal, readSeq];
  return readers.flatMap((read) => {
    try {
      read(connection);
      return [];
    } catch {
      return [problem('row', 'an entry of the store cannot be read')];
    }
  });
}

function checkOrder(connection: Connection): StoreProblem[] {
  const newest = connection.get<{ seq: Seq | null }>(NEWEST)?.seq ?? 0;
  const seq =
    connection.get<{ value: Seq }>("SELECT value FROM meta WHERE key = 'seq'")?.value ?? -1;
  return newest <= seq ? [] : [problem('chain', `number ${newest} is beyond the last one, ${seq}`)];
}

/** Each change begins where the one before it ended, and the last known state is where the last one did. */
function checkLinks(connection: Connection, floor: Seq): StoreProblem[] {
  return readChains(connection).flatMap((chain) => {
    const paths = [bytesToPath(chain.head.path) as TrackedPath];
    return brokenLinks(chain, floor).map((message) => problem('chain', message, { paths }));
  });
}

function brokenLinks(chain: Chain, floor: Seq): string[] {
  const { head, links } = chain;
  const joints = links.flatMap((link, at) => {
    const before = links[at - 1];
    if (isJoined(before, link, floor)) return [];
    return [`change ${link.seq} does not begin where change ${before?.seq} ended`];
  });
  const states = links.every((link) => isBeforeKnown(link) && isAfterKnown(link));
  return [
    ...joints,
    ...(isHeadRight(chain, floor) ? [] : ['its last known state is not that of its last change']),
    ...(states && isKnownMode(head.mode, head.blob !== null)
      ? []
      : ['it has a state that is none']),
  ];
}

function checkCancellations(connection: Connection, floor: Seq): StoreProblem[] {
  const rows = connection.all<{ change_seq: Seq; by_seq: Seq }>(CANCELLATIONS, floor);
  return rows.map(({ change_seq, by_seq }) =>
    problem('chain', `change ${by_seq} is said to take back change ${change_seq}, which cannot be`),
  );
}
