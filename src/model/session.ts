/** One conversation of one agent in a project, with its sub-agents and continuations. */
export interface Session {
  readonly id: string;
  /** The first session of the family; sub-agents, resumed and forked sessions share it. */
  readonly rootId: string;
  /** Which agent: "claude-code", "codex", or what the embedding program calls itself. */
  readonly agent: string;
  readonly createdAt: number;
  readonly lastActiveAt: number;
  readonly archivedAt: number | null;
}

/** The agent of sessions that `savepoint run` makes: one for each command. */
export const RUN_AGENT = 'run';
