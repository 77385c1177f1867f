import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import type { EffectiveValue, ReplicaConfig } from './replica-settings.ts';
import type { LoadedConfig, SDKConfigLoader } from './sdk-config-loader.ts';

/** What is configured for this project. It is read once: a file that changes counts from the next start. */
export class ConfigManager {
  readonly #loader: SDKConfigLoader;
  #loaded: LoadedConfig | null = null;

  constructor(loader: SDKConfigLoader) {
    this.#loader = loader;
  }

  /** Rejects with `config-invalid` where the user's own file or a variable is wrong. */
  async getProjectConfig(): Promise<ReplicaConfig> {
    return this.#load().values;
  }

  /** To be shown: of servers only how they are reached, since the rest may hold keys. */
  effective(): readonly EffectiveValue[] {
    const { values, effective } = this.#load();
    const servers = Object.entries(values.mcpServers);
    const reached = Object.fromEntries(servers.map(([name, one]) => [name, reachedBy(one)]));
    return effective.map(({ key, value, origin, source, variable, summary }) => {
      const shown = key === 'mcpServers' ? reached : value;
      return { key, value: shown, origin, source, variable, summary };
    });
  }

  get warnings(): readonly string[] {
    return this.#load().warnings;
  }

  #load(): LoadedConfig {
    this.#loaded ??= this.#loader.load();
    return this.#loaded;
  }
}

/** Arguments, environment and addresses of servers may hold keys, and stay unsaid. */
function reachedBy(server: McpServerConfig): string {
  if ('command' in server) return server.command;
  if (!('url' in server)) return server.type;
  return URL.canParse(server.url) ? new URL(server.url).origin : server.type;
}
