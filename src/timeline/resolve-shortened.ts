import { type ErrorCode, SavepointError } from '../model/errors.ts';
import type { OperationId } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';

/** How many candidates an error lists. */
const CANDIDATES = 10;

/** Finds a session by its id or the beginning of it. */
export async function resolveSession(store: Store, ref: string): Promise<Session> {
  const exact = await store.session(ref);
  return exact ?? onlyOne('session', await store.sessions(), ref, (session) => session.agent);
}

/** Finds an operation by its id or the beginning of it. */
export async function resolveOperation(store: Store, ref: string): Promise<Operation> {
  const exact = await store.operation(ref as OperationId);
  const describe = (operation: Operation) => operation.description;
  return exact ?? onlyOne('operation', await store.operations(), ref, describe);
}

function onlyOne<Row extends { readonly id: string; readonly createdAt: number }>(
  what: 'session' | 'operation',
  rows: readonly Row[],
  ref: string,
  describe: (row: Row) => string,
): Row {
  const candidates = ref === '' ? [] : rows.filter(({ id }) => id.startsWith(ref));
  const [first] = candidates;
  if (first !== undefined && candidates.length === 1) return first;
  const shown = ref.slice(0, 100);
  const [code, message]: [ErrorCode, string] =
    first === undefined
      ? [`${what}-not-found`, `no ${what} "${shown}"`]
      : [`${what}-ambiguous`, `"${shown}" fits several ${what}s`];
  throw new SavepointError(code, message, {
    hint: first === undefined ? undefined : 'type more characters of the id',
    details: candidates.slice(0, CANDIDATES).map((row) => {
      return { id: row.id, description: describe(row), label: null, createdAt: row.createdAt };
    }),
  });
}
