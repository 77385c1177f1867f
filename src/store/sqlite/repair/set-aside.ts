import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makePrivateFolder, syncPath } from '../../../fs/write-file.ts';
import type { Layout } from '../layout.ts';

const PRIVATE = { mode: 0o600 } as const;

/** Where a repair puts what it takes out of a store: nothing damaged is thrown away. */
export class SetAside {
  readonly folder: string;
  rows = 0;
  files = 0;

  constructor(layout: Layout) {
    let number = 1;
    while (existsSync(join(layout.damaged, String(number)))) number += 1;
    this.folder = join(layout.damaged, String(number));
  }

  /** A row as it was found, one line of JSON for each; bytes in hexadecimal. */
  row(table: string, row: unknown): void {
    this.#make();
    const text = JSON.stringify({ table, row }, (_, value) => shown(value));
    appendFileSync(join(this.folder, 'rows.jsonl'), `${text}\n`, PRIVATE);
    this.rows += 1;
  }

  /** Moves a file of the store, if it is there. */
  file(path: string): void {
    if (!existsSync(path)) return;
    this.#make();
    renameSync(path, join(this.folder, basename(path)));
    this.files += 1;
  }

  /** Keeps a file of the store under a second name, durably: it stays where it is until it is replaced. */
  keep(path: string): void {
    if (!existsSync(path)) return;
    makePrivateFolder(this.folder);
    const kept = join(this.folder, basename(path));
    try {
      linkSync(path, kept);
    } catch {
      // Not every file system has links.
      copyFileSync(path, kept);
    }
    syncPath(kept);
    syncPath(this.folder);
    this.files += 1;
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.#make();
    writeFileSync(join(this.folder, name), bytes, PRIVATE);
    this.files += 1;
  }

  #make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }
}

function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : value;
}
