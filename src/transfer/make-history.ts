import { outsider } from '../capture/chain.ts';
import type { Cancellation, Change } from '../model/change.ts';
import type { Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins, type State } from '../model/state.ts';
import type { Collected } from './collect.ts';
import type { EndedChange, History } from './history.ts';

export interface HistoryContext {
  readonly cancellations: readonly Cancellation[];
  /** Where an open change ends: with what is there now. */
  readonly endOf: (path: TrackedPath) => State;
  /** A state as it can be moved: one whose bytes are lost becomes unknown. */
  readonly moved: (state: State) => State;
}

/** Makes collected rows a history of their own: closed, numbered anew, without loose ends. */
export function makeHistory(collected: Collected, context: HistoryContext): History {
  const changes = linked(collected.changes.map((change) => ended(change, context)));
  const { sessions, checkpoints, operations } = collected;
  const number = numbering([checkpoints, changes, operations]);
  const known = new Known(collected);
  const numbers = new Set(changes.map(({ seq }) => seq));
  return {
    sessions,
    checkpoints: checkpoints.map((row) => ({
      ...row,
      seq: number(row.seq),
      sessionId: known.session(row.sessionId),
    })),
    changes: changes.map((row) => ({
      ...row,
      seq: number(row.seq),
      sessionId: known.session(row.sessionId),
      checkpointId: known.checkpoint(row.checkpointId),
      operationId: known.operation(row.operationId),
      owner: null,
    })),
    operations: operations.map((row) => ({
      ...row,
      seq: number(row.seq),
      checkpointId: known.checkpoint(row.checkpointId),
      reverts: known.operation(row.reverts),
    })),
    cancellations: context.cancellations
      .filter(({ by, change }) => numbers.has(by) && numbers.has(change))
      .map(({ by, change }) => ({ by: number(by), change: number(change) })),
  };
}

function ended(change: Change, { endOf, moved }: HistoryContext): EndedChange {
  const after = change.after ?? endOf(change.path);
  return { ...change, before: moved(change.before), after: moved(after) };
}

/** Retention drops changes out of the middle of chains; what is left is tied together. */
function linked(changes: readonly EndedChange[]): EndedChange[] {
  const last = new Map<TrackedPath, State>();
  return changes.flatMap((change) => {
    const { path, before, after, seq, createdAt } = change;
    const previous = last.get(path);
    last.set(path, after);
    if (previous === undefined || joins(previous, before)) return [change];
    // Half a number before it: the numbers are given anew afterwards.
    const link = { ...outsider(createdAt), seq: seq - 0.5, path, before: previous, after: before };
    return [link, change];
  });
}

function numbering(lists: readonly (readonly { readonly seq: Seq }[])[]): (seq: Seq) => Seq {
  const order = lists.flatMap((rows) => rows.map(({ seq }) => seq)).sort((a, b) => a - b);
  const places = new Map(order.map((seq, at) => [seq, at + 1]));
  return (seq) => places.get(seq) ?? 0;
}

/** What a row may name: nothing that stays behind. */
class Known {
  readonly #sessions: ReadonlySet<string>;
  readonly #checkpoints: ReadonlySet<string>;
  readonly #operations: ReadonlySet<string>;

  constructor({ sessions, checkpoints, operations }: Collected) {
    this.#sessions = new Set(sessions.map(({ id }) => id));
    this.#checkpoints = new Set(checkpoints.map(({ id }) => id));
    this.#operations = new Set(operations.map(({ id }) => id));
  }

  session<Id extends string>(id: Id | null): Id | null {
    return id !== null && this.#sessions.has(id) ? id : null;
  }

  checkpoint<Id extends string>(id: Id | null): Id | null {
    return id !== null && this.#checkpoints.has(id) ? id : null;
  }

  operation<Id extends string>(id: Id | null): Id | null {
    return id !== null && this.#operations.has(id) ? id : null;
  }
}
