import { join, resolve } from 'node:path';
import { invalid, readJsonFile } from '../../config/index.ts';
import { realPathOrNull } from '../../fs/entries.ts';
import { displayText, isSavepointError } from '../../index.ts';
import type { ConfigOrigin, PermissionMode, ReplicaConfig } from './replica-config.ts';
import { MODES } from './replica-kinds.ts';
import {
  isReplicaKey,
  REPLICA_KEYS,
  REPLICA_SETTINGS,
  type ReplicaKey,
} from './replica-settings.ts';

export interface ConfigPlaces {
  readonly home: string;
  /** The project's folder. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly values: ReplicaConfig;
  readonly origins: ReadonlyMap<ReplicaKey, LoadedOrigin>;
  /** Names that nothing is called by, what a project may not set, and what is wrong in its file. */
  readonly warnings: readonly string[];
}

export interface LoadedOrigin {
  readonly origin: ConfigOrigin;
  /** The file or the variable; null for a default. */
  readonly source: string | null;
}

type Value = ReplicaConfig[ReplicaKey];

/**
 * Reads what is set: the environment before the project's `.claude-replica/settings.json` before the one
 * in the user's home before the defaults. Throws `config-invalid`, which names file or variable and key, for
 * what the user wrote. What is wrong in the project is a warning and does not count: an agent may have
 * written it, and the way back has to work all the same.
 */
export class SDKConfigLoader {
  readonly #places: ConfigPlaces;
  readonly #warnings: string[] = [];
  readonly #values = new Map<ReplicaKey, Value>();
  readonly #origins = new Map<ReplicaKey, LoadedOrigin>();

  constructor(places: ConfigPlaces) {
    this.#places = places;
  }

  load(): LoadedConfig {
    this.#begin();
    this.#takeFile('user', userSettings(this.#places));
    this.#takeProject();
    this.#takeEnvironment();
    return {
      // The table has every key, with a value of its kind.
      values: Object.fromEntries(this.#values) as unknown as ReplicaConfig,
      origins: new Map(this.#origins),
      warnings: [...this.#warnings],
    };
  }

  #begin(): void {
    this.#warnings.length = 0;
    for (const key of REPLICA_KEYS) {
      this.#values.set(key, REPLICA_SETTINGS[key].fallback);
      this.#origins.set(key, { origin: 'default', source: null });
    }
  }

  #takeProject(): void {
    const { home, project } = this.#places;
    // Who works in the home folder has one file, and it is the user's own.
    if (realPath(home) === realPath(project)) return;
    try {
      this.#takeFile('project', projectSettings(this.#places));
    } catch (error) {
      if (!isSavepointError(error, 'config-invalid')) throw error;
      this.#warnings.push(`${error.message}; it does not count`);
    }
  }

  #takeFile(origin: 'user' | 'project', file: string): void {
    for (const [key, given] of readJsonFile(file) ?? []) {
      if (!isReplicaKey(key)) {
        this.#warnings.push(displayText(`${file}: nothing is called "${key}"`));
        continue;
      }
      const { kind } = REPLICA_SETTINGS[key];
      const value = kind.fromJson(given);
      const wrong = invalid(file, `"${key}" must be ${kind.expected}`, { key });
      if (value !== undefined) this.#take(key, value, { origin, source: file });
      else if (origin === 'user') throw wrong;
      else this.#warnings.push(`${wrong.message}; it does not count`);
    }
  }

  #takeEnvironment(): void {
    for (const key of REPLICA_KEYS) {
      const { variable, kind } = REPLICA_SETTINGS[key];
      const text = variable === null ? undefined : this.#places.environment[variable];
      // An empty variable is how one is taken away for one command.
      if (variable === null || text === undefined || text === '') continue;
      const value = kind.fromText(text);
      if (value === undefined) throw invalid(variable, `must be ${kind.expected}`, { key });
      this.#take(key, value, { origin: 'environment', source: variable });
    }
  }

  #take(key: ReplicaKey, value: Value, from: LoadedOrigin): void {
    const before = this.#values.get(key);
    const refusal = from.origin === 'project' ? refusalOf(key, value, before) : null;
    if (refusal !== null) {
      this.#warnings.push(displayText(`${from.source}: "${key}" ${refusal}`));
      return;
    }
    if (from.origin === 'project' && key === 'enableFileCheckpointing' && value === false) {
      this.#warnings.push(displayText(`${from.source} turns checkpoints off in this project`));
    }
    this.#values.set(
      key,
      REPLICA_SETTINGS[key].projectMay === 'adds' ? union(before, value) : value,
    );
    this.#origins.set(key, from);
  }
}

export function userSettings({ home }: Pick<ConfigPlaces, 'home'>): string {
  return join(resolve(home), '.claude-replica', 'settings.json');
}

export function projectSettings({ project }: Pick<ConfigPlaces, 'project'>): string {
  return join(resolve(project), '.claude-replica', 'settings.json');
}

function realPath(folder: string): string {
  return realPathOrNull(folder) ?? resolve(folder);
}

/** Why a project may not set a value; null where it may. */
function refusalOf(key: ReplicaKey, value: Value, before: Value | undefined): string | null {
  const { projectMay } = REPLICA_SETTINGS[key];
  if (projectMay === 'never') return 'is for your own file, not for that of a project';
  if (projectMay !== 'tightens' || looseness(value) <= looseness(before)) return null;
  return `may be made stricter by a project, not "${value}"`;
}

function looseness(mode: unknown): number {
  return MODES.indexOf(mode as PermissionMode);
}

function union(before: unknown, value: unknown): readonly string[] {
  return [...new Set([...(before as readonly string[]), ...(value as readonly string[])])];
}
