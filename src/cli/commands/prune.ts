import { configurationOf } from '../../config/settings.ts';
import {
  CHECKPOINT_KINDS,
  displayText,
  type PrunePlan,
  type PruneReport,
  type PruneRequest,
  type RetentionRules,
  type Savepoint,
} from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { plural, relativeTime, sizeText } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { TIME, timeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { ageOption, asksFirst, confirmed, sizeOption } from '../options.ts';

const SHAPE = exact({
  dryRun: BOOLEAN,
  sessions: described(
    'Ids of sessions that went, or would, with all their checkpoints.',
    listOf(TEXT),
  ),
  checkpoints: listOf(
    exact({
      id: TEXT,
      sessionId: nullable(TEXT),
      kind: oneOf(...CHECKPOINT_KINDS),
      description: TEXT,
      label: nullable(TEXT),
      createdAt: TIME,
    }),
  ),
  operations: listOf(TEXT),
  executions: described(
    'Ids of finished executions that went, or would, with their sessions. The ids stay taken.',
    listOf(TEXT),
  ),
  changes: COUNT,
  blobs: COUNT,
  upToBytes: described('What was expected to come back, at most.', COUNT),
  freedBytes: described(
    'What came back, measured on the disk; null in a dry run.',
    nullable(COUNT),
  ),
  diskBytes: described('What the store takes up.', COUNT),
});

export const prune: Command = {
  name: 'prune',
  summary: 'remove old checkpoints, and what only they needed',
  details:
    'Removes checkpoints by age, number or size, the oldest first, and the contents that nothing else\n' +
    'needs. A checkpoint that is left can be returned to wholly. The newest checkpoint of a session stays\n' +
    'until the session is archived, and so does the newest operation. A run stays until it has ended.\n' +
    'Checkpoints with a label stay unless --labelled is given. An execution that has not finished stays\n' +
    'with its steps, unless --session names its session. Your files are not touched. Without an option,\n' +
    'what the configured retention no longer keeps. This cannot be undone, so it asks at a terminal;\n' +
    'elsewhere, where nobody could be asked, it goes ahead.',
  options: {
    'older-than': option('AGE', 'checkpoints and operations made longer ago: 12h, 30d, 2w'),
    keep: option('N', 'all but the newest N checkpoints of each session'),
    'max-size': option('BYTES', 'the oldest, until the store holds no more: 500MB, 2GiB'),
    session: option('ID', 'only checkpoints of this session', 'session'),
    labelled: flag('also checkpoints that have a label'),
    'dry-run': flag('show what would be removed, and remove nothing'),
    yes: flag('do not ask'),
  },
  examples: [
    ['savepoint prune --dry-run', 'what the configured retention no longer keeps'],
    ['savepoint prune --older-than 30d', 'a month is enough'],
    ['savepoint prune --max-size 1GB', 'the oldest, until it fits'],
  ],
  json: { prune: SHAPE },
  run: async (call) => {
    const request = requestOf(call);
    return withTimeline(call, (savepoint) => runPrune(call, savepoint, request));
  },
};

function requestOf(call: Call): PruneRequest {
  const request: PruneRequest = {
    olderThanMs: ageOption(call, 'older-than'),
    keep: keepOption(call),
    maxBytes: sizeOption(call, 'max-size'),
    sessionId: call.values.get('session'),
    labelled: call.flags.has('labelled'),
  };
  const { sessionId, labelled: _, ...rules } = request;
  if (sessionId !== undefined && Object.values(rules).every((rule) => rule === undefined)) {
    throw new UsageError('what of the session?', 'add --older-than, --keep or --max-size');
  }
  return request;
}

/** At least one: the newest of a session stays. */
function keepOption(call: Call): number | undefined {
  const given = call.values.get('keep');
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new UsageError(`--keep must be a number from 1 on, not "${given}"`);
}

async function runPrune(call: Call, savepoint: Savepoint, asked: PruneRequest): Promise<ExitCode> {
  const session =
    asked.sessionId === undefined ? null : await savepoint.resolveSession(asked.sessionId);
  const request = { ...asked, sessionId: session?.id };
  const { values } = configurationOf(call.io, savepoint.root);
  const plan = await savepoint.planPrune(request, values);
  const spared = call.json ? 0 : await countSpared(savepoint, request, values);
  const dryRun = call.flags.has('dry-run');
  const asks = !dryRun && !isNothing(plan) && asksFirst(call);
  if (asks) {
    sayGone(call, plan);
    if (!(await confirmed(call, `Remove ${countsOf(plan)}? It cannot be undone.`))) {
      call.say('Nothing was removed.');
      return EXIT.interrupted;
    }
  }
  const report = dryRun
    ? null
    : await call.io.interrupts.hold(() => savepoint.prune(request, values));
  const what = report ?? plan;
  const diskBytes = report?.diskBytes ?? (await savepoint.diskBytes());
  printJson(call, SHAPE, pruneJson(plan, report, diskBytes));
  const isIdle = isNothing(what) && (report?.freedBytes ?? 0) === 0;
  // The question has listed them already.
  if (!asks) sayGone(call, what);
  call.tell(`${outcome(plan, report)} The store takes up ${sizeText(diskBytes)}.`);
  if (spared > 0) {
    const stay = plural(
      spared,
      'checkpoint stays because it has',
      'checkpoints stay because they have',
    );
    call.tell(`${stay} a label; --labelled removes labelled ones too.`);
  }
  if (isIdle) call.hint('see what there is with: savepoint list');
  else if (dryRun) call.hint('do it with the same command without --dry-run');
  else call.hint('see what is left with: savepoint list');
  return isIdle ? EXIT.nothingToDo : EXIT.done;
}

/** How many checkpoints would go if they had no label. */
async function countSpared(
  savepoint: Savepoint,
  request: PruneRequest,
  values: Partial<RetentionRules>,
): Promise<number> {
  const labelled = await savepoint.list({ labelled: true, limit: 1 });
  if (request.labelled || labelled.length === 0) return 0;
  const { checkpoints } = await savepoint.planPrune({ ...request, labelled: true }, values);
  return checkpoints.filter(({ label }) => label !== null).length;
}

function pruneJson(
  plan: PrunePlan,
  report: PruneReport | null,
  diskBytes: number,
): TypeOf<typeof SHAPE> {
  const { sessions, checkpoints, operations, executions, changes, blobs } = report ?? plan;
  return {
    dryRun: report === null,
    sessions,
    checkpoints: checkpoints.map(({ id, sessionId, kind, description, label, createdAt }) => {
      return { id, sessionId, kind, description, label, createdAt: timeJson(createdAt) };
    }),
    operations,
    executions,
    changes,
    blobs,
    upToBytes: plan.upToBytes,
    freedBytes: report?.freedBytes ?? null,
    diskBytes,
  };
}

/** What was removed, or would be. */
type Gone = Omit<PrunePlan, 'upToBytes'>;

function isNothing({ checkpoints, sessions, operations, changes, blobs }: Gone): boolean {
  return checkpoints.length + sessions.length + operations.length + changes + blobs === 0;
}

const SHOWN = 20;
const WORDS = 50;

/** The executions and checkpoints that go, one in a row, as far as somebody reads. */
function sayGone({ io, paint, say }: Call, { checkpoints, executions }: Gone): void {
  const shown = (text: string): string => clipWidth(displayText(text), WORDS);
  for (const id of executions.slice(0, SHOWN)) {
    say(`  execution ${paint('cyan', shown(id))}  with its steps; the id stays taken`);
  }
  const left = executions.length - SHOWN;
  if (left > 0) say(`  and ${plural(left, 'more execution')}`);
  for (const { id, createdAt, description } of checkpoints.slice(0, SHOWN)) {
    const when = relativeTime(createdAt, io.now());
    say(`  ${paint('cyan', id.slice(0, 8))}  ${when}  ${shown(description)}`);
  }
  const more = checkpoints.length - SHOWN;
  if (more > 0) say(`  and ${plural(more, 'more checkpoint')}; --json lists them all`);
}

/** "2 checkpoints, 1 session, 5 changes" */
function countsOf({ checkpoints, sessions, operations, executions, changes }: Gone): string {
  return [
    plural(checkpoints.length, 'checkpoint'),
    ...(sessions.length > 0 ? [plural(sessions.length, 'session')] : []),
    ...(operations.length > 0 ? [plural(operations.length, 'operation')] : []),
    ...(executions.length > 0 ? [plural(executions.length, 'execution')] : []),
    plural(changes, 'change'),
  ].join(', ');
}

function outcome(plan: PrunePlan, report: PruneReport | null): string {
  const what = report ?? plan;
  const counts = countsOf(what);
  if (report === null) {
    if (isNothing(what)) return 'Dry run: nothing would be removed.';
    return `Dry run, nothing was removed. It would be: ${counts}; up to ${sizeText(plan.upToBytes)} would come back.`;
  }
  const freed = sizeText(report.freedBytes);
  if (!isNothing(what)) return `Removed ${counts}; ${freed} came back.`;
  return `Nothing to remove${report.freedBytes > 0 ? `; ${freed} came back by compression` : ''}.`;
}
