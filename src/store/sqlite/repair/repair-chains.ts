import type { Seq } from '../../../model/ids.ts';
import {
  type Chain,
  floorOf,
  isAfterKnown,
  isBeforeKnown,
  isHeadRight,
  isJoined,
  type Link,
  readChains,
} from '../check/chains.ts';
import type { Connection } from '../connection.ts';
import { isKnownMode } from '../state-columns.ts';
import { dropBaseline } from './drop-baseline.ts';
import type { SetAside } from './set-aside.ts';
import { DAMAGED_MODE, seal, silenceSide } from './silence.ts';

const HEADLESS = 'SELECT 1 FROM changes WHERE path NOT IN (SELECT id FROM heads) LIMIT 1';

/** Rows that lead nowhere, with what they name. */
const DANGLING: readonly (readonly [table: string, where: string])[] = [
  ['changes', 'path NOT IN (SELECT id FROM heads)'],
  ['checkpoints', 'session_id IS NOT NULL AND session_id NOT IN (SELECT id FROM sessions)'],
  ['windows', 'session_id NOT IN (SELECT id FROM sessions)'],
  ['executions', 'session_id NOT IN (SELECT id FROM sessions)'],
  // Or they would be those of the next execution that gets the number.
  ['steps', 'execution NOT IN (SELECT num FROM executions)'],
  [
    'cancellations',
    `by_seq <= change_seq OR by_seq NOT IN (SELECT seq FROM changes)
      OR change_seq NOT IN (SELECT seq FROM changes)
      OR (SELECT path FROM changes WHERE seq = by_seq)
        <> (SELECT path FROM changes WHERE seq = change_seq)`,
  ],
];

// A session's number is not sealed: where its rows contradict each other, that is what may be wrong.
const WITHOUT_SESSION = `
  session IS NOT NULL AND session NOT IN (SELECT num FROM sessions)
    OR seq IN (SELECT changes.seq FROM changes
      JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
      JOIN sessions ON sessions.num = changes.session
      WHERE checkpoints.session_id IS NOT NULL AND checkpoints.session_id <> sessions.id)`;

/** Sets rows aside that lead nowhere, and makes unknown what rows of one path contradict each other in. */
export function repairChains(connection: Connection, aside: SetAside): void {
  if (connection.get(HEADLESS) !== undefined) dropBaseline(connection, aside);
  for (const [table, where] of DANGLING) {
    for (const row of connection.all(`SELECT * FROM ${table} WHERE ${where}`))
      aside.row(table, row);
    connection.run(`DELETE FROM ${table} WHERE ${where}`);
  }
  freeChanges(connection, aside);
  const floor = floorOf(connection);
  for (const { head, links } of readChains(connection)) mendStates(connection, head.id, links);
  for (const { links } of readChains(connection)) mendJoints(connection, links, floor);
  for (const chain of readChains(connection)) mendHead(connection, chain, floor);
}

/** What a change did to its path is still known when nobody knows any more whose it was. */
function freeChanges(connection: Connection, aside: SetAside): void {
  const rows = connection.all<Link>(`SELECT * FROM changes WHERE ${WITHOUT_SESSION}`);
  for (const row of rows) {
    aside.row('changes', row);
    connection.run('UPDATE changes SET session = NULL WHERE seq = ?', row.seq);
    seal(connection, 'changes', 'seq', row.seq);
  }
}

function mendStates(connection: Connection, head: number, links: readonly Link[]): void {
  for (const link of links) {
    if (!isBeforeKnown(link)) silenceSide(connection, 'before', 'seq', link.seq);
    if (!isAfterKnown(link)) silenceSide(connection, 'after', 'seq', link.seq);
  }
  const row = connection.get<{ mode: number; blob: number | null }>(
    'SELECT mode, blob FROM heads WHERE id = ?',
    head,
  );
  if (row !== undefined && !isKnownMode(row.mode, row.blob !== null)) {
    putHead(connection, head, { mode: DAMAGED_MODE, blob: null });
  }
}

/** Where a change does not begin where the one before it ended, nobody knows what was there in between. */
function mendJoints(connection: Connection, links: readonly Link[], floor: Seq): void {
  links.forEach((link, at) => {
    const before = links[at - 1];
    if (before === undefined || isJoined(before, link, floor)) return;
    silenceSide(connection, 'after', 'seq', before.seq);
    silenceSide(connection, 'before', 'seq', link.seq);
  });
}

function mendHead(connection: Connection, chain: Chain, floor: Seq): void {
  const last = chain.links.at(-1);
  if (last === undefined || isHeadRight(chain, floor)) return;
  const isOpen = last.after_mode === null;
  silenceSide(connection, isOpen ? 'before' : 'after', 'seq', last.seq);
  connection.run(
    'UPDATE heads SET seq = ?, open = ? WHERE id = ?',
    last.seq,
    isOpen ? 1 : 0,
    chain.head.id,
  );
  putHead(connection, chain.head.id, { mode: DAMAGED_MODE, blob: null });
}

function putHead(
  connection: Connection,
  id: number,
  { mode, blob }: { readonly mode: number; readonly blob: number | null },
): void {
  connection.run('UPDATE heads SET mode = ?, blob = ? WHERE id = ?', mode, blob, id);
  seal(connection, 'heads', 'id', id);
}
