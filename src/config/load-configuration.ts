import { isSavepointError, SavepointError } from '../index.ts';
import { invalid } from './read-file.ts';
import {
  isSettingKey,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Values,
  variableOf,
} from './settings.ts';
import {
  environmentSource,
  type Origin,
  type Places,
  projectSource,
  type Source,
  userSource,
} from './sources.ts';

/** A value, and where it comes from. */
export interface Part {
  readonly value: Values[SettingKey];
  readonly origin: Origin;
  /** The file or the variable; null for a default. */
  readonly source: string | null;
}

export interface Effective extends Part {
  readonly key: SettingKey;
  readonly summary: string;
  /** Of a list: what each place added. Of everything else the one value. */
  readonly parts: readonly Part[];
}

export interface Configuration {
  readonly values: Values;
  readonly effective: readonly Effective[];
  /** What is wrong in the project's own files. That of others is thrown. */
  readonly problems: readonly SavepointError[];
  /** Names that nothing is called by, and values that the project may not set. */
  readonly warnings: readonly string[];
}

/**
 * What is configured for a project: the environment before the project's files before the user's file
 * before the defaults. Throws `config-invalid`, which names the file or variable and the key, for what the
 * user wrote; what is wrong in the project is among the problems, and does not count.
 */
export function loadConfiguration(places: Places): Configuration {
  const loader = new Loader();
  const user = userSource(places);
  if (user !== null) loader.take(user);
  const project = projectSource(places);
  if (isSavepointError(project)) loader.problems.push(project);
  else if (project !== null) loader.take(project);
  loader.take(environmentSource(places));
  return loader.finish();
}

class Loader {
  readonly problems: SavepointError[] = [];
  readonly #warnings: string[] = [];
  readonly #parts = new Map<SettingKey, Part[]>();

  constructor() {
    for (const key of SETTING_KEYS) {
      this.#parts.set(key, [{ value: SETTINGS[key].fallback, origin: 'default', source: null }]);
    }
  }

  take(source: Source): void {
    for (const [key, given] of source.values) {
      const name = source.file ?? '';
      if (!isSettingKey(key)) this.#warnings.push(`${name}: nothing is called "${key}"`);
      else this.#takeValue(source, key, given);
    }
  }

  finish(): Configuration {
    const effective = SETTING_KEYS.map((key) => effectiveOf(key, this.#parts.get(key) ?? []));
    const values = Object.fromEntries(effective.map(({ key, value }) => [key, value]));
    return {
      // The table has every key, with a value of its kind.
      values: values as unknown as Values,
      effective,
      problems: this.problems,
      warnings: this.#warnings,
    };
  }

  #takeValue(source: Source, key: SettingKey, given: unknown): void {
    const name = source.file ?? variableOf(key);
    const value = readValue(source, key, given);
    if (value instanceof SavepointError) {
      if (source.origin !== 'project') throw value;
      this.problems.push(value);
      return;
    }
    const parts = this.#parts.get(key) ?? [];
    const before = parts.at(-1)?.value;
    const refusal = source.origin === 'project' ? refusalOf(key, value, before) : null;
    if (refusal === null) parts.push({ value, origin: source.origin, source: name });
    else this.#warnings.push(`${name}: "${key}" ${refusal}`);
  }
}

function readValue(
  { origin, file }: Source,
  key: SettingKey,
  given: unknown,
): Values[SettingKey] | SavepointError {
  const { kind } = SETTINGS[key];
  const value = origin === 'environment' ? kind.fromText(String(given)) : kind.fromJson(given);
  if (value !== undefined) return value;
  const details = { key };
  return file === null
    ? invalid(variableOf(key), `must be ${kind.expected}`, details)
    : invalid(file, `"${key}" must be ${kind.expected}`, details);
}

/** Why a project may not set a value; null where it may. */
function refusalOf(key: SettingKey, value: Part['value'], before: unknown): string | null {
  const { projectMay } = SETTINGS[key];
  if (projectMay === 'never') return 'is for your own file, not for that of a project';
  if (projectMay === 'adds' || rank(value) >= rank(before)) return null;
  return 'may be raised by a project, not lowered';
}

/** No limit is the highest one. */
function rank(value: unknown): number {
  return value === null ? Number.POSITIVE_INFINITY : Number(value);
}

function effectiveOf(key: SettingKey, parts: readonly Part[]): Effective {
  const last = parts.at(-1) ?? { value: SETTINGS[key].fallback, origin: 'default', source: null };
  const { summary } = SETTINGS[key];
  if (key !== 'exclude') return { key, ...last, summary, parts: [last] };
  const value = [...new Set(parts.flatMap((part) => part.value as readonly string[]))];
  const own = parts.filter((part) => (part.value as readonly string[]).length > 0);
  return { key, ...last, value, summary, parts: own };
}
