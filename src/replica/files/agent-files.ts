import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { ExecutionKind } from '../../execution/index.ts';
import type {
  ExecutionState,
  ListedCheckpoint,
  PathDiff,
  PlanLine,
  Receipt,
  RewindPlan,
} from '../../index.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';

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

/** Executions on record in the project, and the way back into one. */
export interface AgentExecutions {
  /** Most recently updated first; the newest of them. */
  list(): Promise<readonly AgentExecution[]>;
  /** Where it can go on from, the last step that succeeded first; empty where none did. */
  places(execution: AgentExecution): Promise<readonly ExecutionPlace[]>;
  /** What going there would do. Writes nothing but what a scan finds. */
  plan(place: ExecutionPlace): Promise<PlacePlan>;
  /** Takes files and steps back as planned, or throws and does nothing. */
  goBack(plan: PlacePlan): Promise<WentBack>;
}

export interface AgentExecution {
  /** Unlike the key of any other entry of a list. */
  readonly key: string;
  readonly id: string;
  readonly kind: ExecutionKind;
  /** For a list: which, and below it the last step that was begun. */
  readonly text: string;
}

/** After a step; index -1 is before the first. */
export interface ExecutionPlace {
  readonly execution: AgentExecution;
  readonly index: number;
  readonly name: string | null;
  /** Whether every step that succeeded is kept there: then only what was left half done goes. */
  readonly isLast: boolean;
}

export interface PlacePlan {
  readonly place: ExecutionPlace;
  /** Null where nothing is known beforehand, or no files go with it. */
  readonly files: RewindPlan | null;
  /** What cannot be undone, as it was declared. */
  readonly effects: readonly string[];
  /** Carries it out. */
  readonly run: () => Promise<readonly string[]>;
}

export interface WentBack {
  /** Paths that were restored, merged or deleted. */
  readonly files: readonly string[];
  /** Where the execution stands now; null before its first step. */
  readonly state: ExecutionState | null;
}
