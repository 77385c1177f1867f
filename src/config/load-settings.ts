import { readFile } from '../fs/read-file.ts';
import { isSavepointError, SavepointError } from '../index.ts';
import { type Kind, problemWith } from '../model/check.ts';

/** A kind of setting: what its value must be, and how it is written as text. */
export interface SettingKind<Value> {
  readonly kind: Kind<Value>;
  /** The value that a text means, in a variable; something of another kind where it means none. */
  fromText(text: string): unknown;
  /** Whether a file may hold the text as well. */
  readonly textInFiles?: true;
  /** How the value is shown to a person, where that is another text; `fromText` takes it. */
  toText?(value: Value): string;
}

/**
 * The right of a file inside the project. An agent can write there, and so can the people from whom the
 * project was cloned: such a file names no program, loosens no permission, and has more kept, never less.
 * `adds`: to the user's own list. `raises`, `tightens`: only up, or only down, by `rank`, from the user's value.
 */
export type ProjectMay = 'sets' | 'adds' | 'raises' | 'tightens' | 'never';

export interface Setting<Value> {
  readonly kind: SettingKind<Value>;
  readonly fallback: Value;
  readonly projectMay: ProjectMay;
  /** For `raises` and `tightens`; left out, the number itself, and null is the highest. */
  readonly rank?: (value: Value) => number;
  /** Null where a variable cannot hold it. */
  readonly variable: string | null;
  /** Not to be typed at a command line, where other users of the machine could read it. */
  readonly isSecret?: true;
  readonly summary: string;
}

/** Every setting, in the order in which they are shown. */
export type SettingsTable<Values> = { readonly [Key in keyof Values]: Setting<Values[Key]> };

export type Origin = 'default' | 'user' | 'project' | 'environment';

/** A value, and where it comes from. */
export interface Part<Value = unknown> {
  readonly value: Value;
  readonly origin: Origin;
  /** The file or the variable; null for a default. */
  readonly source: string | null;
}

export interface Effective<Values> extends Part<Values[keyof Values]> {
  readonly key: keyof Values & string;
  readonly variable: string | null;
  readonly summary: string;
  /** What each place added to a list; for everything else the one value. */
  readonly parts: readonly Part<Values[keyof Values]>[];
}

export interface Settings<Values> {
  readonly values: Values;
  readonly effective: readonly Effective<Values>[];
  /** What is wrong in the project's own files. What is wrong in the user's is thrown. */
  readonly problems: readonly SavepointError[];
  /** Names of settings that do not exist, and values that the project may not set. */
  readonly warnings: readonly string[];
}

interface SettingsPlaces {
  readonly userFile: string;
  /** The first one that exists counts. With a `key`, the settings are what the file holds under it. */
  readonly projectFiles: readonly { readonly file: string; readonly key?: string }[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads what is set: the environment counts before the project's files before the user's file before the
 * defaults. Throws `config-invalid`, which names the file or variable and the key, for what the user wrote.
 * What is wrong in the project is among the problems and does not count: an agent may have written it, and
 * the way back has to work all the same.
 */
export function loadSettings<Values>(
  table: SettingsTable<Values>,
  { userFile, projectFiles, environment }: SettingsPlaces,
): Settings<Values> {
  const loader = loaderOf(table);
  loader.takeFile('user', userFile, readSettingsFile(userFile)?.values ?? null);
  try {
    for (const { file, key } of projectFiles) {
      const whole = readSettingsFile(file)?.values ?? null;
      const values = key === undefined ? whole : valuesUnder(file, whole, key);
      if (values === null) continue;
      loader.takeFile('project', file, values);
      break;
    }
  } catch (error) {
    if (!isSavepointError(error, 'config-invalid')) throw error;
    loader.problems.push(error);
  }
  loader.takeEnvironment(environment);
  return loader.finish() as unknown as Settings<Values>;
}

/** Throws `config-invalid` unless these could be the values of the user's own file. */
export function checkOwn<Values>(table: SettingsTable<Values>, file: string, values: Json): void {
  loaderOf(table).takeFile('user', file, values);
}

function loaderOf<Values>(table: SettingsTable<Values>): Loader {
  return new Loader(table as unknown as Readonly<Record<string, Setting<unknown>>>);
}

type Json = Readonly<Record<string, unknown>>;

class Loader {
  readonly problems: SavepointError[] = [];
  readonly #table: Readonly<Record<string, Setting<unknown>>>;
  readonly #warnings: string[] = [];
  readonly #parts = new Map<string, Part[]>();

  constructor(table: Readonly<Record<string, Setting<unknown>>>) {
    this.#table = table;
    for (const [key, { fallback }] of Object.entries(table)) {
      this.#parts.set(key, [{ value: fallback, origin: 'default', source: null }]);
    }
  }

  takeFile(origin: 'user' | 'project', file: string, values: Json | null): void {
    for (const [key, given] of Object.entries(values ?? {})) {
      const setting = Object.hasOwn(this.#table, key) ? this.#table[key] : undefined;
      if (setting === undefined) {
        this.#warnings.push(`${file}: no setting is called "${key}"`);
        continue;
      }
      const { fromText, textInFiles } = setting.kind;
      const value = textInFiles && typeof given === 'string' ? fromText(given) : given;
      const problem = problemWith(setting.kind.kind, `"${key}"`, value);
      const error = problem === null ? null : invalid(file, `${file}: ${problem}`, { key });
      if (error === null) this.#take(key, setting, { value, origin, source: file });
      else if (origin === 'user') throw error;
      else this.problems.push(error);
    }
  }

  takeEnvironment(environment: SettingsPlaces['environment']): void {
    for (const [key, setting] of Object.entries(this.#table)) {
      const { variable, kind } = setting;
      const text = variable === null ? undefined : environment[variable];
      // An empty variable is how one is taken away for one command.
      if (variable === null || text === undefined || text === '') continue;
      const value = kind.fromText(text);
      const problem = problemWith(kind.kind, variable, value);
      if (problem !== null) throw invalid(variable, problem, { key });
      this.#take(key, setting, { value, origin: 'environment', source: variable });
    }
  }

  finish(): Settings<Json> {
    const effective = Object.entries(this.#table).map(([key, setting]) => {
      const parts = this.#parts.get(key) ?? [];
      return effectiveOf(key, setting, parts);
    });
    return {
      values: Object.fromEntries(effective.map(({ key, value }) => [key, value])),
      effective,
      problems: this.problems,
      warnings: this.#warnings,
    };
  }

  #take(key: string, setting: Setting<unknown>, part: Part): void {
    const parts = this.#parts.get(key) ?? [];
    const refusal =
      part.origin === 'project' ? refusalOf(setting, part.value, parts.at(-1)?.value) : null;
    if (refusal === null) parts.push(part);
    else this.#warnings.push(`${part.source}: "${key}" ${refusal}`);
  }
}

/** Why a project may not set a value; null where it may. */
function refusalOf(
  { projectMay, rank = rankOf }: Setting<unknown>,
  value: unknown,
  before: unknown,
): string | null {
  if (projectMay === 'never') return 'is for your own file, not for that of a project';
  if (projectMay === 'raises' && rank(value) < rank(before)) {
    return 'may be raised by a project, not lowered';
  }
  if (projectMay === 'tightens' && rank(value) > rank(before)) {
    return `may be made stricter by a project, not "${value}"`;
  }
  return null;
}

/** No limit is the highest one. */
function rankOf(value: unknown): number {
  return value === null ? Number.POSITIVE_INFINITY : Number(value);
}

function effectiveOf(
  key: string,
  { fallback, projectMay, variable, summary }: Setting<unknown>,
  parts: readonly Part[],
): Effective<Json> {
  const last = parts.at(-1) ?? { value: fallback, origin: 'default', source: null };
  if (projectMay !== 'adds') return { key, ...last, variable, summary, parts: [last] };
  const lists = parts as readonly Part<readonly unknown[]>[];
  const value = [...new Set(lists.flatMap((part) => part.value))];
  const own = lists.filter((part) => part.value.length > 0);
  return { key, ...last, value, variable, summary, parts: own };
}

const MAX_BYTES = 1024 * 1024;

interface SettingsFile {
  readonly bytes: Buffer;
  readonly text: string;
  readonly values: Json;
}

/** Null where there is no such file. */
export function readSettingsFile(file: string): SettingsFile | null {
  const bytes = bytesIn(file);
  if (bytes === null) return null;
  const text = bytes.toString();
  return { bytes, text, values: valuesOf(file, parsed(file, text)) };
}

function bytesIn(file: string): Buffer | null {
  const read = readFile(file, { followLink: true, maxBytes: MAX_BYTES });
  if (read.bytes !== null) return read.bytes;
  if (read.why === 'missing') return null;
  if (read.why === 'too-large') throw invalid(file, `${file} is too large`);
  if (read.cause === undefined) throw invalid(file, `${file} is not a file`);
  throw invalid(file, `${file} cannot be read (${read.cause.code})`);
}

function valuesUnder(file: string, values: Json | null, key: string): Json | null {
  if (values === null || !Object.hasOwn(values, key)) return null;
  return valuesOf(file, values[key]);
}

function valuesOf(file: string, value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalid(file, `${file} must hold an object with settings`);
}

/** JSON.parse quotes the text in its message. The file may hold anything, so the text is not repeated. */
function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw invalid(file, `${file} is not JSON`);
  }
}

function invalid(path: string, message: string, details?: unknown): SavepointError {
  return new SavepointError('config-invalid', message, { path, details });
}
