import type { Change } from '../model/change.ts';
import type { BlobId, Seq } from '../model/ids.ts';
import { joins, type State } from '../model/state.ts';
import { isLabel } from '../timeline/labels.ts';
import { blobsIn, type History } from './history.ts';
import { invalid } from './requests.ts';

/** The blobs that came with a history. */
export interface FoundBlobs {
  readonly sizes: ReadonlyMap<BlobId, number>;
  /** The blobs that can be the target of a link. */
  readonly targets: ReadonlySet<BlobId>;
}

/** Refuses a history whose rows contradict each other. Each row by itself was checked when it was read. */
export function checkHistory(history: History, blobs: FoundBlobs): void {
  if (history.sessions.length + history.checkpoints.length === 0) throw invalid('it holds nothing');
  checkNumbers(history);
  checkSessions(history);
  checkReferences(history);
  checkLabels(history);
  checkAuthors(history);
  checkChains(history.changes);
  checkCancellations(history);
  checkBlobs(history, blobs);
}

function checkNumbers({ checkpoints, changes, operations }: History): void {
  const numbers = new Set<Seq>();
  for (const rows of [checkpoints, changes, operations]) {
    for (const [at, { seq }] of rows.entries()) {
      if (seq <= (rows[at - 1]?.seq ?? 0)) throw invalid('its rows are not in order');
      if (numbers.has(seq)) throw invalid('a number comes twice');
      numbers.add(seq);
    }
  }
  for (let seq = 1; seq <= numbers.size; seq += 1) {
    if (!numbers.has(seq)) throw invalid('its rows are not numbered one after the other');
  }
}

/** A family has one root, which is its own root: parents never form a circle. */
function checkSessions({ sessions }: History): void {
  const byId = uniqueBy(sessions, ({ id }) => id, 'session');
  for (const { id, rootId } of sessions) {
    const root = byId.get(rootId);
    if (root !== undefined && root.rootId !== root.id) {
      throw invalid(`the session "${id}" has a root that is not a root itself`);
    }
  }
}

function checkReferences({ sessions, checkpoints, changes, operations }: History): void {
  const sessionIds = new Set(sessions.map(({ id }) => id));
  const checkpointAt = placesOf(checkpoints, 'checkpoint');
  const operationAt = placesOf(operations, 'operation');
  for (const { sessionId } of [...checkpoints, ...changes]) {
    if (sessionId !== null && !sessionIds.has(sessionId)) throw invalid('a session is missing');
  }
  const before = (places: ReadonlyMap<string, Seq>, id: string | null, seq: Seq): void => {
    if (id !== null && (places.get(id) ?? seq) >= seq) {
      throw invalid('a row names another one that is missing or comes later');
    }
  };
  for (const { seq, checkpointId, coAuthors, operationId } of changes) {
    before(checkpointAt, checkpointId, seq);
    for (const other of coAuthors ?? []) before(checkpointAt, other.checkpointId, seq);
    before(operationAt, operationId, seq);
  }
  for (const { seq, checkpointId, reverts, safetyCheckpointId } of operations) {
    before(checkpointAt, checkpointId, seq);
    before(checkpointAt, safetyCheckpointId, seq);
    before(operationAt, reverts, seq);
  }
}

/** A label names one checkpoint, in the form that labels have everywhere. */
function checkLabels({ checkpoints }: History): void {
  const labelled = checkpoints.filter(({ label }) => label !== null);
  uniqueBy(labelled, ({ label }) => label ?? '', 'label');
  if (!labelled.every(({ label }) => isLabel(label ?? ''))) throw invalid('a label is not one');
}

/** A rewind to a checkpoint of a session takes back its changes, and not another's. */
function checkAuthors({ checkpoints, changes }: History): void {
  const sessionOf = new Map(checkpoints.map(({ id, sessionId }) => [id, sessionId]));
  for (const { path, sessionId, checkpointId, coAuthors, origin } of changes) {
    const owner = checkpointId === null ? null : (sessionOf.get(checkpointId) ?? null);
    if (owner !== null && sessionId !== null && owner !== sessionId) {
      throw invalid('a change belongs to another session than its checkpoint', { path });
    }
    if (coAuthors === null) continue;
    const ids = new Set([checkpointId, ...coAuthors.map((one) => one.checkpointId)]);
    const areThere = coAuthors.every((one) => sessionOf.get(one.checkpointId) === one.sessionId);
    const isAgents = origin === 'tool' || origin === 'shell';
    if (!isAgents || !areThere || ids.size !== coAuthors.length + 1 || coAuthors.length === 0) {
      throw invalid('the other authors of a change do not fit it', { path });
    }
  }
}

/** The chain of a path is unbroken: nothing is restored over what nobody has recorded. */
function checkChains(changes: History['changes']): void {
  const last = new Map<string, State>();
  for (const { path, before, after, origin, sessionId, operationId } of changes) {
    const previous = last.get(path);
    if (previous !== undefined && !joins(previous, before)) {
      throw invalid('a change does not begin where the one before it ended', { path });
    }
    const isNobodys = origin === 'outside' || origin === 'operation';
    const isForged = operationId !== null && origin !== 'operation';
    if (isForged || (isNobodys && sessionId !== null)) {
      throw invalid('the author of a change does not fit its origin', { path });
    }
    last.set(path, after);
  }
}

function checkCancellations({ changes, cancellations }: History): void {
  const bySeq = new Map<Seq, Change>(changes.map((change) => [change.seq, change]));
  uniqueBy(cancellations, ({ by, change }) => `${by} ${change}`, 'cancellation');
  for (const { by, change } of cancellations) {
    const canceller = bySeq.get(by);
    const fits = canceller?.origin === 'operation' && by > change;
    if (!fits || canceller.path !== bySeq.get(change)?.path) {
      throw invalid('a change is cancelled by one that cannot cancel it');
    }
  }
}

function checkBlobs({ changes }: History, { sizes, targets }: FoundBlobs): void {
  const states = changes.flatMap(({ before, after }) => [before, after]);
  for (const state of states) {
    if (state.kind !== 'captured' || state.blob === null) continue;
    if (sizes.get(state.blob) !== state.size) {
      throw invalid('the content of a file is missing, or of another size');
    }
    if (state.type === 'symlink' && !targets.has(state.blob)) {
      throw invalid('the target of a link is empty, too long or holds NUL');
    }
  }
  if (blobsIn(states).size !== sizes.size) throw invalid('it holds content that no row names');
}

function placesOf(
  rows: readonly { readonly id: string; readonly seq: Seq }[],
  what: string,
): Map<string, Seq> {
  return new Map([...uniqueBy(rows, ({ id }) => id, what)].map(([id, { seq }]) => [id, seq]));
}

function uniqueBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  what: string,
): Map<string, Row> {
  const unique = new Map(rows.map((row) => [keyOf(row), row]));
  if (unique.size !== rows.length) throw invalid(`a ${what} comes twice`);
  return unique;
}
