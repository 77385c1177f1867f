import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { appendLine } from '../../fs/append-file.ts';
import { fileSize, removeIfThere, statOf } from '../../fs/entries.ts';
import { readFileOrNull } from '../../fs/read-file.ts';
import { namesIn } from '../../fs/tree.ts';
import { accepts, COUNT, object, TEXT } from '../../model/check.ts';
import { isToKeep, type PromptMemory } from '../ui/prompt-history.ts';

export interface KeptPromptsOptions {
  /** `~/.claude-replica/history`; each project has a folder in it. */
  readonly root: string;
  /** The project's real path. */
  readonly project: string;
  readonly now?: () => number;
}

interface Kept {
  readonly at: number;
  readonly text: string;
}

const MOST_TEXTS = 1_000;
const MOST_FILES = 100;
const MOST_BYTES = 1024 * 1024;
/** A process begins another file then, so that old lines can go without the new ones. */
const FULL_BYTES = 64 * 1024;
/** A longer text is remembered by this process alone. */
const LONGEST_KEPT = 32 * 1024;

/**
 * What was sent in a project, for the next process too, readable by its owner alone. Each process appends to
 * files of its own, so that none can lose a line of another, and all of them are read. What cannot be written
 * is remembered as long as the process lives. Never throws.
 */
export class KeptPrompts implements PromptMemory {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #own: Kept[] = [];
  readonly #ownFiles = new Set<string>();
  #file: string | null = null;

  constructor({ root, project, now = Date.now }: KeptPromptsOptions) {
    const name = createHash('sha256').update(project).digest('hex').slice(0, 16);
    this.#folder = join(root, name);
    this.#now = now;
  }

  texts(): readonly string[] {
    const others = this.#files().filter((name) => !this.#ownFiles.has(name));
    const kept = [...others.flatMap((name) => linesOf(join(this.#folder, name))), ...this.#own];
    const texts = kept.sort((a, b) => a.at - b.at).map(({ text }) => text);
    return texts.filter((text, i) => text !== texts[i - 1]).slice(-MOST_TEXTS);
  }

  add(text: string): void {
    if (!isToKeep(text) || this.#own.at(-1)?.text === text) return;
    // Two in the same millisecond stay in their order.
    const kept = { at: Math.max(this.#now(), (this.#own.at(-1)?.at ?? 0) + 1), text };
    this.#own.push(kept);
    if (this.#own.length > MOST_TEXTS) this.#own.shift();
    if (text.length > LONGEST_KEPT) return;
    try {
      appendLine(join(this.#folder, this.#fileToAppend()), JSON.stringify(kept));
    } catch {
      // A full disk is told of by those whose work depends on it.
    }
  }

  #fileToAppend(): string {
    const size = this.#file === null ? null : fileSize(join(this.#folder, this.#file));
    if (this.#file !== null && (size ?? 0) < FULL_BYTES) return this.#file;
    this.#file = `${randomUUID()}.jsonl`;
    this.#ownFiles.add(this.#file);
    this.#prune();
    return this.#file;
  }

  /** Removes the files that nobody has written to for longest. */
  #prune(): void {
    const files = this.#files().map((name) => {
      const path = join(this.#folder, name);
      const { size, mtimeMs } = statOf(path);
      return { path, size: Number(size), writtenAt: Number(mtimeMs) };
    });
    let bytes = 0;
    for (const [i, { path, size }] of files.sort((a, b) => b.writtenAt - a.writtenAt).entries()) {
      bytes += size;
      if (i >= MOST_FILES || bytes > MOST_BYTES) removeIfThere(path);
    }
  }

  #files(): string[] {
    try {
      return namesIn(this.#folder).filter((name) => name.endsWith('.jsonl'));
    } catch {
      return [];
    }
  }
}

const KEPT = object({ at: COUNT, text: TEXT });

/** A line that is cut off, or that somebody else wrote there, is passed over. */
function linesOf(path: string): Kept[] {
  const lines = readFileOrNull(path, { maxBytes: 2 * MOST_BYTES })
    ?.toString('utf8')
    .split('\n');
  return (lines ?? []).flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return accepts(KEPT, value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
