import { AMOUNT, BOOLEAN, check, ID, type Kind, object, optional } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { OperationId } from '../model/ids.ts';
import type { PruneResult } from '../store/store.ts';
import {
  carryOutEviction,
  type Eviction,
  floorAfter,
  isEmpty,
  type PruneRequest,
  planEviction,
  type RetentionRules,
  retentionRules,
} from '../timeline/retention.ts';
import type { Workbench } from './workbench.ts';

// Runs before anything is removed: a version compresses best against the one that it was made from.
const COMPACT_MS = 2_000;

const PRUNE_REQUEST: Kind<PruneRequest> = object({
  olderThanMs: optional(AMOUNT),
  keep: optional(AMOUNT),
  maxBytes: optional(AMOUNT),
  sessionId: optional(ID),
  labelled: optional(BOOLEAN),
});

const RETENTION_RULES: Kind<Partial<RetentionRules>> = object({
  retentionDays: optional(AMOUNT),
  idleDays: optional(AMOUNT),
  maxCheckpointsPerSession: optional(AMOUNT),
  maxStoreBytes: optional(AMOUNT),
});

/** What a prune would remove. */
export interface PrunePlan {
  readonly sessions: readonly string[];
  /** Newest first. The checkpoints of the sessions are among them. */
  readonly checkpoints: readonly Checkpoint[];
  readonly operations: readonly OperationId[];
  readonly changes: number;
  readonly blobs: number;
  /** At most so many bytes will be freed: some of the rest may have to be stored anew. */
  readonly upToBytes: number;
}

/** What a prune removed. */
export interface PruneReport extends Omit<PrunePlan, 'upToBytes'> {
  /** How much smaller the files of the store are. */
  readonly freedBytes: number;
  /** The size of the store now. */
  readonly diskBytes: number;
}

export interface EvictionResult extends PruneResult {
  readonly sessions: number;
  readonly checkpoints: number;
  readonly operations: number;
}

/** Runs without a request of the user: applies the rules of retention, and compresses for a while. */
export async function cleanup(
  bench: Workbench,
  rules: Partial<RetentionRules> = {},
  budgetMs: number = COMPACT_MS,
): Promise<EvictionResult> {
  check(RETENTION_RULES, 'rules', rules);
  check(AMOUNT, 'budgetMs', budgetMs);
  return bench.locked(async () => {
    await bench.store.maintain('compact', budgetMs);
    const { sessions, checkpoints, operations, ...result } = await removeAll(bench, {}, rules);
    return {
      ...result,
      sessions: sessions.length,
      checkpoints: checkpoints.length,
      operations: operations.length,
    };
  });
}

/** Reads only. */
export async function planPrune(
  bench: Workbench,
  request: PruneRequest = {},
  rules: Partial<RetentionRules> = {},
): Promise<PrunePlan> {
  const { store } = bench;
  const eviction = await evictionFor(bench, request, rules);
  const { changes, blobs, bytes } = await store.maintain(
    'prunable',
    await floorAfter(store, eviction),
  );
  return { ...(await named(bench, eviction)), changes, blobs, upToBytes: bytes };
}

export function prune(
  bench: Workbench,
  request: PruneRequest = {},
  rules: Partial<RetentionRules> = {},
): Promise<PruneReport> {
  const { store } = bench;
  return bench.locked(async () => {
    const before = await store.maintain('diskBytes');
    await store.maintain('compact', COMPACT_MS);
    const { bytes: _, ...removed } = await removeAll(bench, request, rules);
    const diskBytes = await store.maintain('diskBytes');
    return { ...removed, freedBytes: Math.max(0, before - diskBytes), diskBytes };
  });
}

type Removed = Omit<PrunePlan, 'upToBytes'> & { readonly bytes: number };

/** The store overestimates what it will free, so one round may not be enough. Each round removes more. */
async function removeAll(
  bench: Workbench,
  request: PruneRequest,
  rules: Partial<RetentionRules>,
): Promise<Removed> {
  const sessions: string[] = [];
  const checkpoints: Checkpoint[] = [];
  const operations: OperationId[] = [];
  let [changes, blobs, bytes] = [0, 0, 0];
  for (let round = 0; ; round += 1) {
    const eviction = await evictionFor(bench, request, rules);
    if (round > 0 && isEmpty(eviction)) break;
    const what = await named(bench, eviction);
    sessions.push(...what.sessions);
    checkpoints.push(...what.checkpoints);
    operations.push(...what.operations);
    const pruned = await carryOutEviction(bench.store, eviction);
    changes += pruned.changes;
    blobs += pruned.blobs;
    bytes += pruned.bytes;
  }
  return { sessions, checkpoints, operations, changes, blobs, bytes };
}

async function evictionFor(
  { store, settings }: Workbench,
  request: PruneRequest,
  rules: Partial<RetentionRules>,
): Promise<Eviction> {
  check(PRUNE_REQUEST, 'request', request);
  check(RETENTION_RULES, 'rules', rules);
  return planEviction(store, request, retentionRules(rules), settings.now());
}

type Named = Pick<PrunePlan, 'sessions' | 'checkpoints' | 'operations'>;

/** Adds the checkpoints themselves, which must still exist. */
async function named({ store }: Workbench, eviction: Eviction): Promise<Named> {
  const ids = new Set(eviction.checkpoints);
  const sessions = new Set<string | null>(eviction.sessions);
  const checkpoints = (await store.timeline.checkpoints({})).filter(
    ({ id, sessionId }) => ids.has(id) || sessions.has(sessionId),
  );
  return { sessions: eviction.sessions, checkpoints, operations: eviction.operations };
}
