import { pathToBytes } from '../../../model/path.ts';
import type { ChainHead, Link } from '../check/chains.ts';
import { readManifest } from '../check/check-baseline.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../opened.ts';
import { sealOf } from '../seals.ts';
import { dropBaseline } from './drop-baseline.ts';
import type { SetAside } from './set-aside.ts';
import { DAMAGED_MODE, seal, silenceSide } from './silence.ts';

interface Head extends ChainHead {
  readonly seal: number;
}

const HEAD = 'SELECT id, path, seq, open, mode, blob, seal FROM heads WHERE id = ?';

const LAST = `
  SELECT path, seq, before_mode, before_blob, after_mode, after_blob FROM changes
  WHERE path = ? ORDER BY seq DESC LIMIT 1`;

const PUT = 'UPDATE heads SET path = ?, seq = ?, open = ?, mode = ?, blob = ? WHERE id = ?';

/** A last known state is put right where its seal tells how; otherwise nothing is known of its path. */
export function repairHead(opened: Opened, id: number, aside: SetAside): void {
  const { connection } = opened;
  const head = connection.get<Head>(HEAD, id);
  if (head === undefined) return;
  const right = asItsLastChange(connection, head) ?? withItsName(opened, head);
  if (right !== null) {
    connection.run(PUT, right.path, right.seq, right.open, right.mode, right.blob, id);
    return;
  }
  silence(connection, id);
  // The name may be wrong: then another path has no last known state any more, and nobody knows which.
  dropBaseline(connection, aside);
}

function silence(connection: Connection, head: number): void {
  connection.run('UPDATE heads SET mode = ?, blob = NULL WHERE id = ?', DAMAGED_MODE, head);
  for (const side of ['before', 'after'] as const) silenceSide(connection, side, 'path', head);
  seal(connection, 'heads', 'id', head);
}

/** Its name is right, and what it says is what its last change says. */
function asItsLastChange(connection: Connection, head: Head): Head | null {
  const last = connection.get<Link>(LAST, head.id);
  if (last === undefined) return null;
  const isOpen = last.after_mode === null;
  const right: Head = {
    ...head,
    seq: last.seq,
    open: isOpen ? 1 : 0,
    mode: last.after_mode ?? last.before_mode,
    blob: isOpen ? last.before_blob : last.after_blob,
  };
  return isSealed(right) ? right : null;
}

/** Only its name is wrong, and the first scan found one that is right. */
function withItsName(opened: Opened, head: Head): Head | null {
  const list = readManifest(opened);
  if (list === null || !(head.path instanceof Uint8Array)) return null;
  const found: Head[] = [];
  for (const [path] of list) {
    const bytes = pathToBytes(path);
    // Damage makes no name longer. A seal is short, and thousands of names have it by chance.
    if (bytes.length !== head.path.length) continue;
    const right = { ...head, path: bytes };
    if (isSealed(right) && !isTaken(opened.connection, bytes)) found.push(right);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

function isSealed({ path, seq, open, mode, blob, seal: said }: Head): boolean {
  return sealOf(path, seq, open, mode, blob) === said;
}

function isTaken(connection: Connection, path: Uint8Array): boolean {
  return connection.get('SELECT 1 FROM heads WHERE path = ?', path) !== undefined;
}
