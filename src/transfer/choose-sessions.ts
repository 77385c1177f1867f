import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';
import type { ExportRequest } from './requests.ts';

/** The sessions to export, with their families; null for all, and what belongs to no session. */
export async function chooseSessions(
  store: Store,
  { sessionId, all = false }: ExportRequest,
): Promise<readonly Session[] | null> {
  if (all) return null;
  const sessions = await store.sessions();
  const { rootId } = sessionId === undefined ? newest(sessions) : named(sessions, sessionId);
  return sessions.filter((session) => session.rootId === rootId);
}

function newest([first]: readonly Session[]): Session {
  if (first !== undefined) return first;
  throw new SavepointError('session-not-found', 'there is no session on record', {
    hint: 'checkpoints that belong to no session are exported with all',
  });
}

function named(sessions: readonly Session[], text: string): Session {
  const exact = sessions.find(({ id }) => id === text);
  const [only, ...more] =
    exact === undefined ? sessions.filter((one) => begins(one, text)) : [exact];
  if (only !== undefined && more.length === 0) return only;
  const found = only === undefined ? 'no session has' : 'several sessions have';
  throw new SavepointError('session-not-found', `${found} the id "${text.slice(0, 100)}"`, {
    hint: 'list the sessions with: savepoint sessions',
  });
}

function begins({ id }: Session, text: string): boolean {
  return text !== '' && id.startsWith(text);
}
