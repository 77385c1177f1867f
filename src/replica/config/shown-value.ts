import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import type { ReplicaConfig } from './replica-config.ts';
import type { ReplicaKey } from './replica-settings.ts';

/** A value for people: arguments, environment and addresses of servers may hold keys, and stay unsaid. */
export function shownValue(key: ReplicaKey, values: ReplicaConfig): unknown {
  if (key !== 'mcpServers') return values[key];
  const servers = Object.entries(values.mcpServers);
  return Object.fromEntries(servers.map(([name, server]) => [name, reachedBy(server)]));
}

function reachedBy(server: McpServerConfig): string {
  if ('command' in server) return server.command;
  if (!('url' in server)) return server.type;
  return URL.canParse(server.url) ? new URL(server.url).origin : server.type;
}
