import { SavepointError } from '../../model/errors.ts';
import { isBlobId } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Baseline } from '../../model/manifest.ts';
import { isPackName } from '../blob.ts';
import { sealOf } from '../seal.ts';
import type { ProjectIdentity, StoreState } from '../store.ts';
import type { Scope, Writing } from './database.ts';
import { parseStored } from './record-table.ts';

// JSON keeps what text would not: the lone surrogates that stand for bytes in our paths.
type Key = 'project' | 'baseline' | 'journal';

interface MetaRow {
  readonly key: Key;
  readonly value: string;
  readonly seal: number;
}

/** One statement, so that all of it is of one moment. */
export async function readState({ session, worktree }: Scope): Promise<StoreState> {
  const sql = `
    SELECT seq, key, value FROM worktrees
    LEFT JOIN meta ON meta.worktree = worktrees.id AND key IN ('project', 'baseline')
    WHERE worktrees.id = $1`;
  const rows = await session.query<{ seq: number; key: Key; value: string }>(sql, [worktree]);
  const [first] = rows;
  if (first === undefined) {
    throw new SavepointError('store-corrupt', 'the store has lost its sequence number');
  }
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  // Parsed when they are asked for: a damaged baseline must not stop a list.
  return {
    seq: first.seq,
    get project(): ProjectIdentity | null {
      return parsed(values.get('project'));
    },
    get baseline(): Baseline | null {
      return parsed(values.get('baseline'));
    },
    needsScrub: false,
  };
}

function parsed<Value>(text: string | undefined): Value | null {
  return text === undefined ? null : (parseStored(text) as Value);
}

export function writeProject(
  scope: Scope<Writing>,
  { root, inode, birthtimeNs }: ProjectIdentity,
): Promise<void> {
  return write(scope, 'project', { root, inode, birthtimeNs });
}

export async function writeBaseline(
  scope: Scope<Writing>,
  baseline: Baseline | null,
): Promise<void> {
  if (baseline === null) return write(scope, 'baseline', null);
  const { seq, manifest, packs } = baseline;
  if (!isBlobId(manifest) || !packs.every(isPackName)) {
    const message = 'a baseline needs the SHA-256 of its manifest, and names of packs';
    throw new SavepointError('argument-invalid', message);
  }
  await write(scope, 'baseline', { seq, manifest, packs });
}

export function writeJournal(scope: Scope<Writing>, journal: Journal | null): Promise<void> {
  return write(scope, 'journal', journal);
}

export async function readBaseline(scope: Scope): Promise<Baseline | null> {
  return (await readState(scope)).baseline;
}

/** Compared with its seal, because files are moved by what the journal says. */
export async function readJournal({ session, worktree }: Scope): Promise<Journal | null> {
  const sql = "SELECT key, value, seal FROM meta WHERE worktree = $1 AND key = 'journal'";
  const [row] = await session.query<MetaRow>(sql, [worktree]);
  if (row === undefined) return null;
  if (sealOf(row.key, row.value) === row.seal) return parseStored(row.value) as Journal;
  const message = 'the journal of a restore is not what was written';
  throw new SavepointError('store-corrupt', message, { hint: 'nothing was touched' });
}

const PUT = `
  INSERT INTO meta (worktree, key, value, seal) VALUES ($1, $2, $3, $4)
  ON CONFLICT (worktree, key) DO UPDATE SET value = excluded.value, seal = excluded.seal`;

async function write(
  { session, worktree }: Scope<Writing>,
  key: Key,
  content: object | null,
): Promise<void> {
  if (content === null) {
    session.send('DELETE FROM meta WHERE worktree = $1 AND key = $2', [worktree, key]);
    return;
  }
  const value = JSON.stringify(content);
  session.send(PUT, [worktree, key, value, sealOf(key, value)]);
}
