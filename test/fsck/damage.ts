import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was done to one file of a store. */
export interface Damage {
  readonly file: string;
  readonly what: string;
}

/** Damages one of the files; those of the database more often. */
export function damageOne(store: string, random: () => number): Damage {
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => {
    const stats = statSync(join(store, name));
    return stats.isFile() && stats.size > 0;
  });
  const database = files.filter((name) => name.startsWith('store.db'));
  const among = random() < 0.6 ? database : files;
  const file = among[Math.floor(random() * among.length)] ?? 'store.db';
  return { file, what: damageFile(join(store, file), random) };
}

/** Flips a bit of a file, or cuts its end off, and says what it did. */
export function damageFile(file: string, random: () => number): string {
  const bytes = readFileSync(file);
  const at = Math.floor(random() * bytes.length);
  if (random() < 0.2) {
    writeFileSync(file, bytes.subarray(0, at));
    return `cut to ${at} of ${bytes.length} bytes`;
  }
  const bit = Math.floor(random() * 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(file, bytes);
  return `bit ${bit} of byte ${at} flipped`;
}
