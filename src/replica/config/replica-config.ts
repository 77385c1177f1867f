import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import type { Effective } from '../../config/index.ts';

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

/** From the strictest to the loosest. */
export const PERMISSION_MODES = ['plan', 'default', 'acceptEdits', 'bypassPermissions'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What a file may hold. */
export type ProjectConfig = { readonly [Key in keyof ReplicaConfig]?: ReplicaConfig[Key] };

/** One value and where it comes from, as it may be shown. */
export interface EffectiveValue extends Omit<Effective<ReplicaConfig>, 'value' | 'parts'> {
  readonly value: unknown;
}
