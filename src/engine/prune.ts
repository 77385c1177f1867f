import { AMOUNT, check, ID, type Kind, object, optional } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { OperationId } from '../model/ids.ts';
import type { PruneResult } from '../store/store.ts';
import { carryOutEviction, type Eviction, floorAfter, isEmpty } from '../timeline/eviction.ts';
import { type PruneRequest, planEviction } from '../timeline/prune-request.ts';
import {
  type EvictionResult,
  evict,
  type RetentionRules,
  retentionRules,
} from '../timeline/retention.ts';
import type { Workbench } from './workbench.ts';

// Before anything goes: what a version was made from is what it is best compressed against.
const COMPACT_MS = 2_000;

const PRUNE_REQUEST: Kind<PruneRequest> = object({
  olderThanMs: optional(AMOUNT),
  keep: optional(AMOUNT),
  maxBytes: optional(AMOUNT),
  sessionId: optional(ID),
});

const RETENTION_RULES: Kind<Partial<RetentionRules>> = object({
  retentionDays: optional(AMOUNT),
  idleDays: optional(AMOUNT),
  maxCheckpointsPerSession: optional(AMOUNT),
  maxStoreBytes: optional(AMOUNT),
});

/** What goes. */
export interface PrunePlan {
  readonly sessions: readonly string[];
  /** Those of the sessions among them; newest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly operations: readonly OperationId[];
  readonly changes: number;
  readonly blobs: number;
  /** What will come back at most: what is left may have to be stored anew. */
  readonly upToBytes: number;
}

/** What went. */
export interface PruneReport extends Omit<PrunePlan, 'upToBytes'> {
  /** What came back, as the disk has it. */
  readonly freedBytes: number;
  /** What the store takes up now. */
  readonly diskBytes: number;
}

/** What is done without being asked for: the rules of retention, and some compression. */
export async function cleanup(
  bench: Workbench,
  rules: Partial<RetentionRules> = {},
  budgetMs: number = COMPACT_MS,
): Promise<EvictionResult> {
  check(RETENTION_RULES, 'rules', rules);
  check(AMOUNT, 'budgetMs', budgetMs);
  const { store, settings } = bench;
  return bench.locked(async () => {
    const all = retentionRules(rules);
    await store.compact(budgetMs);
    return evict(store, all, settings.now());
  });
}

/** Looks without writing. */
export async function planPrune(
  bench: Workbench,
  request: PruneRequest = {},
  rules: Partial<RetentionRules> = {},
): Promise<PrunePlan> {
  const { store } = bench;
  const eviction = await evictionFor(bench, request, rules);
  const { changes, blobs, bytes } = await store.prunable(await floorAfter(store, eviction));
  return { ...(await named(bench, eviction)), changes, blobs, upToBytes: bytes };
}

export function prune(
  bench: Workbench,
  request: PruneRequest = {},
  rules: Partial<RetentionRules> = {},
): Promise<PruneReport> {
  const { store } = bench;
  return bench.locked(async () => {
    const before = await store.diskBytes();
    await store.compact(COMPACT_MS);
    const gone = new Pruned();
    // What would come back is told at most, so there may be more to do. Each round takes something away.
    for (;;) {
      const eviction = await evictionFor(bench, request, rules);
      if (gone.rounds > 0 && isEmpty(eviction)) break;
      const what = await named(bench, eviction);
      gone.add(what, await carryOutEviction(store, eviction));
    }
    const diskBytes = await store.diskBytes();
    return { ...gone.report(), freedBytes: Math.max(0, before - diskBytes), diskBytes };
  });
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

/** With the checkpoints themselves, as long as they are there. */
async function named({ store }: Workbench, eviction: Eviction): Promise<Named> {
  const ids = new Set(eviction.checkpoints);
  const sessions = new Set<string | null>(eviction.sessions);
  const checkpoints = (await store.checkpoints({})).filter(
    ({ id, sessionId }) => ids.has(id) || sessions.has(sessionId),
  );
  return { sessions: eviction.sessions, checkpoints, operations: eviction.operations };
}

/** Sums up rounds. */
class Pruned {
  rounds = 0;
  readonly #sessions: string[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  readonly #operations: OperationId[] = [];
  #changes = 0;
  #blobs = 0;

  add({ sessions, checkpoints, operations }: Named, { changes, blobs }: PruneResult): void {
    this.rounds += 1;
    this.#sessions.push(...sessions);
    this.#checkpoints.push(...checkpoints);
    this.#operations.push(...operations);
    this.#changes += changes;
    this.#blobs += blobs;
  }

  report(): Omit<PrunePlan, 'upToBytes'> {
    return {
      sessions: this.#sessions,
      checkpoints: this.#checkpoints,
      operations: this.#operations,
      changes: this.#changes,
      blobs: this.#blobs,
    };
  }
}
