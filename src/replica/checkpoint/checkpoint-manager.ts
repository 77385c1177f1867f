import { dirname, join } from 'node:path';
import type { RewindFilesResult } from '@anthropic-ai/claude-agent-sdk';
import { moveIntoPlace } from '../../fs/entries.ts';
import { setPermissions } from '../../fs/pinned-folder.ts';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { SavepointError } from '../../index.ts';
import { accepts, ID, listOf, object, storableText, unchecked } from '../../model/check.ts';
import { messageOf } from '../../terminal/phrases.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import { TIME } from '../sessions/session-manager.ts';

const NO_QUERY = 'No active query session. Cannot restore checkpoint.';
const NOT_IN_SDK =
  'Checkpoint data not found in SDK. This may happen if the session was not properly completed or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING was not set.';

export interface CheckpointManagerOptions {
  /** `~/.claude-replica/sessions/{session-id}`. */
  readonly sessionDir: string;
  readonly sessionId: string;
  /** How many are kept; beyond that the oldest go. */
  readonly maxCheckpoints?: number;
  readonly now?: () => Date;
  /** Called for problems that do not stop the agent: a damaged file, a save that failed. */
  readonly warn?: (message: string) => void;
}

/** The prompts of a session that can be returned to. What the files were is kept by the SDK. */
export class CheckpointManager {
  readonly sessionId: string;
  readonly #file: string;
  readonly #max: number;
  readonly #now: () => Date;
  readonly #warn: (message: string) => void;
  #checkpoints: readonly CheckpointMetadata[] = [];
  #isSaved = true;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: CheckpointManagerOptions) {
    const { maxCheckpoints = 10 } = options;
    if (!Number.isSafeInteger(maxCheckpoints) || maxCheckpoints < 1) {
      throw new SavepointError('argument-invalid', 'maxCheckpoints is a whole number above zero');
    }
    this.sessionId = options.sessionId;
    this.#file = metadataFile(options.sessionDir);
    this.#max = maxCheckpoints;
    this.#now = options.now ?? (() => new Date());
    this.#warn = options.warn ?? (() => undefined);
  }

  /** Makes the folder and loads what is there. A damaged file gets another name; what is valid stays. */
  async initialize(): Promise<void> {
    makeFolderOf(this.#file);
    const read = readMetadata(this.#file);
    if (read === null) return;
    this.#checkpoints = read.checkpoints.slice(0, this.#max);
    if (!read.isWhole) await this.#replaceDamaged(read.checkpoints.length);
  }

  /** Puts a prompt on top of the list. The same one twice is one entry. */
  captureCheckpoint(uuid: string, description: string, sessionId: string): void {
    const [newest] = this.#checkpoints;
    if (!this.#checkpoints.some(({ id }) => id === uuid)) {
      // A clock that was set back must not put this prompt below an earlier one when it is loaded.
      const time = Math.max(this.#now().getTime(), newest?.timestamp.getTime() ?? 0);
      const checkpoint = { id: uuid, timestamp: new Date(time), description, sessionId };
      this.#checkpoints = [checkpoint, ...this.#checkpoints].slice(0, this.#max);
      this.#isSaved = false;
    }
    if (!this.#isSaved) this.#save();
  }

  /** Newest first; the caller's own copy. */
  listCheckpoints(): CheckpointMetadata[] {
    return this.#checkpoints.map((one) => ({ ...one, timestamp: new Date(one.timestamp) }));
  }

  /** Has the SDK put its files back as they were when the prompt was sent. */
  async restoreCheckpoint(id: string, query: RewindableQuery | null): Promise<RewindFilesResult> {
    // Callers may not be compiled with our types.
    if (typeof query?.rewindFiles !== 'function') throw new Error(NO_QUERY);
    const result = await rewind(id, query);
    if (!result.canRewind) throw meaningOf(result.error ?? 'The SDK cannot rewind to this prompt.');
    return result;
  }

  /** Writes down what came before a prompt for the session that was forked there, in that one's folder. */
  async copyBefore(promptId: string, sessionDir: string): Promise<void> {
    const at = this.#checkpoints.findIndex(({ id }) => id === promptId);
    const file = metadataFile(sessionDir);
    makeFolderOf(file);
    writeMetadata(file, at === -1 ? [] : this.#checkpoints.slice(at + 1));
  }

  /** Resolves when what was captured until now is saved, or has failed to be. */
  async flush(): Promise<void> {
    await this.#saving;
  }

  async #replaceDamaged(valid: number): Promise<void> {
    const aside = setAside(this.#file, this.#now());
    const kept = valid === 1 ? '1 checkpoint in it is' : `${valid} checkpoints in it are`;
    this.#warn(`The list of checkpoints was damaged and is now ${aside}; ${kept} kept.`);
    if (valid === 0) return;
    this.#isSaved = false;
    this.#save();
    await this.flush();
  }

  /** One save after the other, each of all there is by then. */
  #save(): void {
    this.#saving = this.#saving.then(() => this.#saveNow());
  }

  /** The same conversation may be open twice; what the other process captured stays in the list. */
  #takeUpOthers(): void {
    const read = readMetadata(this.#file);
    if (read === null || !read.isWhole) return;
    const known = new Set(this.#checkpoints.map(({ id }) => id));
    const others = read.checkpoints.filter(({ id }) => !known.has(id));
    if (others.length === 0) return;
    // Sorting is stable: prompts of one moment stay in their order.
    const all = [...this.#checkpoints, ...others].sort(newestFirst);
    this.#checkpoints = all.slice(0, this.#max);
  }

  #saveNow(): void {
    if (this.#isSaved) return;
    this.#isSaved = true;
    try {
      this.#takeUpOthers();
      writeMetadata(this.#file, this.#checkpoints);
    } catch (error) {
      // The next capture tries again: a full disk may have room by then.
      this.#isSaved = false;
      this.#warn(`The list of checkpoints could not be saved: ${messageOf(error)}`);
    }
  }
}

async function rewind(id: string, query: RewindableQuery): Promise<RewindFilesResult> {
  try {
    return await query.rewindFiles(id);
  } catch (error) {
    throw meaningOf(messageOf(error), error);
  }
}

/** The SDK says in words only that it holds nothing for a prompt, or was never told to. */
function meaningOf(message: string, cause?: unknown): Error {
  const isNotThere = /No file checkpoint found|File rewinding is not enabled/.test(message);
  const text = isNotThere ? NOT_IN_SDK : message;
  return new Error(text, cause === undefined ? undefined : { cause });
}

/** A prompt of the user that can be returned to, as `metadata.json` has it. */
export interface CheckpointMetadata {
  /** The uuid of the user's message. */
  readonly id: string;
  readonly timestamp: Date;
  readonly description: string;
  /** The SDK's session. */
  readonly sessionId: string;
}

const LARGEST_BYTES = 16 * 1024 * 1024;

/** The file in which a session keeps what it knows of its checkpoints. */
function metadataFile(sessionDir: string): string {
  return join(sessionDir, 'checkpoints', 'metadata.json');
}

/** Makes the folder that a file is to lie in, for its owner alone. */
function makeFolderOf(file: string): void {
  makePrivateFolder(dirname(file));
  // The file mode mask, or an older program, may have left it open.
  setPermissions(dirname(file), 0o700);
}

/** Null where there is no file. What cannot be read at all counts as damaged. */
function readMetadata(file: string): MetadataRead | null {
  const read = readFile(file, { maxBytes: LARGEST_BYTES });
  if (read.bytes !== null) return parseMetadata(read.bytes.toString());
  return read.why === 'missing' ? null : { checkpoints: [], isWhole: false };
}

/** Gives a damaged file another name, and never one that something else has. Returns that name. */
function setAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[:.]/g, '-');
  for (let attempt = 0; ; attempt += 1) {
    const aside = `${file}.damaged-${time}${attempt === 0 ? '' : `-${attempt}`}`;
    try {
      moveIntoPlace(file, aside);
      return aside;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function writeMetadata(file: string, checkpoints: readonly CheckpointMetadata[]): void {
  // A date is written as `toISOString` gives it.
  writeFile(file, Buffer.from(`${JSON.stringify({ checkpoints }, null, 2)}\n`));
}

const LONGEST_DESCRIPTION = 10_000;

const ENTRY = object({
  id: ID,
  timestamp: TIME,
  description: storableText(0, LONGEST_DESCRIPTION),
  sessionId: ID,
});
const ENTRIES = object({ checkpoints: listOf(unchecked<unknown>()) });

/** What a `metadata.json` holds, and whether all of it could be understood. */
interface MetadataRead {
  readonly checkpoints: readonly CheckpointMetadata[];
  readonly isWhole: boolean;
}

/** Keeps every entry that is valid; newest first, an id once. */
function parseMetadata(text: string): MetadataRead {
  const entries = entriesOf(text);
  if (entries === null) return { checkpoints: [], isWhole: false };
  const valid = entries.filter((entry) => accepts(ENTRY, entry));
  const sorted = valid
    .map(({ id, timestamp, description, sessionId }) => {
      return { id, timestamp: new Date(timestamp), description, sessionId };
    })
    .sort(newestFirst);
  const byId = new Map<string, CheckpointMetadata>();
  for (const one of sorted) if (!byId.has(one.id)) byId.set(one.id, one);
  return { checkpoints: [...byId.values()], isWhole: valid.length === entries.length };
}

function newestFirst(one: CheckpointMetadata, other: CheckpointMetadata): number {
  return other.timestamp.getTime() - one.timestamp.getTime();
}

function entriesOf(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return accepts(ENTRIES, value) ? value.checkpoints : null;
  } catch {
    return null;
  }
}
