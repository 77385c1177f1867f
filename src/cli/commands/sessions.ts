import {
  displayText,
  type Savepoint,
  type SessionElsewhere,
  type SessionSummary,
} from '../../index.ts';
import { COUNT, described, exact, extended, listOf } from '../../model/check.ts';
import { plural, relativeTime, shortSession } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { SESSION, sessionJson, stateOf, WORKTREE, worktreeJson } from '../json-shapes.ts';
import { withTimelineIfAny } from '../open-timeline.ts';
import { LIMIT_OPTION, limitOf } from '../options.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';

const COUNTED = extended(SESSION, {
  checkpoints: COUNT,
  files: described('How many different files it changed.', COUNT),
});

const SHAPE = exact({
  sessions: described('Most recently active first.', listOf(COUNTED)),
  elsewhere: described(
    'With --everywhere, those of other machines that work on this project, as they are on record there.',
    listOf(extended(SESSION, { worktree: WORKTREE })),
  ),
});

export const sessions: Command = {
  name: 'sessions',
  summary: 'the sessions of agents in this project, most recently active first',
  details:
    'Shows every session on record, most recently active first: its agent, when it began and was last\n' +
    'active, how many checkpoints and files it has, whether it is open, ended or archived, and to which session it\n' +
    'belongs if it is a sub-agent or a continuation. For a project on a database server, --everywhere shows those\n' +
    'of its other worktrees too, which `savepoint takeover` brings here.',
  options: {
    agent: option('NAME', 'only of this agent', 'agent'),
    everywhere: flag('also those of other machines that work on this project'),
    limit: LIMIT_OPTION,
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint sessions', 'the newest 50'],
    ['savepoint sessions --everywhere', 'of all machines'],
    ['savepoint list --session 5f3a', 'the checkpoints of one of them'],
  ],
  json: { sessions: SHAPE },
  run: async (call) => {
    const limit = limitOf(call) ?? Number.POSITIVE_INFINITY;
    const { shown, own, ids, imported, more, elsewhere } = await withTimelineIfAny(
      call,
      (savepoint) => find(call, savepoint, limit),
      () => ({
        shown: [],
        own: 0,
        ids: [],
        imported: new Set<string>(),
        more: false,
        elsewhere: [],
      }),
    );
    printJson(call, SHAPE, {
      sessions: shown.map((one) => {
        const { checkpoints, files } = one;
        return { ...sessionJson(one, imported), checkpoints, files };
      }),
      elsewhere: elsewhere.map(({ session, worktree, isImported }) => ({
        ...sessionJson(session, new Set(isImported ? [session.id] : [])),
        worktree: worktreeJson(worktree),
      })),
    });
    const found = { shown, own, ids, imported, more, elsewhere };
    await showPage(call, [
      ...(shown.length === 0 ? [nothingText(call, own, elsewhere.length > 0)] : text(call, found)),
      ...elsewhereText(call, found),
    ]);
    if (elsewhere.length > 0)
      call.hint('bring one of another machine here with: savepoint takeover ID');
    if (more) call.hint('there are older ones: savepoint sessions --limit 0');
    if (shown.length > 0) call.hint('see one of them with: savepoint list --session ID');
    else if (own > 0) call.hint('see all of them with: savepoint sessions');
    else if (elsewhere.length === 0) call.hint('see what there is with: savepoint list');
    return EXIT.done;
  },
};

interface Found {
  readonly shown: readonly SessionSummary[];
  /** How many are on record here. */
  readonly own: number;
  /** Of all sessions, for shortening. */
  readonly ids: readonly string[];
  /** Those of the shown that an import brought, and that nobody went on with. */
  readonly imported: ReadonlySet<string>;
  readonly more: boolean;
  /** Those of other worktrees, as they are on record there. */
  readonly elsewhere: readonly SessionElsewhere[];
}

async function find(call: Call, savepoint: Savepoint, limit: number): Promise<Found> {
  const all = await savepoint.sessions();
  const agent = call.values.get('agent');
  const fitting = all.filter((one) => agent === undefined || one.agent === agent);
  const shown = await savepoint.summarize(fitting.slice(0, limit));
  const imported = await savepoint.importedSessions(shown.map(({ id }) => id));
  const others = call.flags.has('everywhere') ? await savepoint.sessionsElsewhere() : [];
  const elsewhere = others
    .filter(({ session }) => agent === undefined || session.agent === agent)
    .slice(0, limit);
  const ids = [...all, ...others.map(({ session }) => session)].map(({ id }) => id);
  const more = shown.length < fitting.length || elsewhere.length < others.length;
  return { shown, own: all.length, ids: [...new Set(ids)], imported, more, elsewhere };
}

/** An empty filter result is not an empty store: the message differs. */
function nothingText({ values }: Call, own: number, hasOthers: boolean): string {
  if (own === 0) return `No session is on record${hasOthers ? ' here' : ''}.`;
  const agent = clipWidth(displayText(values.get('agent') ?? ''), LONGEST_NAME);
  return `No session of the agent "${agent}" is on record.`;
}

const LONGEST_NAME = 24;

/** The agent and the id on the left; what is on record on the right, in as many lines as it needs. */
function text({ io, paint, columns }: Call, found: Found): string[] {
  const { shown, ids } = found;
  const names = shown.map(({ agent }) => clipWidth(displayText(agent), LONGEST_NAME));
  const shorts = shown.map(({ id }) => shownId(id, ids));
  const nameColumn = Math.max(...names.map(textWidth));
  const idColumn = Math.max(...shorts.map(textWidth));
  return shown.flatMap((session, i) => {
    const name = padWidth(names[i] ?? '', nameColumn);
    const short = padWidth(shorts[i] ?? '', idColumn);
    return beside(`${paint('bold', name)}  ${short}  `, aboutOf(session, found, io.now()), columns);
  });
}

function aboutOf(session: SessionSummary, { ids, imported }: Found, now: number): string {
  const { id, rootId, createdAt, lastActiveAt, checkpoints, files } = session;
  return [
    stateOf(session, imported),
    `active ${relativeTime(lastActiveAt, now)}`,
    `began ${relativeTime(createdAt, now)}`,
    plural(checkpoints, 'checkpoint'),
    plural(files, 'file'),
    ...(rootId === id ? [] : [`part of ${shownId(rootId, ids)}`]),
  ].join(', ');
}

function elsewhereText({ io, paint, columns }: Call, { elsewhere, ids }: Found): string[] {
  if (elsewhere.length === 0) return [];
  const rows = elsewhere.map(({ session, worktree, isImported }) => ({
    machine: clipWidth(displayText(worktree.machine), LONGEST_NAME),
    name: clipWidth(displayText(session.agent), LONGEST_NAME),
    short: shownId(session.id, ids),
    about: [
      stateOf(session, new Set(isImported ? [session.id] : [])),
      `active ${relativeTime(session.lastActiveAt, io.now())}`,
      `in ${displayText(worktree.root)}`,
    ].join(', '),
  }));
  const widthOf = (column: 'machine' | 'name' | 'short') =>
    Math.max(...rows.map((row) => textWidth(row[column])));
  const [machines, names, shorts] = [widthOf('machine'), widthOf('name'), widthOf('short')];
  return [
    '',
    'On other machines:',
    ...rows.flatMap(({ machine, name, short, about }) => {
      const label = `${padWidth(machine, machines)}  ${paint('bold', padWidth(name, names))}  ${padWidth(short, shorts)}  `;
      return beside(label, about, columns);
    }),
  ];
}

function shownId(id: string, ids: readonly string[]): string {
  return clipWidth(displayText(shortSession(id, ids)), LONGEST_NAME);
}
