import type { Seq } from './ids.ts';
import type { LivingOwner, ProcessOwner } from './owner.ts';

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
  /** Set for a single run: one command, or one prompt that nobody goes on from. Null for a conversation. */
  readonly run: RunTime | null;
  /** Tells whether its agent still runs; null when not known, and once the session has ended. */
  readonly owner: LivingOwner | null;
  /** Up to where in the timeline its agent was told of files that operations changed; null for never. */
  readonly told: Seq | null;
}

/** From where to where in the timeline a run went on. Runs that follow each other are one line of time. */
export interface RunTime {
  readonly began: Seq;
  /** Null while it runs, and where nobody has seen its end. */
  readonly ended: Seq | null;
  /** The process in which it runs: if that is gone, so is the run. */
  readonly owner: ProcessOwner;
}

/** The agent of sessions that `savepoint run` makes: one for each command. */
export const RUN_AGENT = 'run';
