import { hash } from 'node:crypto';
import { join } from 'node:path';
import { removeIfThere } from '../fs/entries.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { accepts, ID, listOf } from '../model/check.ts';

const MOST_IDS = 200;
const MOST_BYTES = 1024 * 1024;
const IDS = listOf(ID);

/**
 * The prompts of a session that a program sent: each hook is a process of its own, and calls that name such a
 * prompt belong to the person's newest one.
 */
export class ContinuedPrompts {
  readonly #folder: string;
  readonly #file: string;

  constructor(home: string, sessionId: string) {
    this.#folder = join(home, 'agents', 'continued');
    this.#file = join(this.#folder, `${hash('sha256', sessionId).slice(0, 32)}.json`);
  }

  has(messageId: string): boolean {
    return this.#read().includes(messageId);
  }

  add(messageId: string): void {
    const ids = [...this.#read(), messageId].slice(-MOST_IDS);
    makePrivateFolder(this.#folder);
    writeFile(this.#file, Buffer.from(JSON.stringify(ids)), { durable: false });
  }

  /** The session is over. */
  forget(): void {
    removeIfThere(this.#file);
  }

  #read(): readonly string[] {
    const bytes = readFileOrNull(this.#file, { maxBytes: MOST_BYTES });
    try {
      const value: unknown = bytes === null ? [] : JSON.parse(String(bytes));
      return accepts(IDS, value) ? value : [];
    } catch {
      return [];
    }
  }
}
