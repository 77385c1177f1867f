import { AT_LEAST_ONE, type Kind, SWITCH } from '../../config/index.ts';
import type { ReplicaConfig } from './replica-config.ts';
import { ARGUMENTS, MODE, MODEL, SERVERS, TOOLS } from './replica-kinds.ts';

export type ReplicaKey = keyof ReplicaConfig;

/**
 * What a file inside the project may do to a value. An agent can write there, and so can whoever the
 * project was cloned from: such a file names no program and loosens no permission. `tightens`: where it is
 * stricter than what the user has. `adds`: to the user's own list.
 */
export type ProjectMay = 'sets' | 'tightens' | 'adds' | 'never';

export interface ReplicaSetting<Value> {
  readonly kind: Kind<Value>;
  readonly fallback: Value;
  readonly projectMay: ProjectMay;
  /** Null where a variable cannot hold it. */
  readonly variable: string | null;
  readonly summary: string;
}

/** In the order in which they are shown. */
export const REPLICA_SETTINGS: {
  readonly [Key in ReplicaKey]: ReplicaSetting<ReplicaConfig[Key]>;
} = {
  enableFileCheckpointing: {
    kind: SWITCH,
    fallback: true,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_ENABLE_FILE_CHECKPOINTING',
    summary: 'whether each prompt is a checkpoint of the files',
  },
  checkpointKeepCount: {
    kind: AT_LEAST_ONE,
    fallback: 10,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_CHECKPOINT_KEEP_COUNT',
    summary: 'how many checkpoints of a session the menu keeps',
  },
  model: {
    kind: MODEL,
    fallback: null,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_MODEL',
    summary: 'the model that answers',
  },
  permissionMode: {
    kind: MODE,
    fallback: 'default',
    projectMay: 'tightens',
    variable: 'CLAUDE_REPLICA_PERMISSION_MODE',
    summary: 'what the agent may do without a question',
  },
  mcpServers: {
    kind: SERVERS,
    fallback: {},
    projectMay: 'never',
    variable: null,
    summary: 'MCP servers that the agent may use',
  },
  allowedTools: {
    kind: TOOLS,
    fallback: [],
    projectMay: 'never',
    variable: 'CLAUDE_REPLICA_ALLOWED_TOOLS',
    summary: 'tools that need no question',
  },
  disallowedTools: {
    kind: TOOLS,
    fallback: [],
    projectMay: 'adds',
    variable: 'CLAUDE_REPLICA_DISALLOWED_TOOLS',
    summary: 'tools that the agent may not use',
  },
  extraArgs: {
    kind: ARGUMENTS,
    fallback: {},
    projectMay: 'never',
    variable: null,
    summary: 'further arguments for the program behind the SDK',
  },
  verbose: {
    kind: SWITCH,
    fallback: false,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_VERBOSE',
    summary: 'whether thinking and tool results are shown whole',
  },
};

export const REPLICA_KEYS: readonly ReplicaKey[] = Object.keys(REPLICA_SETTINGS) as ReplicaKey[];

export function isReplicaKey(text: string): text is ReplicaKey {
  return Object.hasOwn(REPLICA_SETTINGS, text);
}
