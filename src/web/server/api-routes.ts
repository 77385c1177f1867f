import { type Context, Hono } from 'hono';
import {
  type BlobId,
  CHECKPOINT_KINDS,
  type CheckpointId,
  type LineCount,
  type RetentionRules,
  type Savepoint,
} from '../../index.ts';
import {
  accepts,
  BOOLEAN,
  COUNT,
  exact,
  ID,
  integer,
  type Kind,
  listOf,
  oneOf,
  optional,
  TEXT,
} from '../../model/check.ts';
import { type LinesAnswer, MAX_BLOB_BYTES, type ProjectsAnswer } from '../api.ts';
import type { Access } from './access.ts';
import { changeAnswer, checkpointAnswer, diffAnswer } from './checkpoint-answer.ts';
import {
  executionAnswer,
  executionsAnswer,
  forkAnswer,
  type NamedExecution,
  resumeAnswer,
  stateAnswer,
} from './executions-answer.ts';
import { fileAnswer, whyAnswer } from './file-answer.ts';
import { Live } from './live.ts';
import { PLAN_REQUEST } from './plan-requests.ts';
import { Plans } from './plans.ts';
import type { Projects, ProjectsOptions } from './projects.ts';
import {
  type Asked,
  bodyOf,
  numberOf,
  part,
  pathIn,
  placeIn,
  requiredPath,
  timeOf,
  wordOf,
  wordsOf,
} from './request.ts';
import { IMAGE_TYPES } from './sides.ts';
import { fsckAnswer, pruneAnswer, type ShownSettings, storeAnswer } from './store-answer.ts';
import { DEFAULT_LIMIT, MOST_POINTS, timelineAnswer } from './timeline-answer.ts';
import { errorAnswer, WebError } from './web-error.ts';

export interface ApiOptions extends ProjectsOptions {
  readonly version: string;
  /** The id of the project that the person stands in; null for none. */
  readonly here: string | null;
  readonly settingsOf: (root: string) => ShownSettings;
  /** What is kept for how long; left out: the defaults. */
  readonly retentionOf?: (root: string) => Partial<RetentionRules>;
  readonly now?: () => number;
  readonly onError?: (error: unknown) => void;
}

export interface Api {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly live: Live;
  isWriting(): boolean;
  /** Begins nothing new, ends the streams, and resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

const SMALL = 64 * 1024;
/** A plan may come with whole files that a person has edited. */
const LARGE = 16 * 1024 * 1024;
const MOST_AT_ONCE = 64;

/** All addresses below `/api`. Whoever asks was checked by the guard; here the key is. */
export function makeApi(projects: Projects, access: Access, options: ApiOptions): Api {
  const app = new Hono();
  const plans = new Plans(options.now);
  const live = new Live(projects);
  const lines = new Map<string, Map<CheckpointId, LineCount>>();
  const writes = new Set<Promise<unknown>>();
  let atWork = 0;
  let isEnding = false;

  const inProject = async (
    c: Context,
    work: (asked: Asked) => Promise<object>,
  ): Promise<Response> => {
    const project = part(c, 'p');
    return c.json(await projects.use(project, (savepoint) => work({ c, project, savepoint })));
  };
  /** Answers a question about a project, which is open meanwhile. */
  const get = (address: string, work: (asked: Asked) => Promise<object>): void => {
    app.get(`/api/projects/:p/${address}`, (c) => inProject(c, work));
  };
  /** The same for a question with a body. */
  const post = <T>(address: string, kind: Kind<T>, work: Work<T>): void => {
    app.post(`/api/projects/:p/${address}`, async (c) => {
      const body = await bodyOf(c, kind, SMALL);
      return inProject(c, (asked) => work(asked, body));
    });
  };
  /** As `post`, for work that must not be cut in half when the server ends. */
  const write = <T>(address: string, kind: Kind<T>, work: Work<T>, limit: number = SMALL): void => {
    app.post(`/api/projects/:p/${address}`, async (c) => {
      const body = await bodyOf(c, kind, limit);
      const done = inProject(c, (asked) => work(asked, body));
      writes.add(done);
      return done.finally(() => writes.delete(done));
    });
  };

  app.use(async (c, next) => {
    if (c.req.path !== '/api/key') access.check(c.req.header('x-savepoint-key'));
    if (isEnding) throw new WebError(503, 'busy', 'the server is about to end');
    if (atWork >= MOST_AT_ONCE) throw new WebError(503, 'busy', 'too many requests at once');
    atWork += 1;
    try {
      await next();
    } finally {
      atWork -= 1;
    }
  });

  app.onError((error, c) => {
    const { status, body } = errorAnswer(error);
    if (body.error.code === 'unexpected') options.onError?.(error);
    return c.json(body, status);
  });
  app.notFound(() => {
    throw new WebError(404, 'not-found', 'there is no such address');
  });

  app.post('/api/key', async (c) => {
    const { token } = await bodyOf(c, exact({ token: TEXT }), SMALL);
    return c.json({ key: access.redeem(token) });
  });

  app.get('/api/projects', async (c) => {
    const { home, version, here } = options;
    const answer: ProjectsAnswer = { home, version, here, projects: await projects.list() };
    return c.json(answer);
  });

  get('timeline', ({ c, savepoint, project }) => {
    const kinds = wordsOf(c, 'kind');
    if (!accepts(optional(listOf(oneOf(...CHECKPOINT_KINDS))), kinds)) {
      throw new WebError(400, 'request-invalid', 'there is no such kind');
    }
    const request = {
      limit: Math.max(1, numberOf(c, 'limit', MOST_POINTS) ?? DEFAULT_LIMIT),
      lookAt: MOST_POINTS,
      before: numberOf(c, 'before'),
      text: wordOf(c, 'text'),
      path: pathIn(c, 'path'),
      agents: wordsOf(c, 'agent'),
      sessions: wordsOf(c, 'session'),
      since: timeOf(c, 'since'),
      until: timeOf(c, 'until'),
      kinds,
    };
    return timelineAnswer(savepoint, request, lines.get(project) ?? new Map());
  });
  post('lines', exact({ ids: listOf(ID) }), async ({ savepoint, project }, { ids }) => {
    if (ids.length > MOST_LINES) throw new WebError(400, 'request-invalid', 'too many ids');
    const known = lines.get(project) ?? new Map<CheckpointId, LineCount>();
    lines.set(project, known);
    return countedLines(savepoint, ids as CheckpointId[], known);
  });
  get('checkpoints/:ref', ({ c, savepoint }) => checkpointAnswer(savepoint, part(c, 'ref')));
  get('checkpoints/:ref/diff', ({ c, savepoint }) =>
    diffAnswer(savepoint, part(c, 'ref'), { path: requiredPath(c), from: pathIn(c, 'from') }),
  );
  get('changes/:seq/diff', ({ c, savepoint }) =>
    changeAnswer(savepoint, requiredPath(c), placeIn(c, 'seq')),
  );
  app.get('/api/projects/:p/blobs/:blob', (c) => sendBlob(c, projects));

  write(
    'plans',
    PLAN_REQUEST,
    ({ project, savepoint }, request) => plans.make(project, savepoint, request),
    LARGE,
  );
  get('plans/:plan/lines/:index', ({ c, project, savepoint }) =>
    plans.line(project, savepoint, part(c, 'plan'), placeIn(c, 'index')),
  );
  write('plans/:plan/apply', APPLY_REQUEST, ({ c, project, savepoint }, request) =>
    plans.apply(project, savepoint, part(c, 'plan'), request),
  );

  get('file', ({ c, savepoint }) => fileAnswer(savepoint, requiredPath(c)));
  get('why', ({ c, savepoint }) => whyAnswer(savepoint, requiredPath(c)));

  get('executions', ({ savepoint }) => executionsAnswer(savepoint));
  get(EXECUTION, ({ c, savepoint }) => executionAnswer(savepoint, executionIn(c)));
  get(`${EXECUTION}/state`, ({ c, savepoint }) =>
    stateAnswer(savepoint, executionIn(c), numberOf(c, 'step') ?? 0),
  );
  write(
    `${EXECUTION}/resume`,
    exact({ dryRun: optional(BOOLEAN) }),
    ({ c, savepoint }, { dryRun = false }) => resumeAnswer(savepoint, executionIn(c), dryRun),
  );
  write(`${EXECUTION}/fork`, exact({ id: ID, step: integer(-1) }), ({ c, savepoint }, request) =>
    forkAnswer(savepoint, executionIn(c), request),
  );

  get('store', ({ savepoint }) => storeAnswer(savepoint, options.settingsOf(savepoint.root)));
  post('prune', PRUNE_REQUEST, ({ savepoint }, request) =>
    pruneAnswer(savepoint, request, options.retentionOf?.(savepoint.root)),
  );
  // Not through an open project: a damaged store cannot be opened.
  app.post('/api/projects/:p/fsck', async (c) => {
    await bodyOf(c, exact({}), SMALL);
    return c.json(await fsckAnswer(projects.storeFolder(part(c, 'p'))));
  });

  app.get('/api/projects/:p/events', async (c) => {
    const stream = await live.stream(part(c, 'p'), numberOf(c, 'since'), c.req.raw.signal);
    return c.body(stream, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  });

  const stop = async (): Promise<void> => {
    isEnding = true;
    live.stop();
    while (writes.size > 0) await Promise.allSettled(writes);
  };
  return { fetch: (request) => app.fetch(request), live, isWriting: () => writes.size > 0, stop };
}

type Work<T> = (asked: Asked, body: T) => Promise<object>;

const EXECUTION = 'executions/:kind/:id';
const APPLY_REQUEST = exact({ digest: TEXT, acceptEffects: optional(BOOLEAN) });
const PRUNE_REQUEST = exact({
  olderThanDays: optional(COUNT),
  keep: optional(COUNT),
  maxBytes: optional(COUNT),
  sessionId: optional(ID),
});

function executionIn(c: Context): NamedExecution {
  const kind = part(c, 'kind');
  if (kind === 'steps' || kind === 'checkpoints') return { kind, id: part(c, 'id') };
  throw new WebError(404, 'not-found', 'there is no such kind of execution');
}

const MOST_LINES = 500;
const LINES_BUDGET = { reads: 4000, bytes: 64 * 1024 * 1024 };

/** Counts those that are not known yet. The newest of a session may still change, so it is counted each time. */
async function countedLines(
  savepoint: Savepoint,
  ids: readonly CheckpointId[],
  known: Map<CheckpointId, LineCount>,
): Promise<LinesAnswer> {
  const missing = ids.filter((id) => !known.has(id));
  const counted = await savepoint.countLines(missing, LINES_BUDGET);
  const listed = await savepoint.list({ ids: missing });
  const active = new Map((await savepoint.sessions()).map((one) => [one.id, one.lastActiveAt]));
  const settledBefore = Date.now() - SETTLED_MS;
  for (const { id, sessionId } of listed) {
    const count = counted.get(id);
    const isSettled = (active.get(sessionId ?? '') ?? 0) < settledBefore;
    if (count !== undefined && isSettled) known.set(id, count);
  }
  const all = ids.flatMap((id): [string, LineCount][] => {
    const count = known.get(id) ?? counted.get(id);
    return count === undefined ? [] : [[id, count]];
  });
  return { lines: Object.fromEntries(all) };
}

const SETTLED_MS = 60_000;
const BLOB_ID = /^[0-9a-f]{64}$/;

/** Bytes by their id. Whatever they are, a browser that opens them runs nothing of them. */
async function sendBlob(c: Context, projects: Projects): Promise<Response> {
  const blob = part(c, 'blob');
  if (!BLOB_ID.test(blob)) throw new WebError(404, 'not-found', 'this is not the id of a content');
  const type = wordOf(c, 'type') ?? '';
  const bytes = await projects.use(part(c, 'p'), (savepoint) => savepoint.readBlob(blob as BlobId));
  if (bytes.length > MAX_BLOB_BYTES) {
    throw new WebError(413, 'content-too-large', 'the content is too large to be shown');
  }
  return c.body(new Uint8Array(bytes), 200, {
    'content-type': IMAGE_TYPES.includes(type) ? type : 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-length': String(bytes.length),
  });
}
