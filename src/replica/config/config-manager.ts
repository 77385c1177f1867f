import { join, resolve } from 'node:path';
import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import { type Effective, loadSettings } from '../../config/load-settings.ts';
import { realPathOrNull } from '../../fs/entries.ts';
import { displayText } from '../../index.ts';
import { type EffectiveValue, REPLICA_SETTINGS, type ReplicaConfig } from './replica-settings.ts';

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

export interface ConfigPlaces {
  readonly home: string;
  /** The project's folder. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly values: ReplicaConfig;
  readonly effective: readonly Effective<ReplicaConfig>[];
  /** Names of settings that do not exist, what a project may not set, and what is wrong in its file. */
  readonly warnings: readonly string[];
}

/**
 * Reads what is set: the environment before the project's `.claude-replica/settings.json` before the one
 * in the user's home before the defaults. Throws `config-invalid` for what the user wrote.
 */
export class SDKConfigLoader {
  readonly #places: ConfigPlaces;

  constructor(places: ConfigPlaces) {
    this.#places = places;
  }

  load(): LoadedConfig {
    const { home, project, environment } = this.#places;
    const projectFile = settingsIn(project);
    // A person who works in the home folder has one file, and it is their own.
    const isHome = realPath(home) === realPath(project);
    const { values, effective, problems, warnings } = loadSettings(REPLICA_SETTINGS, {
      userFile: settingsIn(home),
      projectFiles: isHome ? [] : [{ file: projectFile }],
      environment,
    });
    const checkpointing = effective.find(({ key }) => key === 'enableFileCheckpointing');
    const isOff = checkpointing?.origin === 'project' && checkpointing.value === false;
    const all = [
      ...problems.map(({ message }) => `${message}; it does not count`),
      ...warnings,
      ...(isOff ? [`${projectFile} turns checkpoints off in this project`] : []),
    ];
    return { values, effective, warnings: all.map(displayText) };
  }
}

function settingsIn(folder: string): string {
  return join(resolve(folder), '.claude-replica', 'settings.json');
}

function realPath(folder: string): string {
  return realPathOrNull(folder) ?? resolve(folder);
}
