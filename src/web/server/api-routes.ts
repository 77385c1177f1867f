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
  listOf,
  oneOf,
  optional,
  TEXT,
} from '../../model/check.ts';
import { IMAGE_TYPES, type LinesAnswer, type ProjectsAnswer } from '../api.ts';
import type { Access } from './access.ts';
import { checkpointAnswer, diffAnswer } from './checkpoint-answer.ts';
import {
  executionAnswer,
  executionsAnswer,
  forkAnswer,
  type NamedExecution,
  resumeAnswer,
  stateAnswer,
} from './executions-answer.ts';
import { fileAnswer, whyAnswer } from './file-answer.ts';
import { ANSWER_HEADERS } from './guard.ts';
import { Live } from './live.ts';
import { PLAN_REQUEST } from './plan-requests.ts';
import { Plans, StalePlan } from './plans.ts';
import type { Projects, ProjectsOptions } from './projects.ts';
import {
  bodyOf,
  namedPath,
  numberOf,
  pathIn,
  requiredPath,
  timeOf,
  wordOf,
  wordsOf,
} from './request.ts';
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
const MOST_BLOB_BYTES = 16 * 1024 * 1024;

/** All addresses below `/api`. Whoever asks was checked by the guard; here the key is. */
export function makeApi(projects: Projects, access: Access, options: ApiOptions): Api {
  const app = new Hono();
  const plans = new Plans(options.now);
  const live = new Live(projects);
  const lines = new Map<string, Map<CheckpointId, LineCount>>();
  const writes = new Set<Promise<unknown>>();
  let atWork = 0;
  let isEnding = false;

  const inProject = <T extends object>(
    c: Context,
    work: (savepoint: Savepoint, id: string) => Promise<T>,
  ): Promise<Response> => {
    const id = c.req.param('p') ?? '';
    return projects.use(id, (savepoint) => work(savepoint, id)).then((answer) => c.json(answer));
  };
  /** As `inProject`, for work that must not be cut in half when the server ends. */
  const writing = <T extends object>(
    c: Context,
    work: (savepoint: Savepoint, id: string) => Promise<T>,
  ): Promise<Response> => {
    const done = inProject(c, work);
    writes.add(done);
    return done.finally(() => writes.delete(done));
  };

  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) c.header(name, value);
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
    const reason = error instanceof StalePlan ? error.reason : error;
    const { status, body } = errorAnswer(reason);
    if (body.error.code === 'unexpected') options.onError?.(reason);
    const plan = error instanceof StalePlan && error.plan !== null ? { plan: error.plan } : {};
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) c.header(name, value);
    return c.json({ ...body, ...plan }, status);
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

  app.get('/api/projects/:p/timeline', (c) =>
    inProject(c, (savepoint, id) => {
      const kinds = wordsOf(c, 'kind');
      if (!accepts(optional(listOf(oneOf(...CHECKPOINT_KINDS))), kinds)) {
        throw new WebError(400, 'request-invalid', 'there is no such kind');
      }
      const request = {
        limit: Math.max(1, numberOf(c, 'limit', MOST_POINTS) ?? DEFAULT_LIMIT),
        lookAt: MOST_POINTS,
        before: numberOf(c, 'before', Number.MAX_SAFE_INTEGER),
        text: wordOf(c, 'text'),
        path: pathIn(c),
        agents: wordsOf(c, 'agent'),
        sessions: wordsOf(c, 'session'),
        since: timeOf(c, 'since'),
        until: timeOf(c, 'until'),
        kinds,
      };
      return timelineAnswer(savepoint, request, lines.get(id) ?? new Map());
    }),
  );

  app.post('/api/projects/:p/lines', async (c) => {
    const { ids } = await bodyOf(c, exact({ ids: listOf(ID) }), SMALL);
    if (ids.length > MOST_LINES) throw new WebError(400, 'request-invalid', 'too many ids');
    return inProject(c, async (savepoint, id) => {
      const known = lines.get(id) ?? new Map<CheckpointId, LineCount>();
      lines.set(id, known);
      return countedLines(savepoint, ids as CheckpointId[], known);
    });
  });

  app.get('/api/projects/:p/checkpoints/:ref', (c) =>
    inProject(c, (savepoint) => checkpointAnswer(savepoint, c.req.param('ref'))),
  );

  app.get('/api/projects/:p/checkpoints/:ref/diff', (c) =>
    inProject(c, (savepoint) => {
      const from = wordOf(c, 'from');
      const fromBytes = wordOf(c, 'fromBytes');
      return diffAnswer(savepoint, c.req.param('ref'), {
        path: requiredPath(c),
        from: fromBytes === undefined ? from : namedPath({ bytes: fromBytes }),
        change: numberOf(c, 'change', Number.MAX_SAFE_INTEGER),
        withNow: wordOf(c, 'with') === 'now',
        unified: wordOf(c, 'unified') === '1',
      });
    }),
  );

  app.get('/api/projects/:p/blobs/:blob', (c) => sendBlob(c, projects));

  app.post('/api/projects/:p/plans', async (c) => {
    const request = await bodyOf(c, PLAN_REQUEST, LARGE);
    return writing(c, (savepoint, id) => plans.make(id, savepoint, request));
  });

  app.get('/api/projects/:p/plans/:plan/lines/:index', (c) =>
    inProject(c, (savepoint, id) => {
      const index = Number(/^\d{1,9}$/.exec(c.req.param('index'))?.[0] ?? -1);
      return plans.line(id, savepoint, c.req.param('plan'), index);
    }),
  );

  app.post('/api/projects/:p/plans/:plan/apply', async (c) => {
    const kind = exact({ digest: TEXT, acceptEffects: optional(BOOLEAN) });
    const request = await bodyOf(c, kind, SMALL);
    return writing(c, (savepoint, id) => plans.apply(id, savepoint, c.req.param('plan'), request));
  });

  app.get('/api/projects/:p/file', (c) =>
    inProject(c, (savepoint) => fileAnswer(savepoint, requiredPath(c))),
  );

  app.get('/api/projects/:p/why', (c) =>
    inProject(c, (savepoint) => whyAnswer(savepoint, requiredPath(c))),
  );

  app.get('/api/projects/:p/executions', (c) => inProject(c, executionsAnswer));

  app.get('/api/projects/:p/executions/:kind/:id', (c) =>
    inProject(c, (savepoint) => executionAnswer(savepoint, executionIn(c))),
  );

  app.get('/api/projects/:p/executions/:kind/:id/state', (c) =>
    inProject(c, (savepoint) => {
      const step = numberOf(c, 'step', Number.MAX_SAFE_INTEGER) ?? 0;
      const from = numberOf(c, 'from', Number.MAX_SAFE_INTEGER);
      return stateAnswer(savepoint, executionIn(c), step, from);
    }),
  );

  app.post('/api/projects/:p/executions/:kind/:id/resume', async (c) => {
    const { dryRun = false } = await bodyOf(c, exact({ dryRun: optional(BOOLEAN) }), SMALL);
    return writing(c, (savepoint) => resumeAnswer(savepoint, executionIn(c), dryRun));
  });

  app.post('/api/projects/:p/executions/:kind/:id/fork', async (c) => {
    const request = await bodyOf(c, exact({ id: ID, step: integer(-1) }), SMALL);
    return writing(c, (savepoint) => forkAnswer(savepoint, executionIn(c), request));
  });

  app.get('/api/projects/:p/store', (c) =>
    inProject(c, (savepoint) => storeAnswer(savepoint, options.settingsOf(savepoint.root))),
  );

  app.post('/api/projects/:p/prune', async (c) => {
    const request = await bodyOf(c, PRUNE_REQUEST, SMALL);
    return inProject(c, (savepoint) =>
      pruneAnswer(savepoint, request, options.retentionOf?.(savepoint.root)),
    );
  });

  // Not through an open project: a damaged store cannot be opened.
  app.post('/api/projects/:p/fsck', async (c) => {
    await bodyOf(c, exact({}), SMALL);
    return c.json(await fsckAnswer(projects.storeFolder(c.req.param('p'))));
  });

  app.get('/api/projects/:p/events', async (c) => {
    const since = numberOf(c, 'since', Number.MAX_SAFE_INTEGER);
    const stream = await live.stream(c.req.param('p'), since, c.req.raw.signal);
    return c.body(stream, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  });

  const stop = async (): Promise<void> => {
    isEnding = true;
    live.stop();
    while (writes.size > 0) await Promise.allSettled(writes);
  };
  return { fetch: (request) => app.fetch(request), live, isWriting: () => writes.size > 0, stop };
}

const PRUNE_REQUEST = exact({
  olderThanDays: optional(COUNT),
  keep: optional(COUNT),
  maxBytes: optional(COUNT),
  sessionId: optional(ID),
});

function executionIn(c: Context): NamedExecution {
  const kind = c.req.param('kind');
  if (kind === 'steps' || kind === 'checkpoints') return { kind, id: c.req.param('id') ?? '' };
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
  const blob = c.req.param('blob') ?? '';
  if (!BLOB_ID.test(blob)) throw new WebError(404, 'not-found', 'this is not the id of a content');
  const type = wordOf(c, 'type') ?? '';
  const bytes = await projects.use(c.req.param('p') ?? '', (savepoint) =>
    savepoint.readBlob(blob as BlobId),
  );
  if (bytes.length > MOST_BLOB_BYTES) {
    throw new WebError(413, 'content-too-large', 'the content is too large to be shown');
  }
  return c.body(new Uint8Array(bytes), 200, {
    'content-type': IMAGE_TYPES.includes(type) ? type : 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-length': String(bytes.length),
  });
}
