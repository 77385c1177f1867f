import { join } from 'node:path';
import {
  DEFAULT_RETENTION,
  DEFAULT_SETTINGS,
  type RetentionRules,
  type SavepointSettings,
} from '../index.ts';
import { hasSettings, readServerUrl } from '../store/postgres/server-url.ts';
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
  type Effective,
  loadSettings,
  type Part,
  type SettingKind,
  type Settings,
  type SettingsTable,
} from './load-settings.ts';
import { setOwnSetting } from './set-setting.ts';

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

const SETTINGS: SettingsTable<Values> = {
  scan: {
    kind: SWITCH,
    fallback: DEFAULT_SETTINGS.scan,
    projectMay: 'raises',
    variable: 'SAVEPOINT_SCAN',
    summary: 'whether checkpoints scan the worktree, for what no tool named',
  },
  exclude: {
    kind: PATTERNS,
    fallback: DEFAULT_SETTINGS.exclude,
    projectMay: 'adds',
    variable: 'SAVEPOINT_EXCLUDE',
    summary: 'files whose contents are never recorded',
  },
  keepIgnored: {
    kind: SWITCH,
    fallback: DEFAULT_SETTINGS.keepIgnored,
    projectMay: 'raises',
    variable: 'SAVEPOINT_KEEP_IGNORED',
    summary: 'whether scans keep small files that git ignores, privately',
  },
  maxFileSize: {
    kind: SIZE,
    fallback: DEFAULT_SETTINGS.maxFileSize,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_FILE_SIZE',
    summary: 'larger files are not recorded',
  },
  maxSafetySize: {
    kind: SIZE,
    fallback: DEFAULT_SETTINGS.maxSafetySize,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_SAFETY_SIZE',
    summary: 'larger files are not replaced by a rewind',
  },
  maxEntries: {
    kind: WHOLE_NUMBER,
    fallback: DEFAULT_SETTINGS.maxEntries,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_ENTRIES',
    summary: 'entries of a folder that a tool named, past which it is not recorded',
  },
  maxScanEntries: {
    kind: WHOLE_NUMBER,
    fallback: DEFAULT_SETTINGS.maxScanEntries,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_SCAN_ENTRIES',
    summary: 'files and folders, past which the worktree is not scanned',
  },
  maxCopyBytes: {
    kind: SIZE,
    fallback: DEFAULT_SETTINGS.maxCopyBytes,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_COPY_BYTES',
    summary: 'how much the first scan may copy',
  },
  scanDeadlineMs: {
    kind: DEADLINE,
    fallback: DEFAULT_SETTINGS.scanDeadlineMs,
    projectMay: 'raises',
    variable: 'SAVEPOINT_SCAN_DEADLINE_MS',
    summary: 'how long a scan may take before it leaves a gap',
  },
  scanWorkers: {
    kind: WHOLE_NUMBER,
    fallback: DEFAULT_SETTINGS.scanWorkers,
    projectMay: 'never',
    variable: 'SAVEPOINT_SCAN_WORKERS',
    summary: 'threads that share the scan of more than 50,000 files and folders',
  },
  lockTimeoutMs: {
    kind: WHOLE_NUMBER,
    fallback: DEFAULT_SETTINGS.lockTimeoutMs,
    projectMay: 'never',
    variable: 'SAVEPOINT_LOCK_TIMEOUT_MS',
    summary: 'how long to wait for another process',
  },
  retentionDays: {
    kind: DAYS,
    fallback: DEFAULT_RETENTION.retentionDays,
    projectMay: 'raises',
    variable: 'SAVEPOINT_RETENTION_DAYS',
    summary: 'how long a session is kept after it was archived',
  },
  idleDays: {
    kind: DAYS,
    fallback: DEFAULT_RETENTION.idleDays,
    projectMay: 'raises',
    variable: 'SAVEPOINT_IDLE_DAYS',
    summary: 'a session without activity for so long counts as archived',
  },
  executionDays: {
    kind: DAYS,
    fallback: DEFAULT_RETENTION.executionDays,
    projectMay: 'raises',
    variable: 'SAVEPOINT_EXECUTION_DAYS',
    summary: 'how long a finished execution is kept after it was last used',
  },
  maxCheckpointsPerSession: {
    kind: AT_LEAST_ONE,
    fallback: DEFAULT_RETENTION.maxCheckpointsPerSession,
    projectMay: 'raises',
    variable: 'SAVEPOINT_MAX_CHECKPOINTS_PER_SESSION',
    summary: 'how many checkpoints of a session are kept; steps of executions do not count',
  },
  maxStoreBytes: {
    kind: SIZE,
    fallback: DEFAULT_RETENTION.maxStoreBytes,
    projectMay: 'never',
    variable: 'SAVEPOINT_MAX_STORE_BYTES',
    summary: 'what a store may hold, beyond which the oldest archived sessions go',
  },
  databaseUrl: {
    kind: NAME,
    fallback: null,
    projectMay: 'never',
    variable: 'SAVEPOINT_DATABASE_URL',
    isSecret: true,
    summary: 'the PostgreSQL server of projects that were moved to it; shown without credentials',
  },
  databaseTls: {
    kind: SWITCH_OR_AUTO,
    fallback: null,
    projectMay: 'never',
    variable: 'SAVEPOINT_DATABASE_TLS',
    summary: 'whether the connection is encrypted; none: unless the server is on this machine',
  },
  databaseCa: {
    kind: NAME,
    fallback: null,
    projectMay: 'never',
    variable: 'SAVEPOINT_DATABASE_CA',
    summary: 'the file with the certificate that vouches for the server',
  },
  databaseCert: {
    kind: NAME,
    fallback: null,
    projectMay: 'never',
    variable: 'SAVEPOINT_DATABASE_CERT',
    summary: 'the file with your own certificate, where the server wants one',
  },
  databaseKey: {
    kind: NAME,
    fallback: null,
    projectMay: 'never',
    variable: 'SAVEPOINT_DATABASE_KEY',
    summary: 'the file with the key of that certificate',
  },
  mcpRewind: {
    kind: SWITCH,
    fallback: false,
    projectMay: 'never',
    // Whoever starts the server sets its variables, and that is the agent.
    variable: null,
    summary: 'whether agents may rewind their own session through savepoint mcp without asking you',
  },
};

/** A value as a person reads it. */
export function shownValue(key: SettingKey, value: unknown): unknown {
  const { toText } = SETTINGS[key].kind as SettingKind<unknown>;
  return toText === undefined ? value : toText(value);
}

/** Sets a value in the user's own file, or takes it out with null; see `setOwnSetting`. */
export function setUserSetting(userFile: string, key: SettingKey, text: string | null): boolean {
  return setOwnSetting(SETTINGS, userFile, key, text);
}

export const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS) as SettingKey[];

export type Configuration = Settings<Values>;
export type EffectiveSetting = Effective<Values>;

export interface Places {
  /** The project's folder. */
  readonly project: string;
  readonly userFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PROJECT_FILE = 'savepoint.config.json';

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
