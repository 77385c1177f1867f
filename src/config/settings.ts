import {
  DEFAULT_RETENTION,
  DEFAULT_SETTINGS,
  type RetentionRules,
  type SavepointSettings,
} from '../index.ts';
import {
  AT_LEAST_ONE,
  BYTES,
  COUNT,
  DAYS,
  DEADLINE,
  type Kind,
  MILLISECONDS,
  PATTERNS,
  SWITCH,
} from './kinds.ts';

/** Everything that can be configured. The clock and the environment are the process's own. */
export type Values = Omit<SavepointSettings, 'now' | 'environment' | 'onProgress'> & RetentionRules;
export type SettingKey = keyof Values;

/**
 * What a file inside the project may do to a value. An agent can write there, and so can whoever the
 * project was cloned from: such a file may have more kept, never less. `adds`: to the user's own list.
 * `raises`: where it is more than what the user has. `never`: the user's own disk and machine.
 */
export type ProjectMay = 'adds' | 'raises' | 'never';

export interface Setting<Value> {
  readonly kind: Kind<Value>;
  readonly fallback: Value;
  readonly projectMay: ProjectMay;
  readonly summary: string;
}

/** In the order in which they are shown. */
export const SETTINGS: { readonly [Key in SettingKey]: Setting<Values[Key]> } = {
  scan: {
    kind: SWITCH,
    fallback: DEFAULT_SETTINGS.scan,
    projectMay: 'raises',
    summary: 'whether checkpoints scan the worktree, for what no tool named',
  },
  exclude: {
    kind: PATTERNS,
    fallback: DEFAULT_SETTINGS.exclude,
    projectMay: 'adds',
    summary: 'files whose contents are never recorded',
  },
  maxFileSize: {
    kind: BYTES,
    fallback: DEFAULT_SETTINGS.maxFileSize,
    projectMay: 'raises',
    summary: 'larger files are not recorded',
  },
  maxSafetySize: {
    kind: BYTES,
    fallback: DEFAULT_SETTINGS.maxSafetySize,
    projectMay: 'raises',
    summary: 'larger files are not replaced by a rewind',
  },
  maxEntries: {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxEntries,
    projectMay: 'raises',
    summary: 'entries of a folder that a tool named, past which it is not recorded',
  },
  maxScanEntries: {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxScanEntries,
    projectMay: 'raises',
    summary: 'files and folders, past which the worktree is not scanned',
  },
  maxCopyBytes: {
    kind: BYTES,
    fallback: DEFAULT_SETTINGS.maxCopyBytes,
    projectMay: 'raises',
    summary: 'how much the first scan may copy',
  },
  scanDeadlineMs: {
    kind: DEADLINE,
    fallback: DEFAULT_SETTINGS.scanDeadlineMs,
    projectMay: 'raises',
    summary: 'how long a scan may take before it leaves a gap',
  },
  scanWorkers: {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.scanWorkers,
    projectMay: 'never',
    summary: 'threads that share the scan of more than 50,000 files and folders',
  },
  lockTimeoutMs: {
    kind: MILLISECONDS,
    fallback: DEFAULT_SETTINGS.lockTimeoutMs,
    projectMay: 'never',
    summary: 'how long to wait for another process',
  },
  retentionDays: {
    kind: DAYS,
    fallback: DEFAULT_RETENTION.retentionDays,
    projectMay: 'raises',
    summary: 'how long a session is kept after it was archived',
  },
  idleDays: {
    kind: DAYS,
    fallback: DEFAULT_RETENTION.idleDays,
    projectMay: 'raises',
    summary: 'a session without activity for so long counts as archived',
  },
  maxCheckpointsPerSession: {
    kind: AT_LEAST_ONE,
    fallback: DEFAULT_RETENTION.maxCheckpointsPerSession,
    projectMay: 'raises',
    summary: 'how many checkpoints of a session are kept',
  },
  maxStoreBytes: {
    kind: BYTES,
    fallback: DEFAULT_RETENTION.maxStoreBytes,
    projectMay: 'never',
    summary: 'what a store may hold, beyond which the oldest archived sessions go',
  },
};

export const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTINGS, text);
}

/** maxFileSize → SAVEPOINT_MAX_FILE_SIZE */
export function variableOf(key: SettingKey): string {
  return `SAVEPOINT_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
