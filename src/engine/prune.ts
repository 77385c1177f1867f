import { AMOUNT, BOOLEAN, check, ID, type Kind, object, optional } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { OperationId } from '../model/ids.ts';
import type { PruneResult } from '../store/store.ts';
import { carryOutEviction, type Eviction, floorAfter, isEmpty } from '../timeline/eviction.ts';
import {
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
  agent: optional(ID),
  labelled: optional(BOOLEAN),
});

const RULES = {
  retentionDays: optional(AMOUNT),
  idleDays: optional(AMOUNT),
  executionDays: optional(AMOUNT),
  maxCheckpointsPerSession: optional(AMOUNT),
  maxStoreBytes: optional(AMOUNT),
};

const RETENTION_RULES: Kind<Partial<RetentionRules>> = object(RULES);

/** What a prune would remove. */
export interface PrunePlan {
  readonly sessions: readonly string[];
  /** Newest first. The checkpoints of the sessions are among them. */
  readonly checkpoints: readonly Checkpoint[];
  readonly operations: readonly OperationId[];
  /** Executions that go with their sessions. Their ids stay taken, so that no step happens twice. */
  readonly executions: readonly string[];
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
  readonly executions: number;
}

/** The rules to apply, and whose sessions they are about: those of one agent, or all. */
export interface CleanupRules extends Partial<RetentionRules>, Pick<PruneRequest, 'agent'> {}

const CLEANUP_RULES: Kind<CleanupRules> = object({ ...RULES, agent: optional(ID) });

/** Runs without a request of the user: applies the rules of retention, and compresses for a while. */
export async function cleanup(
  bench: Workbench,
  rules: CleanupRules = {},
  budgetMs: number = COMPACT_MS,
): Promise<EvictionResult> {
  check(CLEANUP_RULES, 'rules', rules);
  check(AMOUNT, 'budgetMs', budgetMs);
  return bench.locked(async () => {
    await bench.store.maintain('compact', budgetMs);
    const { agent, ...limits } = rules;
    const removed = await removeAll(bench, { agent }, limits);
    const { sessions, checkpoints, operations, executions, ...result } = removed;
    return {
      ...result,
      sessions: sessions.length,
      checkpoints: checkpoints.length,
      operations: operations.length,
      executions: executions.length,
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
  const executions: string[] = [];
  let [changes, blobs, bytes] = [0, 0, 0];
  for (let round = 0; ; round += 1) {
    // A session that was named and is gone has nothing more to remove.
    if (sessions.some((id) => id === request.sessionId)) break;
    const eviction = await evictionFor(bench, request, rules);
    if (round > 0 && isEmpty(eviction)) break;
    const what = await named(bench, eviction);
    sessions.push(...what.sessions);
    checkpoints.push(...what.checkpoints);
    operations.push(...what.operations);
    executions.push(...what.executions);
    const pruned = await carryOutEviction(bench.store, eviction);
    changes += pruned.changes;
    blobs += pruned.blobs;
    bytes += pruned.bytes;
  }
  return { sessions, checkpoints, operations, executions, changes, blobs, bytes };
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

type Named = Pick<PrunePlan, 'sessions' | 'checkpoints' | 'operations' | 'executions'>;

/** Adds the checkpoints and executions themselves, which must still exist. */
async function named({ store }: Workbench, eviction: Eviction): Promise<Named> {
  const ids = new Set(eviction.checkpoints);
  const sessions = new Set<string | null>(eviction.sessions);
  const checkpoints = (await store.timeline.checkpoints({})).filter(
    ({ id, sessionId }) => ids.has(id) || sessions.has(sessionId),
  );
  const executions = (await store.timeline.executions())
    .filter(({ sessionId, status }) => sessions.has(sessionId) && status !== 'removed')
    .map(({ id }) => id);
  return { ...eviction, checkpoints, executions };
}
