import { randomUUID } from 'node:crypto';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import type {
  ConversationEvents,
  ConversationStart,
  RewindableQuery,
} from '../sdk/conversation.ts';
import type { StreamingQueryManager } from '../sdk/streaming-query-manager.ts';
import type { Session, SessionManager } from '../sessions/session-manager.ts';

/** The part of `StreamingQueryManager` that a runner needs. */
export interface LiveConversation
  extends Pick<
    StreamingQueryManager,
    'start' | 'sendPrompt' | 'interrupt' | 'setPermissionMode' | 'close'
  > {
  getQueryInstance(): RewindableQuery | null;
}

export interface DeskParts {
  readonly sessions: SessionManager;
  /** Null where checkpoints are turned off. */
  readonly checkpointsFor: (session: Session) => Promise<CheckpointManager | null>;
  readonly converse: (
    checkpoints: CheckpointManager | null,
    events: ConversationEvents,
  ) => LiveConversation;
  readonly events: ConversationEvents;
}

/** The open conversation: a session with its own checkpoints and its own query. */
export class ConversationDesk {
  readonly #parts: DeskParts;
  #session: Session;
  #checkpoints: CheckpointManager | null;
  #live: LiveConversation;
  #start: ConversationStart;

  constructor(parts: DeskParts, session: Session, checkpoints: CheckpointManager | null) {
    this.#parts = parts;
    this.#session = session;
    this.#checkpoints = checkpoints;
    this.#start = startOf(session);
    this.#live = this.#begin(this.#start);
  }

  get session(): Session {
    return this.#session;
  }

  get checkpoints(): CheckpointManager | null {
    return this.#checkpoints;
  }

  get live(): LiveConversation {
    return this.#live;
  }

  /** How it began when it was put here: what was said before that. */
  get start(): ConversationStart {
    return this.#start;
  }

  /** Changes the session on disk, and keeps the changed one. */
  async update(work: (session: Session) => Promise<Session>): Promise<void> {
    this.#session = await work(this.#session);
  }

  /** Puts another conversation on the desk; the one before stays listed. */
  async open(session: Session, start: ConversationStart = startOf(session)): Promise<void> {
    const checkpoints = await this.#parts.checkpointsFor(session);
    await this.close();
    this.#session = session;
    this.#checkpoints = checkpoints;
    this.#start = start;
    this.#live = this.#begin(start);
  }

  /** The conversation as it was before a prompt, as one of its own. Returns the prompt's text. */
  async goBackBefore(promptId: string): Promise<string> {
    const old = this.#session;
    const at = old.turns.findIndex((turn) => turn.promptId === promptId);
    const session = await this.#parts.sessions.fork(old, promptId, randomUUID());
    await this.#checkpoints?.copyBefore(promptId, this.#parts.sessions.directoryOf(session.id));
    const last = old.turns.slice(0, at).findLast((turn) => turn.lastMessageId !== null);
    const from =
      last === undefined
        ? null
        : { sessionId: old.id, lastMessageId: last.lastMessageId, fork: true };
    await this.open(session, { sessionId: session.id, from });
    return old.turns[at]?.prompt ?? '';
  }

  /** A conversation in which nothing was said is removed from the disk. */
  async close(): Promise<void> {
    await this.#live.close();
    await this.#checkpoints?.flush();
    await this.#parts.sessions.deleteIfEmpty(this.#session);
  }

  #begin(start: ConversationStart): LiveConversation {
    const live = this.#parts.converse(this.#checkpoints, this.#parts.events);
    live.start(start);
    return live;
  }
}

/** A session that has turns goes on; one that has none begins. */
export function startOf({ id, turns }: Session): ConversationStart {
  const hasTalked = turns.some((turn) => turn.lastMessageId !== null);
  const from = hasTalked ? { sessionId: id, lastMessageId: null, fork: false } : null;
  return { sessionId: id, from };
}

/** Which files were rewound behind the agent's back, and with which prompt it heard of them. */
export class RewoundNotice {
  readonly #told = new Map<string, readonly string[]>();
  readonly #due: string[] = [];

  /** What the agent is to hear with this prompt; `rewound` are those of which it has not heard yet. */
  tellWith(promptId: string, rewound: readonly string[]): string[] {
    const paths = [...new Set([...this.#due.splice(0), ...rewound])];
    if (paths.length === 0) return [];
    this.#told.set(promptId, paths);
    return [`${NOTICE}:\n${paths.join('\n')}`];
  }

  /** The conversation went back before these prompts: what was said with them is to be said again. */
  takenBack(promptIds: readonly string[]): void {
    for (const id of promptIds) {
      this.#due.push(...(this.#told.get(id) ?? []));
      this.#told.delete(id);
    }
  }
}

const NOTICE =
  'The user has rewound these files since your last turn; what you know of their contents is out of date, so read them again before you edit them';
