import { PathNames } from '../../cli/json.ts';
import { timeJson } from '../../cli/json-shapes.ts';
import {
  type BlobId,
  type Change,
  checkStoreIn,
  type RetentionRules,
  type Savepoint,
} from '../../index.ts';
import type { FsckAnswer, PruneAnswer, PruneRequest, SettingJson, StoreAnswer } from '../api.ts';

/** The settings that count for a project, with their origin, and what is wrong with them. */
export interface ShownSettings {
  readonly settings: readonly SettingJson[];
  readonly problems: readonly string[];
}

/** What the store of a project takes up, by sessions. */
export async function storeAnswer(
  savepoint: Savepoint,
  { settings, problems }: ShownSettings,
): Promise<StoreAnswer> {
  const summaries = await savepoint.summarize(await savepoint.sessions());
  const sizes = contentBytes(await savepoint.changes({}));
  const sessions = summaries.map(({ id, agent, lastActiveAt: at, checkpoints, files }) => {
    const lastActiveAt = timeJson(at);
    return { id, agent, lastActiveAt, checkpoints, files, contentBytes: sizes.get(id) ?? 0 };
  });
  return {
    diskBytes: await savepoint.diskBytes(),
    stats: await savepoint.stats(),
    sessions: sessions.sort((a, b) => b.contentBytes - a.contentBytes),
    settings,
    problems,
  };
}

/** The contents that each session brought; each counts once for it. */
function contentBytes(changes: readonly Change[]): Map<string, number> {
  const seen = new Map<string, Set<BlobId>>();
  const bytes = new Map<string, number>();
  for (const { sessionId, after } of changes) {
    if (sessionId === null || after?.kind !== 'captured' || after.blob === null) continue;
    const own = seen.get(sessionId) ?? new Set();
    if (own.has(after.blob)) continue;
    seen.set(sessionId, own.add(after.blob));
    bytes.set(sessionId, (bytes.get(sessionId) ?? 0) + after.size);
  }
  return bytes;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a prune would remove. Removes nothing. */
export async function pruneAnswer(
  savepoint: Savepoint,
  { olderThanDays, keep, maxBytes, sessionId }: PruneRequest,
  rules?: Partial<RetentionRules>,
): Promise<PruneAnswer> {
  const olderThanMs = olderThanDays === undefined ? undefined : olderThanDays * DAY_MS;
  const request = { olderThanMs, keep, maxBytes, sessionId };
  const isAsked = Object.values(request).some((value) => value !== undefined);
  const plan = await savepoint.planPrune(isAsked ? request : undefined, rules);
  return {
    ...plan,
    checkpoints: plan.checkpoints.length,
    operations: plan.operations.length,
    diskBytes: await savepoint.diskBytes(),
  };
}

/** `directory`: the folder of the store, which may be too damaged to say of which project it is. */
export async function fsckAnswer(directory: string): Promise<FsckAnswer> {
  const { readable, rows, blobs, problems } = await checkStoreIn(directory);
  const names = new PathNames();
  const named = problems.map(({ kind, message, file, paths, checkpoints }) => {
    return { kind, message, file, paths: paths.map((path) => names.name(path)), checkpoints };
  });
  return { readable, rows, blobs, problems: named, pathBytes: names.pathBytes };
}
