import { Finds } from '../capture/attribution.ts';
import type { CaptureSite } from '../capture/capture.ts';
import { pathMatcher } from '../capture/ignore/folder-view.ts';
import { rememberingRules } from '../capture/ignore/global-rules.ts';
import type { GlobalRules } from '../capture/ignore/ignore-scope.ts';
import { ignoredPaths } from '../capture/ignore/ignored-path.ts';
import { KnownStates } from '../capture/known-states.ts';
import { Worktree } from '../capture/scan/worktree.ts';
import { monotonicMs } from '../model/clock.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { OperationId } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { PlanNote } from '../model/plan.ts';
import { recover } from '../restore/recover.ts';
import { Draft } from '../store/draft.ts';
import type { ProjectIdentity, Store, StoreState } from '../store/store.ts';
import { keepBound } from './bind-project.ts';
import { DEFAULT_SETTINGS, type SavepointSettings } from './requests.ts';

/** The files of a store beside its database. */
export interface StorePlace {
  /** Folders of Savepoint's own, never looked into. */
  readonly ownFolders: readonly string[];
  /** The file of the stat index; null to keep the index in memory. */
  readonly indexFile: string | null;
}

/** The last try to finish an interrupted restore. */
interface TriedRecovery {
  readonly operationId: OperationId;
  /** Null where only staged or stashed files are left that cannot be removed. */
  readonly error: Error | null;
  /** Milliseconds of `monotonicMs`. */
  readonly at: number;
}

type When = 'always' | 'unless-just-tried';
const ONE_COMMAND_MS = 1000;

/** An open project with its store, and the one way to write to them: under the project lock. */
export class Workbench {
  readonly root: string;
  readonly store: Store;
  readonly settings: SavepointSettings;
  readonly #site: Omit<CaptureSite, 'ignored'>;
  readonly #rules: () => GlobalRules;
  readonly #indexFile: string | null;
  #worktree: Worktree | null = null;
  #notices: PlanNote[] = [];
  readonly #said = new Set<string>();
  #tried: TriedRecovery | null = null;
  #bound: ProjectIdentity | null = null;

  constructor(root: string, store: Store, place: StorePlace, settings: Partial<SavepointSettings>) {
    this.root = root;
    this.store = store;
    this.settings = withDefaults(settings);
    this.#indexFile = place.indexFile;
    const { maxFileSize, maxEntries, exclude, environment, onProgress } = this.settings;
    this.#site = {
      root,
      store,
      known: new KnownStates(store),
      maxFileSize,
      maxEntries,
      ownFolders: place.ownFolders,
      excluded: pathMatcher(exclude),
      onProgress,
    };
    this.#rules = rememberingRules(root, environment);
  }

  /** For one act, which reads git's rules once: they may change while the process lives. */
  get site(): CaptureSite {
    return { ...this.#site, ignored: ignoredPaths(this.root, this.#rules) };
  }

  /** Made for the first scan: most processes never scan. */
  get worktree(): Worktree {
    const { maxScanEntries, maxCopyBytes, environment, keepIgnored } = this.settings;
    this.#worktree ??= new Worktree(this.site, {
      maxScanEntries,
      maxCopyBytes,
      workers: this.settings.scanWorkers,
      environment,
      keepIgnored,
      indexFile: this.#indexFile,
    });
    return this.#worktree;
  }

  /** Attributes unexpected states that a capture finds; to be used under the project lock. */
  finds(now: number): Finds {
    return new Finds(this.store, () => this.worktree.lastIndex(), now);
  }

  /** Finishes the last restore first if that is possible; otherwise the next start does it. */
  async close(): Promise<void> {
    await this.#lockAndRecover('unless-just-tried').catch(() => undefined);
    await this.#worktree?.close();
    await this.store.close();
  }

  /** A rewind must keep the files that it replaces, so its size limit is larger than that of a capture. */
  get rewindSite(): CaptureSite {
    return { ...this.site, maxFileSize: this.settings.maxSafetySize };
  }

  /** Runs `work` under the project lock and commits what it drafted. */
  write<T>(work: (draft: Draft, now: number) => Promise<T>): Promise<T> {
    return this.locked(async ({ seq }) => {
      const draft = new Draft(seq);
      const result = await work(draft, this.settings.now());
      if (!draft.isEmpty()) await this.store.timeline.commit(draft.batch());
      return result;
    });
  }

  /** Runs `work`, which puts something on record. If a server is away, the machine remembers the gap. */
  async recording<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFromServer(error)) (await import('./gaps.ts')).noteLost(this.store, error);
      throw error;
    }
  }

  /** Runs `work` under the project lock, once an interrupted restore is finished, with the state as it is then. */
  locked<T>(work: (state: StoreState) => Promise<T>): Promise<T> {
    return this.recording(() => this.#locked(work));
  }

  async #locked<T>(work: (state: StoreState) => Promise<T>): Promise<T> {
    const lock = await this.store.lock({ timeoutMs: this.settings.lockTimeoutMs });
    try {
      const state = await this.#recover('unless-just-tried');
      // Compared before `work`, because the next start must find the project of a restore that is interrupted, and
      // again after it, because the first write may have copied the folder up.
      this.#bound = await keepBound(this.site, this.#bound);
      const result = await work(state);
      this.#bound = await keepBound(this.site, this.#bound);
      return result;
    } catch (error) {
      throw typed(error);
    } finally {
      lock.release();
    }
  }

  /** Runs `work`, which only reads, without the lock. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw typed(error);
    }
  }

  /** Finishes an interrupted restore or purge. Takes the lock only if there is one to finish. */
  recover(): Promise<void> {
    return this.#lockAndRecover('always');
  }

  /** As `recover`, for commands that may only read: a restore that cannot be finished becomes a notice. */
  async recoverOrTell(): Promise<void> {
    try {
      await this.recover();
    } catch (error) {
      if (!isSavepointError(error)) throw error;
      if (!IN_THE_WAY.includes(error.code)) throw error;
      this.addNotices([{ code: 'restore-unfinished', message: error.message }]);
    }
  }

  /** Keeps notices until somebody reads them. */
  addNotices(notes: readonly PlanNote[]): void {
    const isNew = ({ message }: PlanNote) => this.#notices.every((one) => one.message !== message);
    this.#notices.push(...notes.filter(isNew));
  }

  /** As `addNotices`, for what stays true from scan to scan: said once by each process. */
  addNoticesOnce(notes: readonly PlanNote[]): void {
    this.addNotices(notes.filter(({ message }) => !this.#said.has(message)));
    for (const { message } of notes) this.#said.add(message);
  }

  takeNotices(): readonly PlanNote[] {
    return this.#notices.splice(0);
  }

  async #lockAndRecover(when: When): Promise<void> {
    if ((await this.store.timeline.journal()) === null && !(await this.store.state()).needsScrub)
      return;
    const lock = await this.store.lock({ timeoutMs: this.settings.lockTimeoutMs });
    try {
      await this.#recover(when);
    } finally {
      lock.release();
    }
  }

  /**
   * One command opens a project, writes to it and closes it. It tries to recover only once: if that failed
   * a moment ago, it would fail again, unless a server was away.
   */
  async #recover(when: When): Promise<StoreState> {
    const journal = await this.store.timeline.journal();
    if (journal !== null) {
      const { operationId } = journal;
      const last = this.#tried?.operationId === operationId ? this.#tried : null;
      const isSettled = last !== null && monotonicMs() - last.at < ONE_COMMAND_MS;
      if (!isSettled || when === 'always') await this.#tryToRecover(journal);
      else if (last.error !== null) throw last.error;
    }
    const state = await this.store.state();
    if (!state.needsScrub) return state;
    await this.#scrub();
    return this.store.state();
  }

  async #tryToRecover(journal: Journal): Promise<void> {
    const tried = (error: Error | null): void => {
      this.#tried = { operationId: journal.operationId, error, at: monotonicMs() };
    };
    try {
      await recover(this.site, journal, (notes) => this.addNotices(notes));
      tried(null);
    } catch (error) {
      if (!isFromServer(error)) tried(error as Error);
      throw error;
    }
  }

  /** Bytes that a purge could not remove stop nobody, but a notice must say so. */
  async #scrub(): Promise<void> {
    try {
      await this.store.maintain('scrub');
    } catch (error) {
      const { message } = typed(error);
      this.addNotices([{ code: 'purge-unfinished', message }]);
    }
  }
}

function isFromServer(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (isSavepointError(one, 'store-unreachable')) return true;
  }
  return false;
}

// If more than the journal is damaged, reading it will fail with its own error.
const IN_THE_WAY: readonly string[] = [
  'restore-unfinished',
  'store-locked',
  'store-corrupt',
  'store-read-only',
];

/** Gives errors of the file system a code, because callers branch on codes. */
function typed(error: unknown): SavepointError {
  if (isSavepointError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  // The path of a descriptor means nothing to people, and the descriptor is closed by now.
  const shown = reason.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
  const message = `files could not be read or written: ${shown}`;
  return new SavepointError('capture-failed', message, { cause: error });
}

/** Takes only the settings: the caller's object may have other fields. */
function withDefaults(given: Partial<SavepointSettings>): SavepointSettings {
  const pick = <Key extends keyof SavepointSettings>(key: Key): SavepointSettings[Key] =>
    given[key] ?? DEFAULT_SETTINGS[key];
  return {
    now: pick('now'),
    maxFileSize: pick('maxFileSize'),
    maxSafetySize: pick('maxSafetySize'),
    maxEntries: pick('maxEntries'),
    lockTimeoutMs: pick('lockTimeoutMs'),
    scan: pick('scan'),
    maxScanEntries: pick('maxScanEntries'),
    maxCopyBytes: pick('maxCopyBytes'),
    scanDeadlineMs: pick('scanDeadlineMs'),
    scanWorkers: pick('scanWorkers'),
    environment: pick('environment'),
    onProgress: pick('onProgress'),
    keepIgnored: pick('keepIgnored'),
    exclude: pick('exclude'),
  };
}
