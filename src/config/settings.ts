import { join } from 'node:path';
import { placeOfSettings, rewriteFile } from '../fs/rewrite-file.ts';
import {
  DEFAULT_RETENTION,
  DEFAULT_SETTINGS,
  type RetentionRules,
  SavepointError,
  type SavepointSettings,
} from '../index.ts';
import { hasSettings, readServerUrl } from '../store/postgres/server-url.ts';
import { type Surroundings, userFile as userFileOf } from './find-project.ts';
import {
  AT_LEAST_ONE,
  DAYS,
  DEADLINE,
  NAME,
  PATTERNS,
  SIZE,
  SWITCH,
  SWITCH_OR_AUTO,
  WHOLE_NUMBER,
} from './kinds.ts';
import {
  checkOwn,
  type Effective,
  loadSettings,
  type Part,
  type ProjectMay,
  readSettingsFile,
  type Setting,
  type SettingKind,
  type Settings,
  type SettingsTable,
} from './load-settings.ts';

/** Everything that can be configured. The clock and the environment are the process's own. */
export type Values = Omit<SavepointSettings, 'now' | 'environment' | 'onProgress'> &
  RetentionRules &
  DatabaseSettings & { readonly mcpRewind: boolean };
export type SettingKey = keyof Values;

/** Where the database server is that keeps the timelines of projects that were moved to it. */
export interface DatabaseSettings {
  /** Holds a password: it is never shown, and never an argument. */
  readonly databaseUrl: string | null;
  /** Null: encrypted, unless the server is on this machine. */
  readonly databaseTls: boolean | null;
  /** Files in PEM. */
  readonly databaseCa: string | null;
  readonly databaseCert: string | null;
  readonly databaseKey: string | null;
}

const DEFAULTS: Values = {
  ...DEFAULT_SETTINGS,
  ...DEFAULT_RETENTION,
  databaseUrl: null,
  databaseTls: null,
  databaseCa: null,
  databaseCert: null,
  databaseKey: null,
  mcpRewind: false,
};

type Row<Value> = readonly [kind: SettingKind<Value>, projectMay: ProjectMay, summary: string];

/** In the order in which they are shown. */
const ROWS: { readonly [Key in SettingKey]: Row<Values[Key]> } = {
  scan: [SWITCH, 'raises', 'whether checkpoints scan the worktree, for what no tool named'],
  exclude: [PATTERNS, 'adds', 'files whose contents are never recorded'],
  keepIgnored: [SWITCH, 'raises', 'whether scans keep small files that git ignores, privately'],
  maxFileSize: [SIZE, 'raises', 'larger files are not recorded'],
  maxSafetySize: [SIZE, 'raises', 'larger files are not replaced by a rewind'],
  maxEntries: [
    WHOLE_NUMBER,
    'raises',
    'entries of a folder that a tool named, past which it is not recorded',
  ],
  maxScanEntries: [
    WHOLE_NUMBER,
    'raises',
    'files and folders, past which the worktree is not scanned',
  ],
  maxCopyBytes: [SIZE, 'raises', 'how much the first scan may copy'],
  scanDeadlineMs: [DEADLINE, 'raises', 'how long a scan may take before it leaves a gap'],
  scanWorkers: [
    WHOLE_NUMBER,
    'never',
    'threads that share the scan of more than 50,000 files and folders',
  ],
  lockTimeoutMs: [WHOLE_NUMBER, 'never', 'how long to wait for another process'],
  retentionDays: [DAYS, 'raises', 'how long a session is kept after it was archived'],
  idleDays: [DAYS, 'raises', 'a session without activity for so long counts as archived'],
  executionDays: [DAYS, 'raises', 'how long a finished execution is kept after it was last used'],
  maxCheckpointsPerSession: [
    AT_LEAST_ONE,
    'raises',
    'how many checkpoints of a session are kept; steps of executions do not count',
  ],
  maxStoreBytes: [
    SIZE,
    'never',
    'what a store may hold, beyond which the oldest archived sessions go',
  ],
  databaseUrl: [
    NAME,
    'never',
    'the PostgreSQL server of projects that were moved to it; shown without credentials',
  ],
  databaseTls: [
    SWITCH_OR_AUTO,
    'never',
    'whether the connection is encrypted; none: unless the server is on this machine',
  ],
  databaseCa: [NAME, 'never', 'the file with the certificate that vouches for the server'],
  databaseCert: [NAME, 'never', 'the file with your own certificate, where the server wants one'],
  databaseKey: [NAME, 'never', 'the file with the key of that certificate'],
  mcpRewind: [
    SWITCH,
    'never',
    'whether agents may rewind their own session through savepoint mcp without asking you',
  ],
};

export const SETTING_KEYS: readonly SettingKey[] = Object.keys(ROWS) as SettingKey[];

const SETTINGS = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, settingOf(key)]),
) as unknown as SettingsTable<Values>;

function settingOf<Key extends SettingKey>(key: Key): Setting<Values[Key]> {
  const [kind, projectMay, summary] = ROWS[key];
  // Whoever starts `savepoint mcp` sets its variables, and that is the agent.
  const variable = key === 'mcpRewind' ? null : variableOf(key);
  const fallback = DEFAULTS[key];
  const setting = { kind, fallback, projectMay, variable, summary };
  return key === 'databaseUrl' ? { ...setting, isSecret: true } : setting;
}

/** SAVEPOINT_MAX_FILE_SIZE for `maxFileSize`. */
function variableOf(key: SettingKey): string {
  return `SAVEPOINT_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** A value as a person reads it. */
export function shownValue(key: SettingKey, value: unknown): unknown {
  const { toText } = SETTINGS[key].kind as SettingKind<unknown>;
  return toText === undefined ? value : toText(value);
}

/**
 * Sets a value in the user's own file, as its variable would name it, or takes it out with null. Other keys
 * stay as they are, in their order. False where the file said so already. Throws `config-invalid`, and writes
 * nothing, for a value of another kind and for a file that does not hold settings.
 */
export function setUserSetting(userFile: string, key: SettingKey, text: string | null): boolean {
  const { isSecret, kind } = SETTINGS[key];
  if (text !== null && isSecret) {
    const message = `"${key}" is not set at a command line, where others could read it`;
    const hint = `write it into ${userFile}, and let nobody else read that file (chmod 600)`;
    throw new SavepointError('config-invalid', message, { path: userFile, hint });
  }
  const file = placeOfSettings(userFile);
  const read = readSettingsFile(file);
  const { [key]: before, ...others } = read?.values ?? {};
  const value = text === null ? undefined : valueFor(kind, text);
  if (JSON.stringify(before) === JSON.stringify(value)) return false;
  const values = value === undefined ? others : { ...read?.values, [key]: value };
  checkOwn(SETTINGS, userFile, values);
  const written = `${JSON.stringify(values, null, indentOf(read?.text))}\n`;
  rewriteFile(file, Buffer.from(written), read?.bytes ?? null);
  return true;
}

/** A size stays as it was typed, because "10 MiB" says more than its number of bytes. */
function valueFor(
  { fromText, textInFiles }: Pick<SettingKind<unknown>, 'fromText' | 'textInFiles'>,
  text: string,
): unknown {
  const meant = fromText(text);
  if (meant === undefined) return text;
  return textInFiles && !/^\d+$/.test(text) ? text.trim() : meant;
}

function indentOf(text: string | undefined): string {
  return /^\s*\{[^\S\n]*\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  ';
}

export type Configuration = Settings<Values>;
export type EffectiveSetting = Effective<Values>;

export interface Places {
  /** The project's folder. */
  readonly project: string;
  readonly userFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PROJECT_FILE = 'savepoint.config.json';

/** What is configured for a project, in the files and variables of this process. */
export function configurationOf(surroundings: Surroundings, project: string): Configuration {
  const environment = surroundings.env;
  return loadConfiguration({ project, userFile: userFileOf(surroundings), environment });
}

/** What is configured for a project. Throws `config-invalid` for what the user wrote. */
export function loadConfiguration({ project, userFile, environment }: Places): Configuration {
  const projectFiles = [
    { file: join(project, PROJECT_FILE) },
    { file: join(project, 'package.json'), key: 'savepoint' },
  ];
  const settings = loadSettings(SETTINGS, { userFile, projectFiles, environment });
  return {
    ...settings,
    values: { ...settings.values, exclude: excludedBy(settings) },
    effective: settings.effective.map(withoutCredentials),
  };
}

/** What is there to be shown holds no password. */
function withoutCredentials(setting: EffectiveSetting): EffectiveSetting {
  if (setting.key !== 'databaseUrl' || setting.value === null) return setting;
  const value = serverName(String(setting.value));
  return { ...setting, value, parts: setting.parts.map((part) => ({ ...part, value })) };
}

/** The host and the database of a URL, and nothing else of it. Nothing at all of a URL that the store refuses. */
export function serverName(text: string): string {
  const url = readServerUrl(text);
  if (url === null || hasSettings(url)) return 'a text that is not the URL of a server';
  return `${url.host}${url.pathname}`;
}

/** Files that say what is recorded: where an agent writes them, an undo has to bring them back. */
const NOT_EXCLUDED_BY_PROJECT = [`!/${PROJECT_FILE}`, '!.gitignore', '!.savepointignore'];

/** Every pattern, the strongest last: a "!" of the project takes nothing back that the user excludes. */
function excludedBy({ effective }: Configuration): readonly string[] {
  const { parts = [] } = effective.find(({ key }) => key === 'exclude') ?? {};
  const lists = parts as readonly Part<Values['exclude']>[];
  const ofProject = lists.filter(({ origin }) => origin === 'project');
  const ofUser = lists.filter(({ origin }) => origin !== 'project');
  return [
    ...ofProject.flatMap(({ value }) => [...value, ...NOT_EXCLUDED_BY_PROJECT]),
    ...ofUser.flatMap(({ value }) => value),
  ];
}
