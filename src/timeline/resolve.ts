import type { Checkpoint, CheckpointKind } from '../model/checkpoint.ts';
import { type ErrorCode, SavepointError } from '../model/errors.ts';
import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import { findCheckpoint, findOperation, findSession } from '../store/find.ts';
import type { Store, StoreReader } from '../store/store.ts';

/** People do not count the safety checkpoints that rewinds make; those are named by their ids. */
export const COUNTED_KINDS: readonly CheckpointKind[] = ['message', 'step', 'manual'];

/** How many candidates an error lists. */
const CANDIDATES = 10;

/**
 * Finds a checkpoint by its id, its label, the id of its message, the beginning of its id, or as `latest`. The
 * id of an operation, or its beginning, means the checkpoint that was made before it. Each of these followed by
 * `~N` means the Nth before it; `~N` alone counts from the latest. What an import brought is no part of this
 * machine's timeline: only ids and labels reach it, and `~N` after one of those stays within that import.
 */
export async function resolveCheckpoint(store: Store, ref: string): Promise<Checkpoint> {
  const [, name = ref, back] = /^(.*?)~(\d{1,6})$/s.exec(ref) ?? [];
  const steps = Number(back ?? 0);
  if (name === 'latest' || (name === '' && back !== undefined)) return nth(store, steps, ref);
  const start = await named(store, name);
  return steps === 0 ? start : nth(store, steps - 1, ref, start);
}

/** The newest checkpoint after `skipped` others, of all or of those before `start`. */
async function nth(
  store: Store,
  skipped: number,
  ref: string,
  start?: Checkpoint,
): Promise<Checkpoint> {
  const older = start === undefined ? {} : { before: start.seq };
  const found = await store.timeline.checkpoints({
    ...older,
    kinds: COUNTED_KINDS,
    importedAt: start?.importedAt ?? null,
    limit: skipped + 1,
  });
  return found[skipped] ?? onlyOne('checkpoint', [], ref);
}

/** Whole ids first, so that no label can hide one; then labels, because people chose them. */
async function named(store: Store, name: string): Promise<Checkpoint> {
  const exact = await findCheckpoint(store, name as CheckpointId);
  if (exact !== null) return exact;
  const labelled = (await store.timeline.checkpoints({ labelled: true })).filter(
    ({ label }) => label === name,
  );
  if (labelled.length > 0) {
    return onlyOne('checkpoint', labelled, name, 'name one of them by its id');
  }
  if (name === '') return onlyOne('checkpoint', [], name);
  // Programs choose the ids of messages, so none of these may hide a checkpoint whose id begins like it.
  const fitting = [
    ...(await store.timeline.checkpoints({ messageId: name, limit: CANDIDATES })),
    ...(await store.timeline.checkpoints({ prefix: name, limit: CANDIDATES })),
  ];
  if (fitting.length === 0) return madeBefore(store, name);
  return onlyOne('checkpoint', [...new Map(fitting.map((one) => [one.id, one])).values()], name);
}

/** The safety checkpoint of an operation: a rewind to it goes back to before the operation. */
async function madeBefore(store: Store, name: string): Promise<Checkpoint> {
  const operations = startingWith(name, await store.timeline.operations());
  if (operations.length === 0) throw await notACheckpoint(store, name);
  const { id, safetyCheckpointId } = onlyOne('operation', operations, name);
  const kept = await findCheckpoint(store, safetyCheckpointId);
  if (kept !== null) return kept;
  const message = `what was there before the operation ${id} is no longer kept`;
  throw new SavepointError('checkpoint-not-found', message);
}

async function notACheckpoint(store: Store, name: string): Promise<SavepointError> {
  const [session] = startingWith(name, await store.timeline.sessions());
  if (session === undefined) return notFound('checkpoint', name);
  const message = `"${shortened(name)}" is a session, not a checkpoint: savepoint list --session lists its own`;
  return new SavepointError('checkpoint-not-found', message);
}

/** Finds a session by its id or the beginning of it. */
export async function resolveSession(store: StoreReader, ref: string): Promise<Session> {
  const exact = await findSession(store, ref);
  return exact ?? onlyOne('session', startingWith(ref, await store.timeline.sessions()), ref);
}

/** Finds an operation by its id, or by that of the checkpoint that was made before it, or their beginnings. */
export async function resolveOperation(store: Store, ref: string): Promise<Operation> {
  const exact = await findOperation(store, ref as OperationId);
  if (exact !== null) return exact;
  const operations = await store.timeline.operations();
  const fitting = startingWith(ref, operations);
  if (fitting.length > 0 || ref === '') return onlyOne('operation', fitting, ref);
  const before = operations.filter(({ safetyCheckpointId }) => safetyCheckpointId.startsWith(ref));
  return onlyOne('operation', before, ref);
}

function startingWith<Row extends { readonly id: string }>(
  ref: string,
  rows: readonly Row[],
): Row[] {
  return ref === '' ? [] : rows.filter(({ id }) => id.startsWith(ref));
}

interface Candidate {
  readonly id: string;
  readonly createdAt: number;
  readonly description?: string;
  readonly agent?: string;
  readonly label?: string | null;
}

function onlyOne<Row extends Candidate>(
  what: 'checkpoint' | 'session' | 'operation',
  candidates: readonly Row[],
  ref: string,
  hint = 'type more characters of the id',
): Row {
  const [first] = candidates;
  if (first === undefined) throw notFound(what, ref);
  if (candidates.length === 1) return first;
  const code: ErrorCode = `${what}-ambiguous`;
  throw new SavepointError(code, `"${shortened(ref)}" fits several ${what}s`, {
    hint,
    details: candidates
      .slice(0, CANDIDATES)
      .map(({ id, description, agent, label = null, createdAt }) => {
        return { id, description: description ?? agent, label, createdAt };
      }),
  });
}

function notFound(what: 'checkpoint' | 'session' | 'operation', ref: string): SavepointError {
  const code: ErrorCode = `${what}-not-found`;
  const hint = what === 'checkpoint' ? 'see what there is with: savepoint list' : undefined;
  return new SavepointError(code, `no ${what} "${shortened(ref)}"`, { hint });
}

function shortened(ref: string): string {
  return ref.slice(0, 100);
}

/** At least this many characters of an id are shown: the next checkpoint might begin with fewer. */
export const SHORTEST_ID = 4;

/** How many first characters of each id name it alone, among all ids and labels. */
export async function uniqueLengths(
  store: Store,
  ids: readonly CheckpointId[],
): Promise<Map<CheckpointId, number>> {
  const labels = new Set(
    (await store.timeline.checkpoints({ labelled: true })).map(({ label }) => label),
  );
  const beside = (await store.timeline.checkpoints({ beside: ids })).map(({ id }) => id);
  const sorted = [...new Set([...ids, ...beside])].sort();
  const places = new Map(sorted.map((id, at) => [id, at]));
  const othersOf = (id: CheckpointId): CheckpointId[] => {
    const at = places.get(id) ?? 0;
    return [sorted[at - 1], sorted[at + 1]].filter((other) => other !== undefined);
  };
  return new Map(ids.map((id) => [id, uniqueLength(id, othersOf(id), labels)]));
}

function uniqueLength(
  id: CheckpointId,
  others: readonly string[],
  labels: ReadonlySet<string | null>,
): number {
  for (let length = SHORTEST_ID; length < id.length; length += 1) {
    const short = id.slice(0, length);
    if (!labels.has(short) && !others.some((other) => other.startsWith(short))) return length;
  }
  return id.length;
}
