import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';

/** All that can be set, with every value in place (`ProjectConfig` of the seeds, loaded). */
export interface ReplicaConfig {
  readonly enableFileCheckpointing: boolean;
  readonly checkpointKeepCount: number;
  readonly model: string | null;
  readonly permissionMode: PermissionMode;
  /** Names of servers and how they are reached, as the SDK takes them. User file only: it names programs. */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Tools that need no question, as the SDK names them. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly extraArgs: Readonly<Record<string, string | null>>;
  readonly verbose: boolean;
}

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions';

/** What a file may hold. */
export type ProjectConfig = { readonly [Key in keyof ReplicaConfig]?: ReplicaConfig[Key] };

export type ConfigOrigin = 'default' | 'user' | 'project' | 'environment';

/** One value and where it comes from. */
export interface EffectiveValue {
  readonly key: keyof ReplicaConfig;
  readonly value: unknown;
  readonly origin: ConfigOrigin;
  /** The file or the variable; null for a default. */
  readonly source: string | null;
}
