import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { removeIfThere } from '../fs/entries.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { exact, type Kind, listOf, nullable, oneOf, recordOf, TEXT } from '../model/check.ts';
import { AGENT_NAMES, type AgentName } from './agent-adapter.ts';
import { SCOPES, type Scope } from './agent-settings.ts';
import { readJson } from './read-json.ts';
import type { JsonPath } from './settings-text.ts';

/** What was done to one file, so that it can be taken back exactly. */
export interface InstalledFile {
  readonly agent: AgentName;
  readonly scope: Scope;
  /** The hash of what we wrote. */
  readonly wrote: string;
  /** The name of the copy of what was there before; null where there was no file. */
  readonly backup: string | null;
  /**
   * What a removal makes of a file that nobody changed since: the copy, no file, or, where the copy had hooks of
   * ours in it already, the text without them.
   */
  readonly goesBackTo: 'copy' | 'nothing' | 'edited';
  /** The containers that we made in it. */
  readonly made: readonly JsonPath[];
  /** The folders that we made for it, outermost first. */
  readonly folders: readonly string[];
}

const INSTALLED_FILE: Kind<InstalledFile> = exact({
  agent: oneOf(...AGENT_NAMES),
  scope: oneOf(...SCOPES),
  wrote: TEXT,
  backup: nullable(TEXT),
  goesBackTo: oneOf('copy', 'nothing', 'edited'),
  made: listOf(listOf(TEXT)),
  folders: listOf(TEXT),
});

const RECORD = exact({ files: recordOf(INSTALLED_FILE) });

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * What `savepoint init` wrote, by the paths of the files, and copies of what was there before: in the folder
 * `agents` beside the stores, for the owner alone, because settings can hold keys. Without the record hooks are
 * found and removed all the same; it makes the difference of a few characters of white space.
 */
export class InstallRecord {
  readonly #folder: string;
  readonly #files: Map<string, InstalledFile>;

  constructor(storeHome: string) {
    this.#folder = join(storeHome, 'agents');
    // A record that cannot be read counts as none.
    const record = readJson(RECORD, this.#file, { maxBytes: MOST_BYTES });
    this.#files = new Map(Object.entries(record?.files ?? {}));
  }

  get(place: string): InstalledFile | null {
    return this.#files.get(place) ?? null;
  }

  /** All files that were written and not taken back since, with their paths. */
  all(): readonly (readonly [place: string, file: InstalledFile])[] {
    return [...this.#files];
  }

  /** What a file held before; null where no copy of it is left. */
  backupOf({ backup }: InstalledFile): Buffer | null {
    return backup === null ? null : readFileOrNull(this.#backup(backup), { maxBytes: MOST_BYTES });
  }

  /** Keeps a copy of what a file holds now. Returns the name of the copy. */
  keep(place: string, bytes: Uint8Array): string {
    const [whose, what] = [hash('sha256', place), hashOf(bytes)];
    const name = `${whose.slice(0, 12)}-${what.slice(0, 12)}-${basename(place)}`;
    makePrivateFolder(join(this.#folder, 'backups'));
    writeFile(this.#backup(name), bytes);
    return name;
  }

  set(place: string, file: InstalledFile): void {
    const known = this.#files.get(place);
    this.#files.set(place, file);
    this.#write();
    if (known?.backup !== file.backup) this.discard(known?.backup ?? null);
  }

  /**
   * Forgets a file that holds these bytes now, and removes its copy if that has the same. Returns the path of a
   * copy that stays: it may be the only one of something that somebody misses later.
   */
  forget(place: string, now: Buffer | null): string | null {
    const known = this.#files.get(place);
    if (known === undefined) return null;
    const copy = this.backupOf(known);
    this.#files.delete(place);
    this.#write();
    if (copy !== null && known.backup !== null && !now?.equals(copy)) {
      return this.#backup(known.backup);
    }
    this.discard(known.backup);
    return null;
  }

  /** Removes a copy. */
  discard(backup: string | null): void {
    if (backup !== null) removeIfThere(this.#backup(backup));
  }

  get #file(): string {
    return join(this.#folder, 'installed.json');
  }

  #backup(name: string): string {
    return join(this.#folder, 'backups', basename(name));
  }

  #write(): void {
    const files = Object.fromEntries(this.#files);
    makePrivateFolder(this.#folder);
    writeFile(this.#file, Buffer.from(`${JSON.stringify({ files }, null, 2)}\n`));
  }
}

export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
