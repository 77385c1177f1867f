import type { RewindFilesResult } from '@anthropic-ai/claude-agent-sdk';
import { SavepointError } from '../../index.ts';
import { messageOf } from '../../terminal/phrases.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import {
  makeFolderOf,
  metadataFile,
  newestFirst,
  readMetadata,
  setAside,
  writeMetadata,
} from './metadata-file.ts';

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
    if (query === null) throw new Error(NO_QUERY);
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
