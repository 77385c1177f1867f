import type { EffectiveValue, ReplicaConfig } from './replica-config.ts';
import { REPLICA_KEYS } from './replica-settings.ts';
import type { LoadedConfig, SDKConfigLoader } from './sdk-config-loader.ts';
import { shownValue } from './shown-value.ts';

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
    const { values, origins } = this.#load();
    return REPLICA_KEYS.map((key) => ({
      key,
      value: shownValue(key, values),
      origin: origins.get(key)?.origin ?? 'default',
      source: origins.get(key)?.source ?? null,
    }));
  }

  get warnings(): readonly string[] {
    return this.#load().warnings;
  }

  #load(): LoadedConfig {
    this.#loaded ??= this.#loader.load();
    return this.#loaded;
  }
}
