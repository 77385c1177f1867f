import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How a blob lies in the store. */
export type Form =
  | 'raw row'
  | 'compressed row'
  | 'delta row'
  | 'raw file'
  | 'compressed file'
  | 'arrival';

export type Damage = 'flipped' | 'truncated' | 'emptied' | 'removed';

export interface StoredBlob {
  readonly id: string;
  readonly form: Form;
}

/** Every blob of a store that nobody has open. */
export function storedBlobs(directory: string): StoredBlob[] {
  return withDatabase(directory, (database) =>
    database
      .prepare('SELECT lower(hex(hash)) AS id, encoding, base, data IS NULL AS file FROM blobs')
      .all()
      .map((row) => ({
        id: String(row.id),
        form:
          row.encoding === 'arrived'
            ? 'arrival'
            : formOf(row.encoding === 'raw', row.base !== null, row.file === 1),
      })),
  );
}

/** Spoils the stored bytes of one blob, as a bad disk or a careless hand would. */
export function spoil(directory: string, blob: StoredBlob, damage: Damage): void {
  if (blob.form.endsWith('file')) spoilFile(directory, blob, damage);
  else if (blob.form === 'arrival') spoilArrival(directory, blob.id);
  else withDatabase(directory, (database) => spoilRow(database, blob.id, damage));
}

function formOf(raw: boolean, leans: boolean, file: boolean): Form {
  if (file) return raw ? 'raw file' : 'compressed file';
  if (leans) return 'delta row';
  return raw ? 'raw row' : 'compressed row';
}

function spoilFile(directory: string, { id, form }: StoredBlob, damage: Damage): void {
  const path = join(directory, 'blobs', form === 'raw file' ? id : `${id}.zst`);
  if (damage === 'removed') rmSync(path);
  else if (damage === 'emptied') truncateSync(path);
  else writeFileSync(path, damaged(readFileSync(path), damage));
}

/** Flips a bit, whatever the damage should be: others lie before and behind it. */
function spoilArrival(directory: string, id: string): void {
  const path = join(directory, 'arrivals');
  const start = withDatabase(directory, (database) =>
    database.prepare('SELECT data FROM blobs WHERE hash = ?').get(Buffer.from(id, 'hex')),
  )?.data as number;
  const bytes = readFileSync(path);
  bytes[start] = (bytes[start] ?? 0) ^ 0x10;
  writeFileSync(path, bytes);
}

function spoilRow(database: DatabaseSync, id: string, damage: Damage): void {
  const hash = Buffer.from(id, 'hex');
  if (damage === 'removed') {
    database.exec('PRAGMA foreign_keys = OFF');
    database.prepare('DELETE FROM blobs WHERE hash = ?').run(hash);
    return;
  }
  const row = database.prepare('SELECT data FROM blobs WHERE hash = ?').get(hash);
  const data = damaged(row?.data as Uint8Array, damage);
  database.prepare('UPDATE blobs SET data = ? WHERE hash = ?').run(data, hash);
}

function damaged(bytes: Uint8Array, damage: Damage): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const middle = Math.floor(copy.length / 2);
  if (damage === 'truncated') return copy.subarray(0, middle);
  if (damage === 'emptied') return copy.subarray(0, 0);
  copy[middle] = (copy[middle] ?? 0) ^ 0x10;
  return copy;
}

function withDatabase<T>(directory: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(directory, 'store.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
