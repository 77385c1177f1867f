/** One conversation of the interactive agent, kept under `~/.claude-replica/sessions/{id}/`. */
export interface Session {
  /** The folder's name. The SDK's session has the same id: whoever starts it chooses it. */
  readonly id: string;
  readonly name: string | null;
  /** The project's real path. */
  readonly project: string;
  /** The conversation that this one was forked from by a rewind. */
  readonly parentId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** In the order of the conversation. */
  readonly turns: readonly Turn[];
}

/** A prompt and where its turn ended: what a conversation is cut at when it goes back. */
export interface Turn {
  /** The uuid of the prompt. */
  readonly promptId: string;
  readonly prompt: string;
  /** The uuid of the last message of the turn; null while it runs and where it never ended. */
  readonly lastMessageId: string | null;
}
