import type { ExecutionKind } from '../../execution/index.ts';
import type { ExecutionState, RewindPlan } from '../../index.ts';

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
