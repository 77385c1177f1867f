import {
  type CheckpointQuery,
  displayText,
  type LineCount,
  type ListedCheckpoint,
  type Savepoint,
  type SavepointError,
  selectedPath,
} from '../../index.ts';
import { described, exact, listOf, nullable, TEXT, type TypeOf } from '../../model/check.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { CHECKPOINT, checkpointJson } from '../json-shapes.ts';
import { withTimelineIfAny } from '../open-timeline.ts';
import { LIMIT_OPTION, limitOf, parseSince } from '../options.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import { pathArguments } from '../path-arguments.ts';
import { groupBySession, groupedText, MADE } from '../timeline-text.ts';

const SHAPE = exact({
  checkpoints: described('Newest first.', listOf(CHECKPOINT)),
  current: described(
    'Where the files stand: the newest checkpoint whose work is in them. Null where there is none: nothing was recorded here, or everything is taken back. What an import brought never counts. It need not be among those listed.',
    nullable(TEXT),
  ),
  notes: described(
    'What happened that nobody asked for, such as that an interrupted rewind was finished.',
    listOf(exact({ code: TEXT, message: TEXT })),
  ),
});

export const list: Command = {
  name: 'list',
  summary: 'the timeline: checkpoints to rewind to, newest first',
  details:
    'Lists the checkpoints of a project by session, newest first, with how many files and lines changed\n' +
    'under each. What is taken back is dim and says so; "@" marks where the files stand: the newest\n' +
    'checkpoint whose work is in them. Those made by hand stand among the others, at their place in time.\n' +
    'The beginning of an id is enough to name a checkpoint; so is its label, `latest`, and `~N` for the Nth\n' +
    'before the latest. What was kept before rewinds is in `savepoint ops`; --json lists it too.',
  options: {
    session: option('ID', 'only of this session (the beginning of its id is enough)', 'session'),
    agent: option('NAME', 'only of this agent', 'agent'),
    since: option('WHEN', 'only since then: 2h, 3d, 1w, yesterday, 14:30, 2026-01-31', [
      '1h',
      '1d',
      '1w',
      'today',
      'yesterday',
    ]),
    path: option('PATH', 'only what changed this file, or something in this folder', 'path'),
    limit: LIMIT_OPTION,
    stat: flag('count the lines of every checkpoint shown, also with --json'),
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint list', 'the newest 50'],
    ['savepoint list --since yesterday --path src', 'who changed something below src'],
    ['savepoint list --limit 0 --json', 'everything, for a program'],
  ],
  json: { list: SHAPE },
  run: runList,
};

/** In a pipe no terminal cuts long lines, and a description can be a whole prompt. */
const COLUMNS_IN_PIPES = 200;
/** How much may be read to count lines, so that a list comes at once; the newest rows are counted first. */
const BUDGET = { reads: 40, bytes: 256 * 1024 };

async function runList(call: Call): Promise<ExitCode> {
  const limit = limitOf(call);
  const since = call.values.get('since');
  const from = since === undefined ? {} : { since: parseSince(since, call.io.now()) };
  const found = await withTimelineIfAny(
    call,
    (savepoint) => find(call, savepoint, limit, from),
    (error) => notBegun(call, error),
  );
  await showPage(call, found.rows);
  for (const hint of found.hints) call.hint(hint);
  return EXIT.done;
}

interface Found {
  readonly rows: readonly string[];
  readonly hints: readonly string[];
}

async function find(
  call: Call,
  savepoint: Savepoint,
  limit: number | null,
  from: CheckpointQuery,
): Promise<Found> {
  const query = await queryOf(call, savepoint, from);
  const kinds = call.json ? {} : { kinds: MADE };
  const { checkpoints, more } = await newest(savepoint, { ...query, ...kinds }, limit);
  const stat = call.flags.has('stat');
  const ids = checkpoints.map(({ id }) => id);
  if (call.json) {
    const lines = stat ? await savepoint.countLines(ids) : null;
    printJson(call, SHAPE, await listJson(savepoint, checkpoints, lines));
    return { rows: [], hints: [] };
  }
  if (checkpoints.length === 0) return nothing(savepoint, Object.keys(query).length > 0);
  const current = await savepoint.currentPlace();
  const { io, paint } = call;
  const groups = groupBySession(checkpoints, await savepoint.sessions(), io.now());
  const rows = groupedText(groups, {
    checkpoints,
    lengths: await savepoint.uniqueLengths(ids),
    lines: await savepoint.countLines(ids, stat ? undefined : BUDGET),
    current,
    now: io.now(),
    columns: io.terminal ? io.columns : COLUMNS_IN_PIPES,
    paint,
  });
  const isOwn = ({ importedAt }: ListedCheckpoint): boolean => importedAt === null;
  if (current === null && checkpoints.some(isOwn)) rows.push('', BEFORE_ALL);
  const hints = [
    ...(more ? ['there are older ones: savepoint list --limit 0'] : []),
    ...(checkpoints.some(({ takenBack }) => takenBack !== 'no') ? await bringBack(savepoint) : []),
    'look closer with: savepoint diff ID; go back with: savepoint rewind ID',
  ];
  return { rows, hints };
}

const SHOWN_ID = 8;
const BEFORE_ALL = '@ before all of them: everything is taken back';

/** How to bring back what was taken back last. */
async function bringBack(savepoint: Savepoint): Promise<string[]> {
  const operations = (await savepoint.operations()).filter(({ inEffect }) => inEffect);
  // An undo of an operation brought something back; only that of a run took something back.
  const last = operations.find(
    ({ kind, reverts }) => kind === 'rewind' || (kind === 'undo' && reverts === null),
  );
  if (last === undefined) return [];
  const [message] = await savepoint.list({ kinds: ['message'], importedAt: null, limit: 1 });
  // After other work, `undo` would mean that work instead.
  const isNewest = last === operations[0] && last.seq > (message?.seq ?? 0);
  const plain = last.kind === 'undo' ? 'redo' : 'undo';
  const command = isNewest ? plain : `undo ${last.id.slice(0, SHOWN_ID)}`;
  return [
    `savepoint ${command} brings back what was taken back last; savepoint ops lists what was`,
  ];
}

interface Newest {
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

async function newest(
  savepoint: Savepoint,
  query: CheckpointQuery,
  limit: number | null,
): Promise<Newest> {
  if (limit === null) return { checkpoints: await savepoint.list(query), more: false };
  // One more than asked for tells whether there are more.
  const found = await savepoint.list({ ...query, limit: limit + 1 });
  return { checkpoints: found.slice(0, limit), more: found.length > limit };
}

async function queryOf(
  { values, ...call }: Call,
  savepoint: Savepoint,
  from: CheckpointQuery,
): Promise<CheckpointQuery> {
  const session = values.get('session');
  const agent = values.get('agent');
  const typed = values.get('path');
  const [path] =
    pathArguments({ values, ...call }, savepoint.root, typed === undefined ? [] : [typed]) ?? [];
  const chosen = session === undefined ? null : await savepoint.resolveSession(session);
  const sessions = chosen === null ? await savepoint.sessions() : [chosen];
  const fitting = sessions.filter((one) => agent === undefined || one.agent === agent);
  const all = session === undefined && agent === undefined;
  return {
    ...from,
    ...(all ? {} : { sessionIds: fitting.map(({ id }) => id) }),
    ...(path === undefined ? {} : { path: selectedPath(savepoint.root, path) }),
  };
}

function nothing({ root }: Savepoint, filtered: boolean): Found {
  const where = `in the timeline of ${displayText(root)}`;
  return filtered
    ? { rows: [`No checkpoint ${where} fits.`], hints: ['see all of them with: savepoint list'] }
    : { rows: [`There is no checkpoint ${where}.`], hints: ['make one with: savepoint save'] };
}

/** In a new project: an empty list. */
function notBegun(call: Call, { message, hint }: SavepointError): Found {
  printJson(call, SHAPE, { checkpoints: [], current: null, notes: [] });
  const rows = [`Nothing to list: ${displayText(message)}.`];
  return { rows, hints: hint === undefined ? [] : [hint] };
}

async function listJson(
  savepoint: Savepoint,
  checkpoints: readonly ListedCheckpoint[],
  lines: ReadonlyMap<string, LineCount> | null,
): Promise<TypeOf<typeof SHAPE>> {
  return {
    checkpoints: checkpoints.map((one) => checkpointJson(one, lines?.get(one.id))),
    current: await savepoint.currentPlace(),
    notes: savepoint.notices().map(({ code, message }) => ({ code, message })),
  };
}
