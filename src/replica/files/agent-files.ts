import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { ListedCheckpoint, PathDiff, PlanLine, Receipt, RewindPlan } from '../../index.ts';
import type { RewindableQuery } from '../sdk/query-port.ts';
import type { AgentExecutions } from './agent-executions.ts';

/** The engine as the interactive agent uses it: what the agent does to files, and the way back. */
export interface AgentFiles {
  /** What tells the engine of the agent's tool calls. */
  readonly hooks: NonNullable<Options['hooks']>;
  /** A tool call is over, however it ended. Idempotent. */
  toolEnds(toolUseId: string): Promise<void>;
  /** Before a prompt is sent: what is there goes on record, and a checkpoint stands over it. */
  promptBegins(prompt: PromptBegun): Promise<void>;
  /** The agent is done with its turn. */
  turnEnds(sessionId: string): Promise<void>;
  /** Whether the engine can go back to the prompt with this uuid, whichever session's it is. */
  holds(promptId: string): Promise<boolean>;
  /** Newest first, of every session; what `savepoint list` shows. */
  checkpoints(): Promise<readonly ListedCheckpoint[]>;
  /** Puts on record what changed in the worktree since anybody looked. Before a plan is made. */
  look(): Promise<void>;
  plan(ref: string): Promise<RewindPlan>;
  /** What a line of a plan takes back: from how the file will be to how it is. */
  planDiff(line: PlanLine): Promise<PathDiff>;
  /** Scan, safety checkpoint, intent, the SDK's own rewind where there is one, then the plan's states. */
  restore(plan: RewindPlan, sdk: SdkRewind | null): Promise<Receipt>;
  /** Of this conversation's rewinds the newest; what other agents rewound in the project stays. */
  undo(sessionId: string): Promise<Receipt>;
  redo(sessionId: string): Promise<Receipt>;
  diff(from: string, to?: string): Promise<readonly PathDiff[]>;
  save(description: string, sessionId: string): Promise<string>;
  /** As `save`, for who is about to overwrite files: throws where the worktree was not seen whole. */
  keepAll(description: string, sessionId: string): Promise<string>;
  label(ref: string, label: string | null): Promise<string>;
  exportTo(file: string, sessionId?: string): Promise<string>;
  importFrom(file: string): Promise<string>;
  /** Executions on record in the same project. */
  readonly executions: AgentExecutions;
  /** Paths that were rewound since the agent last heard of it; reading takes them away. */
  takeRewound(): readonly string[];
  /** As `takeRewound`, and they stay. */
  rewound(): readonly string[];
  /** What could not be recorded since anybody asked, in a sentence each; reading takes them away. */
  takeGaps(): readonly string[];
  /** What happened at a start that nobody asked for: a restore that was finished or taken back. */
  notices(): readonly string[];
  close(): Promise<void>;
}

export interface PromptBegun {
  readonly sessionId: string;
  readonly parentSessionId: string | null;
  readonly promptId: string;
  readonly description: string;
}

/** The SDK's part in a restore. */
export interface SdkRewind {
  readonly promptId: string;
  readonly query: RewindableQuery;
  /** `CheckpointManager.restoreCheckpoint`: it knows what the SDK's failures mean. */
  run(): Promise<void>;
}
