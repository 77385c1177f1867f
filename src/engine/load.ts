import type { OnProgress } from '../model/progress.ts';
import type { StoreCheck } from '../store/sqlite/check/problem.ts';
import type { StoreRepair } from '../store/sqlite/repair/repair-store.ts';
import type { SqliteStoreOptions } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { DocumentPlan } from '../transfer/carry-documents.ts';
import type { TransferCounts, TransferLimits } from '../transfer/requests.ts';
import type { AdoptStoreRequest } from './adopt-store.ts';
import type { CheckProjectOptions, CheckStoreOptions } from './check-project.ts';
import type { OpenOptions } from './open-savepoint.ts';
import type { Savepoint } from './savepoint.ts';

// The functions that a program begins with. Each loads what it needs when it is called, so that a program
// which imports the library, but does not use it in this run, starts as fast as without it.

/** Opens the timeline of a project, finishing a restore that was interrupted, if it can be. */
export async function openSavepoint(options: OpenOptions): Promise<Savepoint> {
  return (await import('./open-savepoint.ts')).openSavepoint(options);
}

/** Remembers on this machine that something could not be recorded, if an error means that; see `noteGap`. */
export async function noteGapAfter(error: unknown, directory: string, now: number): Promise<void> {
  const { isAway, noteGap } = await import('./gaps.ts');
  if (isAway(error)) noteGap(directory, error, now);
}

export interface CarryOptions {
  /** What `planDocuments` has found; it is asked when left out. */
  readonly documents?: DocumentPlan;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Copies everything that a store holds into one without a timeline, and compares the two. The caller holds the locks of
 * both. Throws where something is not the same, and `document-exists` where the other has documents of the same names
 * with other values; the first store is only read.
 */
export async function carryStore(
  from: Store,
  to: Store,
  { documents, onProgress }: CarryOptions = {},
): Promise<void> {
  const { carryDocuments, compareDocuments } = await import('../transfer/carry-documents.ts');
  const plan = documents ?? (await planDocuments(from, to));
  await (await import('../transfer/carry-store.ts')).carryTimeline(from, to, onProgress);
  await (await import('../transfer/compare-stores.ts')).compareTimelines(from, to, onProgress);
  await carryDocuments(from, to, plan);
  await compareDocuments(from, to, plan);
  const { project } = await from.state();
  if (project !== null) await to.setProject(project);
}

/** Which documents a move to another store would write. Throws `document-exists` where the two have different ones. */
export async function planDocuments(from: Store, to: Store): Promise<DocumentPlan> {
  return (await import('../transfer/carry-documents.ts')).planDocuments(from, to);
}

/** Carries documents that were saved in the first store between the plan and the moment from which the other counts. */
export async function carryLateDocuments(
  from: Store,
  to: Store,
  plan: DocumentPlan,
): Promise<void> {
  return (await import('../transfer/carry-documents.ts')).carryLateDocuments(from, to, plan);
}

/** Runs `work` under the project lock of a store's folder, without opening the store. */
export async function withProjectLock<Result>(
  directory: string,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return (await import('../store/sqlite/lock.ts')).withProjectLock(directory, timeoutMs, work);
}

/** A store in a folder of its own. */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return (await import('../store/sqlite/sqlite-store.ts')).sqliteStore(options);
}

/** A store that lives as long as its process; for tests, and for trying things out. */
export async function memoryStore(): Promise<Store> {
  return (await import('../store/sqlite/memory-store.ts')).memoryStore();
}

/** Gives a project that was moved the store of its old path. */
export async function adoptStore(request: AdoptStoreRequest): Promise<void> {
  return (await import('./adopt-store.ts')).adoptStore(request);
}

/** The path under which a folder was recorded that was moved away since; null if there is none. */
export async function movedFrom(project: string, home: string): Promise<string | null> {
  return (await import('./adopt-store.ts')).movedFrom(project, home);
}

/** Looks at everything in the store of a project, also where it cannot be opened. Changes nothing. */
export async function checkProject(options: CheckProjectOptions): Promise<StoreCheck> {
  return (await import('./check-project.ts')).checkProject(options);
}

/** As `checkProject`, by the folder of the store: only a store that can be opened knows its project. */
export async function checkStoreIn(
  directory: string,
  options?: CheckStoreOptions,
): Promise<StoreCheck> {
  return (await import('./check-project.ts')).checkStoreIn(directory, options);
}

/** Makes a damaged store usable again, and keeps the old database. End other programs first. */
export async function repairProject(options: CheckProjectOptions): Promise<StoreRepair> {
  return (await import('./check-project.ts')).repairProject(options);
}

/** Checks an export without a store. Throws the error that an import would throw. */
export async function verifyExport(
  source: AsyncIterable<Uint8Array>,
  limits?: Partial<TransferLimits>,
): Promise<TransferCounts> {
  return (await import('./transfer.ts')).verifyExport(source, limits);
}
