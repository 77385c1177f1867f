import { SavepointError } from '../../model/errors.ts';
import { isBlobId, type Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Baseline } from '../../model/manifest.ts';
import { isPackName } from '../blob.ts';
import type { ProjectIdentity, StoreState } from '../store.ts';
import { type Connection, parseStored } from './connection.ts';
import { newSealSql, sealSql } from './seals.ts';

const READ = 'SELECT value FROM meta WHERE key = ?';

const WRITE = `
  INSERT INTO meta (key, value, seal) VALUES (?1, ?2, ${newSealSql('meta')})
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, seal = excluded.seal`;

export function writeMeta(connection: Connection, key: string, value: string | number): void {
  connection.run(WRITE, key, value);
}

/**
 * One statement, so that all of it is of one moment. The project and the baseline are parsed when they are asked
 * for: a damaged baseline must not stop a list, nor the recovery of a restore.
 */
const READ_STATE = `
  SELECT (SELECT value FROM meta WHERE key = 'project') AS project,
    (SELECT value FROM meta WHERE key = 'seq') AS seq,
    (SELECT value FROM meta WHERE key = 'baseline') AS baseline,
    EXISTS (SELECT 1 FROM meta WHERE key = 'scrub') AS scrub`;

interface StateRow {
  readonly project: unknown;
  readonly seq: unknown;
  readonly baseline: unknown;
  readonly scrub: number;
}

/** In one row: every capture asks several times, and one row is read in less time than one for each key. */
export function readState(connection: Connection): StoreState {
  const row = connection.get<StateRow>(READ_STATE);
  if (typeof row?.seq !== 'number') throw lostSeq();
  const { project, seq, baseline, scrub } = row;
  return {
    get project(): ProjectIdentity | null {
      return parsed(project);
    },
    seq,
    get baseline(): Baseline | null {
      return parsed(baseline);
    },
    needsScrub: scrub === 1,
  };
}

function parsed<Value>(text: unknown): Value | null {
  return text === undefined || text === null ? null : (parseStored(text) as Value);
}

function lostSeq(): SavepointError {
  return new SavepointError('store-corrupt', 'the store has lost its sequence number');
}

/** Whether a purge has bytes left to remove. */
export function needsScrub(connection: Connection): boolean {
  return connection.get(READ, 'scrub') !== undefined;
}

export function readSeq(connection: Connection): Seq {
  const row = connection.get<{ value: number }>(READ, 'seq');
  if (row === undefined) throw lostSeq();
  return row.value;
}

export function writeSeq(connection: Connection, seq: Seq): void {
  writeMeta(connection, 'seq', seq);
}

// JSON keeps what SQLite's text would not: the lone surrogates that stand for bytes in our paths.

export function readProject(connection: Connection): ProjectIdentity | null {
  return parsed(connection.get<{ value: string }>(READ, 'project')?.value);
}

export function writeProject(
  connection: Connection,
  { root, inode, birthtimeNs }: ProjectIdentity,
): void {
  const content = JSON.stringify({ root, inode, birthtimeNs });
  writeMeta(connection, 'project', content);
}

export function readBaseline(connection: Connection): Baseline | null {
  return parsed(connection.get<{ value: string }>(READ, 'baseline')?.value);
}

export function writeBaseline(connection: Connection, baseline: Baseline | null): void {
  if (baseline === null) {
    connection.run("DELETE FROM meta WHERE key = 'baseline'");
    return;
  }
  const { seq, manifest, packs } = baseline;
  // Names become those of files, so nothing else may pass for one.
  if (!isBlobId(manifest) || !packs.every(isPackName)) {
    const message = 'a baseline needs the SHA-256 of its manifest, and names of packs';
    throw new SavepointError('argument-invalid', message);
  }
  const content = JSON.stringify({ seq, manifest, packs });
  writeMeta(connection, 'baseline', content);
}

export function readJournal(connection: Connection): Journal | null {
  const row = connection.get<{ content: string }>('SELECT content FROM journal');
  return row === undefined ? null : (JSON.parse(row.content) as Journal);
}

/** Compared with its seal, because files are moved by what the journal says. */
export function readSealedJournal(connection: Connection): Journal | null {
  const row = connection.get<{ sealed: number; content: string }>(
    `SELECT seal IS ${sealSql('journal')} AS sealed, content FROM journal`,
  );
  if (row === undefined) return null;
  if (row.sealed !== 1) {
    const message = 'the journal of a restore is not what was written';
    const hint = 'nothing was touched; savepoint fsck says what is damaged';
    throw new SavepointError('store-corrupt', message, { hint });
  }
  return JSON.parse(row.content) as Journal;
}

const WRITE_JOURNAL = `
  INSERT OR REPLACE INTO journal (only, content, seal) VALUES (1, ?1, ${newSealSql('journal')})`;

export function writeJournal(connection: Connection, journal: Journal | null): void {
  if (journal === null) connection.run('DELETE FROM journal');
  else connection.run(WRITE_JOURNAL, JSON.stringify(journal));
}
