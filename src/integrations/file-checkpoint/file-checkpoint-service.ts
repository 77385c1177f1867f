import {
  type Capture,
  type Change,
  type Checkpoint,
  type CheckpointId,
  checkId,
  isSavepointError,
  type OnConflict,
  type PlanLine,
  type Savepoint,
  SavepointError,
} from '../../index.ts';
import { AMOUNT, check } from '../../model/check.ts';
import { type FileCheckpoint, fileRows, rowId, toFileCheckpoint } from './file-rows.ts';
import { type FileError, failedResult, type RewindResult, resultOf } from './rewind-result.ts';

export interface FileCheckpointOptions {
  /** Larger files are skipped. 1 MiB by default. */
  readonly maxFileSize?: number;
  /** File rows kept for a session: whole messages go, oldest first; the newest always stays. */
  readonly maxCheckpointsPerSession?: number;
  /** Days after which an archived session goes. */
  readonly retentionDays?: number;
  /** What to do with files that somebody else edited too. Left alone by default. */
  readonly onConflict?: OnConflict;
  readonly agent?: string;
}

export interface CaptureOptions {
  /** What the user said, should this be the first sign of the message. */
  readonly description?: string | undefined;
  /** Names the tool call; a session with a running one is not rewound. */
  readonly toolCallId?: string | undefined;
}

const DEFAULTS = { maxFileSize: 1024 * 1024, maxCheckpointsPerSession: 50, retentionDays: 7 };

/** Checkpoints of single files by session and message, for programs that run an agent's tools. */
export class FileCheckpointService {
  /** The clean-up at start; resolves to what `cleanup` would. Other methods wait for it. */
  readonly started: Promise<number>;
  readonly #savepoint: Savepoint;
  readonly #options: FileCheckpointOptions & typeof DEFAULTS;
  /** Rows of each session as far as known, so that the limit costs no query on each capture. */
  readonly #rows = new Map<string, number>();
  readonly #failures = new Map<string, FileError[]>();

  constructor(savepoint: Savepoint, options: FileCheckpointOptions = {}) {
    this.#savepoint = savepoint;
    this.#options = withDefaults(options);
    this.started = this.#cleanup();
    // Whoever wants to know awaits `started`; a failed clean-up must not end the process.
    this.started.catch(() => undefined);
  }

  /**
   * Records a file as it is, before a tool of this message changes it. Returns the row's id, or null
   * when the file cannot be kept (too large, unreadable, not a file): that is on record too, and every
   * later `rewindFiles` names it.
   */
  async createCheckpoint(
    sessionId: string,
    messageId: string,
    filePath: string,
    { description }: Pick<CaptureOptions, 'description'> = {},
  ): Promise<string | null> {
    const capture = await this.captureBefore(sessionId, messageId, filePath, { description });
    const named = fileRows(capture.changes).find((row) => row === capture.changes[0]);
    return capture.skipped.length > 0 || named === undefined ? null : rowId(named);
  }

  /** As `createCheckpoint`, for callers that say when the tool is done. */
  async captureBefore(
    sessionId: string,
    messageId: string,
    filePath: string,
    options: CaptureOptions = {},
  ): Promise<Capture> {
    await this.#ready();
    const { maxFileSize, agent } = this.#options;
    const { toolCallId, description } = options;
    const message = { sessionId, messageId, description, agent };
    const request = { ...message, paths: [filePath], maxFileSize, toolCallId };
    const capture = await this.#savepoint.captureBefore(request);
    await this.#limitRows(sessionId, fileRows(capture.changes).length);
    return capture;
  }

  captureAfter(capture: Capture): Promise<void> {
    return this.#savepoint.captureAfter(capture);
  }

  /** Notes that a file could not be recorded at all, so that rewinds of the session say so. */
  noteFailure(sessionId: string, failure: FileError): void {
    this.#failures.set(sessionId, [...(this.#failures.get(sessionId) ?? []), failure]);
  }

  /**
   * Takes back what the session did in this message and all later ones. Files that the agent created
   * are deleted. Nothing is thrown for files: what could not be done is in the result.
   */
  async rewindFiles(sessionId: string, messageId: string): Promise<RewindResult> {
    checkId('sessionId', sessionId);
    checkId('messageId', messageId);
    await this.#ready();
    try {
      const to = await this.#checkpointOf(sessionId, messageId);
      const { onConflict } = this.#options;
      let lines: readonly PlanLine[] = [];
      const receipt = await this.#savepoint.rewind({ to: to.id, onConflict }, (plan) => {
        lines = plan.lines;
        return true;
      });
      return resultOf(this.#savepoint.root, lines, receipt, this.#failures.get(sessionId) ?? []);
    } catch (error) {
      if (isSavepointError(error, 'argument-invalid')) throw error;
      return failedResult(this.#savepoint.root, error);
    }
  }

  /** The session's rows, oldest first. */
  async getCheckpoints(sessionId: string): Promise<FileCheckpoint[]> {
    await this.#ready();
    const { rows, messages } = await this.#liveRows(checkId('sessionId', sessionId));
    const found: FileCheckpoint[] = [];
    for (const change of rows) {
      const messageId = messages.get(change.checkpointId as CheckpointId)?.messageId;
      if (messageId) found.push(await toFileCheckpoint(this.#savepoint, change, messageId));
    }
    return found;
  }

  /** Applies the limits to all sessions. Returns how many rows went. */
  async cleanup(): Promise<number> {
    await this.#ready();
    return this.#cleanup();
  }

  #ready(): Promise<unknown> {
    return this.started.catch(() => undefined);
  }

  async #checkpointOf(sessionId: string, messageId: string): Promise<Checkpoint> {
    const [found] = await this.#savepoint.list({ sessionIds: [sessionId], messageId, limit: 1 });
    if (found !== undefined) return found;
    throw new SavepointError('checkpoint-not-found', 'nothing was recorded for this message', {
      hint: 'it may have been cleaned up; getCheckpoints lists what is there',
    });
  }

  /** Rows whose message is still there to return to. */
  async #liveRows(sessionId: string): Promise<LiveRows> {
    const checkpoints = await this.#savepoint.list({ sessionIds: [sessionId] });
    const messages = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
    const ids = [...messages.keys()];
    const changes = ids.length === 0 ? [] : await this.#savepoint.changes({ checkpointIds: ids });
    return { messages, rows: fileRows(changes) };
  }

  async #limitRows(sessionId: string, added: number): Promise<void> {
    const known = this.#rows.get(sessionId);
    const rows =
      known === undefined ? (await this.#liveRows(sessionId)).rows.length : known + added;
    const removed =
      rows > this.#options.maxCheckpointsPerSession ? await this.#dropOldest(sessionId) : 0;
    this.#rows.set(sessionId, rows - removed);
  }

  /** Whole messages go, oldest first, until the limit holds; the newest message always stays. */
  async #dropOldest(sessionId: string): Promise<number> {
    const { messages, rows } = await this.#liveRows(sessionId);
    const oldestFirst = [...messages.keys()].reverse();
    const perMessage = Map.groupBy(rows, (change) => change.checkpointId);
    const dropped: CheckpointId[] = [];
    let left = rows.length;
    for (const id of oldestFirst.slice(0, -1)) {
      if (left <= this.#options.maxCheckpointsPerSession) break;
      left -= perMessage.get(id)?.length ?? 0;
      dropped.push(id);
    }
    await this.#savepoint.evict(dropped);
    return rows.length - left;
  }

  async #cleanup(): Promise<number> {
    const before = await this.#countRows();
    for (const { id } of await this.#savepoint.sessions()) await this.#dropOldest(id);
    const { retentionDays } = this.#options;
    await this.#savepoint.cleanup({
      retentionDays,
      maxCheckpointsPerSession: Number.MAX_SAFE_INTEGER,
    });
    this.#rows.clear();
    return before - (await this.#countRows());
  }

  async #countRows(): Promise<number> {
    let rows = 0;
    for (const { id } of await this.#savepoint.sessions()) {
      rows += (await this.#liveRows(id)).rows.length;
    }
    return rows;
  }
}

interface LiveRows {
  readonly messages: ReadonlyMap<CheckpointId, Checkpoint>;
  readonly rows: readonly Change[];
}

/** A limit that is set to undefined is one that was left out, not one that is off. */
function withDefaults(options: FileCheckpointOptions): FileCheckpointOptions & typeof DEFAULTS {
  const limit = (name: keyof typeof DEFAULTS): number => {
    const value = options[name] ?? DEFAULTS[name];
    check(AMOUNT, name, value);
    return value;
  };
  return {
    ...options,
    maxFileSize: limit('maxFileSize'),
    maxCheckpointsPerSession: limit('maxCheckpointsPerSession'),
    retentionDays: limit('retentionDays'),
  };
}
