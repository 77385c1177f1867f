import { gitHead } from '../capture/git/find-repository.ts';
import { clipText } from '../model/check.ts';
import {
  type Checkpoint,
  type CheckpointKind,
  type Conversation,
  type Coverage,
  makeCheckpoint,
} from '../model/checkpoint.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import type { CheckpointQuery, Store, StoreReader } from '../store/store.ts';
import { newCheckpointId } from './new-id.ts';
import { COUNTED_KINDS } from './resolve.ts';
import { type TakenBack, workUnder } from './work.ts';

export interface NewCheckpoint {
  readonly kind: CheckpointKind;
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly description: string;
  readonly label: string | null;
  readonly coverage: Coverage;
  readonly conversation?: Conversation;
}

export function addCheckpoint(
  draft: Draft,
  projectRoot: string,
  made: NewCheckpoint,
  now: number,
): Checkpoint {
  const checkpoint = makeCheckpoint({
    ...made,
    id: newCheckpointId(),
    seq: draft.nextSeq(),
    createdAt: now,
    gitHead: gitHead(projectRoot),
  });
  draft.checkpoints.push(checkpoint);
  return checkpoint;
}

/** The checkpoint of a user's message, made when the message is first mentioned. */
export async function messageCheckpoint(
  draft: Draft,
  store: Store,
  projectRoot: string,
  message: {
    readonly sessionId: string;
    readonly messageId: string;
    readonly description?: string | undefined;
    readonly coverage: Coverage;
    readonly conversation?: Conversation | undefined;
  },
  now: number,
): Promise<Checkpoint> {
  const { sessionId, messageId, coverage, conversation } = message;
  const known = await findMessage(store, sessionId, messageId);
  if (known !== null) {
    if (conversation === undefined || known.conversation !== null) return known;
    const told = { ...known, conversation };
    draft.checkpoints.push(told);
    return told;
  }
  const description = clipText(message.description ?? `message ${messageId}`);
  const made = {
    kind: 'message',
    sessionId,
    messageId,
    description,
    label: null,
    coverage,
    ...(conversation && { conversation }),
  } as const;
  return addCheckpoint(draft, projectRoot, made, now);
}

/** The checkpoint of a user's message; null where it was never mentioned. */
export async function findMessage(
  store: Store,
  sessionId: string,
  messageId: string,
): Promise<Checkpoint | null> {
  const query = { sessionIds: [sessionId], messageId, limit: 1 };
  return (await store.timeline.checkpoints(query))[0] ?? null;
}

/** A checkpoint as a list shows it. */
export interface ListedCheckpoint extends Checkpoint {
  readonly agent: string | null;
  /** How many files changed under it. A tool call that was refused or failed changes none. */
  readonly files: number;
  /** How many folders were made or removed under it. */
  readonly folders: number;
  readonly takenBack: TakenBack;
}

/** Newest first. */
export async function listCheckpoints(
  store: Store,
  query: CheckpointQuery,
): Promise<ListedCheckpoint[]> {
  const checkpoints = await store.timeline.checkpoints(query);
  const work = await workUnder(store, checkpoints);
  const sessions = await sessionsOf(store, checkpoints);
  return checkpoints.map((checkpoint) => {
    const { files = 0, folders = 0, takenBack = 'no' } = work.get(checkpoint.id) ?? {};
    const agent = sessions.get(checkpoint.sessionId ?? '')?.agent ?? null;
    return { ...checkpoint, agent, files, folders, takenBack };
  });
}

// Up to this number it is quicker to ask for each session than to read all of them.
const FEW = 100;

async function sessionsOf(
  store: Store,
  checkpoints: readonly Checkpoint[],
): Promise<Map<string, Session>> {
  const ids = new Set(checkpoints.flatMap(({ sessionId }) => sessionId ?? []));
  const found =
    ids.size > FEW
      ? await store.timeline.sessions()
      : await Promise.all([...ids].map((id) => findSession(store, id)));
  return new Map(found.flatMap((session) => (session === null ? [] : [[session.id, session]])));
}

// They nearly always answer the question. If they do not, all others are read at once, which is quicker than in
// pages.
const NEWEST = 50;

/**
 * Where the files stand: the newest checkpoint whose work is in them, wholly or partly. Null where there is
 * none, because all work is taken back. A checkpoint under which nothing changed counts as well, unless work
 * that was done before it was taken back after it: the files were others then. What an import brought never
 * counts: it did not happen here.
 */
export async function currentPlace(store: Store): Promise<CheckpointId | null> {
  const made = { kinds: COUNTED_KINDS, importedAt: null };
  const newest = await store.timeline.checkpoints({ ...made, limit: NEWEST });
  const [first] = newest;
  const [operation] = await store.timeline.operations({ limit: 1 });
  if (first === undefined) return null;
  // Nothing was taken back since it was made.
  if (operation === undefined || operation.seq < first.seq) return first.id;
  let idle: Checkpoint | null = null;
  for (let checkpoints = newest; checkpoints.length > 0; ) {
    const work = await workUnder(store, checkpoints);
    for (const checkpoint of checkpoints) {
      const { takenBack, takenBackAt } = work.get(checkpoint.id) ?? {};
      if (takenBack === undefined) idle ??= checkpoint;
      else if (takenBack !== 'yes') return (idle ?? checkpoint).id;
      else if (idle !== null && idle.seq < (takenBackAt ?? 0)) idle = null;
    }
    const before = checkpoints.at(-1)?.seq ?? 0;
    checkpoints = await store.timeline.checkpoints({ ...made, before });
  }
  return idle?.id ?? null;
}

/** Those of the sessions that an import brought, and that nobody went on with here. */
export async function importedSessions(
  store: StoreReader,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  const checkpoints = await store.timeline.checkpoints({ sessionIds });
  const isImported = ({ importedAt }: Checkpoint): boolean => importedAt !== null;
  const bySession = Map.groupBy(checkpoints, ({ sessionId }) => sessionId ?? '');
  return new Set([...bySession].filter(([, own]) => own.every(isImported)).map(([id]) => id));
}
