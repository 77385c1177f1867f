import { randomUUID } from 'node:crypto';
import { displayLines, displayText } from '../../index.ts';
import { messageAndHint } from '../../terminal/phrases.ts';
import { describePrompt } from '../checkpoint/description.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import type { ConversationEvents, ConversationStart, TurnEnd } from '../sdk/conversation.ts';
import type { Session, SessionManager } from '../sessions/session-manager.ts';
import type { LiveConversation } from './conversation-desk.ts';

/** The part of the engine that a turn without a terminal needs. */
export type TurnFiles = Pick<
  EngineFiles,
  'notices' | 'takeGaps' | 'toolEnds' | 'promptBegins' | 'turnEnds' | 'holds' | 'diff'
>;

export interface PrintRunnerParts {
  readonly prompt: string;
  readonly format: 'text' | 'json';
  readonly session: Session;
  readonly start: ConversationStart;
  readonly sessionManager: Pick<SessionManager, 'addTurn' | 'endTurn'>;
  readonly converse: (events: ConversationEvents) => LiveConversation;
  /** Null where the engine is turned off or the project cannot be one. */
  readonly files: TurnFiles | null;
  /** Null where checkpoints are turned off. */
  readonly checkpointManager: { flush(): Promise<void> } | null;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now?: () => number;
}

/** What `--print --output json` prints. Fields are added, never changed. */
export interface PrintedTurn {
  readonly version: 1;
  readonly sessionId: string;
  /** The answer, or in one line why there is none. */
  readonly result: string;
  readonly isError: boolean;
  readonly durationMs: number;
  /** The prompt's uuid, which a rewind to before it takes; null where checkpoints are turned off. */
  readonly checkpointId: string | null;
  /** Paths that are not as they were before the prompt; null where nobody keeps count. */
  readonly files: readonly string[] | null;
}

type Outcome = Pick<TurnEnd, 'outcome' | 'text'>;

/** How long a query may take to obey an interrupt before it is ended. */
const PATIENCE_MS = 3000;

/** One turn without a terminal. */
export class PrintRunner {
  readonly #parts: PrintRunnerParts;

  constructor(parts: PrintRunnerParts) {
    this.#parts = parts;
  }

  async run(): Promise<0 | 1 | 130> {
    const { format, now = Date.now, files, write, session, checkpointManager } = this.#parts;
    for (const notice of files?.notices() ?? []) this.#warn(notice);
    const began = now();
    const promptId = randomUUID();
    // An error anywhere in the turn makes it a failed turn.
    const { outcome, text } = await this.#converse(promptId).catch(
      (error: unknown): Outcome => ({ outcome: 'failed', text: messageAndHint(error) }),
    );
    for (const gap of files?.takeGaps() ?? []) this.#warn(gap);
    if (format === 'json') {
      const printed: PrintedTurn = {
        version: 1,
        sessionId: session.id,
        result: text,
        isError: outcome !== 'done',
        durationMs: Math.max(0, Math.round(now() - began)),
        checkpointId: checkpointManager === null ? null : promptId,
        files: await this.#changed(promptId),
      };
      write(`${JSON.stringify(printed)}\n`);
    } else if (outcome === 'done') write(`${displayLines(text)}\n`);
    else this.#warn(text);
    return EXIT_CODES[outcome];
  }

  async #converse(promptId: string): Promise<Outcome> {
    const { start, converse, checkpointManager, signal } = this.#parts;
    if (signal.aborted) return INTERRUPTED;
    const { promise: ended, resolve } = Promise.withResolvers<TurnEnd>();
    const live = converse(this.#events(resolve));
    live.start(start);
    const stop = interruptOn(signal, live);
    try {
      const end = await this.#send(live, promptId, ended);
      return end.outcome === 'interrupted' ? INTERRUPTED : end;
    } finally {
      stop();
      await live.close();
      await checkpointManager?.flush();
    }
  }

  async #send(live: LiveConversation, promptId: string, ended: Promise<TurnEnd>): Promise<TurnEnd> {
    const { prompt: text, start, session, sessionManager, files, signal } = this.#parts;
    const { id: sessionId, parentId: parentSessionId } = session;
    const description = describePrompt(text);
    const isRun = start.from === null;
    await files?.promptBegins({ sessionId, parentSessionId, promptId, description, isRun });
    const begun = await sessionManager.addTurn(session, promptId, text);
    try {
      // A large project takes a while to look at; a Ctrl-C in the meantime cancels the turn.
      if (signal.aborted) return { ...INTERRUPTED, promptId, lastMessageId: null };
      await live.sendPrompt({ uuid: promptId, text, context: [] });
      const end = await ended;
      await sessionManager.endTurn(begun, promptId, end.lastMessageId);
      return end;
    } finally {
      await files?.turnEnds(sessionId);
    }
  }

  #events(onTurnEnd: ConversationEvents['onTurnEnd']): ConversationEvents {
    const { files } = this.#parts;
    const nothing = (): void => undefined;
    return {
      onAnswerPiece: nothing,
      onThinkingPiece: nothing,
      onAnswerEnd: nothing,
      onToolUse: nothing,
      onToolResult: ({ id }) => void files?.toolEnds(id),
      onToolOutput: nothing,
      onTodos: nothing,
      onTurnEnd,
    };
  }

  /** Null where the changes cannot be told; the answer is printed in any case. */
  async #changed(promptId: string): Promise<string[] | null> {
    const { files } = this.#parts;
    try {
      if (files === null || !(await files.holds(promptId))) return null;
      return (await files.diff(promptId)).map(({ path }) => path);
    } catch (error) {
      this.#warn(`What changed cannot be told: ${messageAndHint(error)}`);
      return null;
    }
  }

  #warn(text: string): void {
    this.#parts.writeError(`${displayText(text)}\n`);
  }
}

const INTERRUPTED: Outcome = { outcome: 'interrupted', text: 'Interrupted.' };

const EXIT_CODES = { done: 0, failed: 1, interrupted: 130 } as const;

/** A query that does not obey is ended, which ends its turn as well. Returns what takes this back. */
function interruptOn(signal: AbortSignal, live: LiveConversation): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    timer = setTimeout(() => void live.close(), PATIENCE_MS);
    void live.interrupt();
  };
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  };
}
