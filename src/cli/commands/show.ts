import {
  ATTRIBUTIONS,
  CHANGE_ORIGINS,
  displayLines,
  displayText,
  type InspectedChange,
  type InspectedCheckpoint,
  type LineCount,
  type ListedCheckpoint,
  type Operation,
  type Savepoint,
  type TrackedPath,
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
import type { Style } from '../../terminal/paint.ts';
import { COVERAGE, exactTime, plural, relativeTime } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { padWidth, widestOf, wrapWords } from '../../terminal/text-width.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { picked, printJson, withPathBytes } from '../json.ts';
import {
  CHECKPOINT,
  COVERS,
  checkpointJson,
  OPERATION,
  operationJson,
  PATH,
  PATH_BYTES,
  SESSION,
  STATE,
  sessionJson,
  stateJson,
  TIME,
  timeJson,
} from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import { operationText } from './ops.ts';

export const CHANGE_KINDS = ['created', 'deleted', 'modified', 'running'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const CHANGE = exact({
  path: PATH,
  change: oneOf(...CHANGE_KINDS),
  origin: oneOf(...CHANGE_ORIGINS),
  attribution: described(
    'A tool named the file; one command was running; or it is not certain who did it.',
    oneOf(...ATTRIBUTIONS),
  ),
  toolCallId: nullable(TEXT),
  createdAt: TIME,
  before: STATE,
  after: STATE,
  open: described('Its tool has not been seen to end; `after` says nothing yet.', BOOLEAN),
  insertions: COUNT,
  deletions: COUNT,
  takenBack: described('An operation that is in effect took it back.', BOOLEAN),
});

const SHAPE = exact({
  checkpoint: CHECKPOINT,
  coverage: COVERS,
  gitHead: described("The commit that git's HEAD named then.", nullable(TEXT)),
  current: described('Whether the files stand there, after what was done under it.', BOOLEAN),
  session: nullable(SESSION),
  changes: described('By path, and then in order.', listOf(CHANGE)),
  operations: described(
    'Those that returned to it, took it back or brought it back, newest first.',
    listOf(OPERATION),
  ),
  madeBefore: described(
    'For a safety checkpoint: the operation before which it was made.',
    nullable(TEXT),
  ),
  pathBytes: PATH_BYTES,
});

export const show: Command = {
  name: 'show',
  arguments: 'ID',
  summary: 'one checkpoint: what was asked, what changed, what became of it',
  details:
    'Shows everything on record of a checkpoint: what was asked, by which session, what it covers, what\n' +
    'was changed under it and how sure it is who did that, and which operations took that back. With the\n' +
    'id of an operation, that operation and the checkpoint that was made before it.',
  options: PAGER_OPTIONS,
  examples: [
    ['savepoint show latest', 'the last message'],
    ['savepoint show k3m9 --json', 'for a program'],
  ],
  completes: ['checkpoint'],
  json: { show: SHAPE },
  run: async (call) => {
    const [ref = ''] = expectArgs(call, 'show', 1, 1);
    const seen = await withTimeline(call, (savepoint) => look(savepoint, ref));
    if (call.json) printJson(call, SHAPE, inspectionJson(seen));
    await showPage(call, inspectionText(call, seen));
    call.hint(hintFor(seen));
    return EXIT.done;
  },
};

/** What `savepoint show --json` prints, with the changes of those paths alone that may be shown. */
export async function shownCheckpoint(
  savepoint: Savepoint,
  ref: string,
  isShown: (path: TrackedPath) => boolean,
): Promise<object> {
  const seen = await look(savepoint, ref);
  return inspectionJson({ ...seen, changes: seen.changes.filter(({ path }) => isShown(path)) });
}

async function look(savepoint: Savepoint, ref: string): Promise<Inspection> {
  const seen = await savepoint.inspect(ref);
  const log = await savepoint.operations();
  const { id } = seen.checkpoint;
  const [listed] = await savepoint.list({ ids: [id] });
  // It was removed just now: this time it is not found.
  if (listed === undefined) return look(savepoint, ref);
  const imported = await savepoint.importedSessions(seen.session === null ? [] : [seen.session.id]);
  const isCurrent = (await savepoint.currentPlace()) === id;
  return { ...seen, listed, log, isCurrent, imported };
}

function hintFor({ checkpoint, changes, madeBefore }: Inspection): string {
  const id = checkpoint.id.slice(0, 8);
  if (madeBefore !== null) {
    const undo = madeBefore.inEffect
      ? `; take that back: savepoint undo ${madeBefore.id.slice(0, 8)}`
      : '';
    return `see what is different since with: savepoint diff ${id}${undo}`;
  }
  const lines = changes.length === 0 ? '' : `see the lines with: savepoint diff ${id}; `;
  return `${lines}go back to it with: savepoint rewind ${id}`;
}

function inspectionJson(seen: Inspection): TypeOf<typeof SHAPE> {
  const { checkpoint, session, changes, operations, madeBefore, isCurrent, log } = seen;
  return withPathBytes(({ name }) => ({
    checkpoint: checkpointJson(seen.listed),
    coverage: checkpoint.coverage,
    gitHead: checkpoint.gitHead,
    current: isCurrent,
    session: session && sessionJson(session, seen.imported),
    changes: changes.map((change) => ({
      ...picked(CHANGE, change),
      path: name(change.path),
      change: changeKind(change),
      createdAt: timeJson(change.createdAt),
      before: stateJson(change.before),
      after: change.after && stateJson(change.after),
      open: change.after === null,
    })),
    operations: operations.map((one) => operationJson(one, log)),
    madeBefore: madeBefore?.id ?? null,
  }));
}

/** A checkpoint with the whole log: any later operation may have taken back one of its own. */
interface Inspection extends InspectedCheckpoint {
  readonly listed: ListedCheckpoint;
  readonly log: readonly Operation[];
  readonly isCurrent: boolean;
  /** Holds its session if an import brought that, and nobody went on with it. */
  readonly imported: ReadonlySet<string>;
}

export function changeKind({ before, after }: InspectedChange): ChangeKind {
  if (after === null) return 'running';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

/** One checkpoint for a person: the facts, what was asked, what changed, what became of it. */
function inspectionText(call: Call, seen: Inspection): string[] {
  if (call.json) return [];
  const { madeBefore } = seen;
  const about = [...(madeBefore === null ? [] : [madeBefore]), ...seen.operations];
  const operations = about.flatMap((one) => operationText(call, one, seen.log));
  return [
    ...factsText(call, factsOf(call, seen)),
    '',
    ...askedText(seen.checkpoint.description, call.columns),
    ...(madeBefore === null ? ['', ...changesText(call, seen.changes)] : []),
    ...(operations.length === 0 ? [] : ['', call.paint('bold', 'Operations'), ...operations]),
  ];
}

const FACT_COLUMN = 13;

/** A name and what is to be said of it; null where there is nothing to say. */
export type Fact = readonly [name: string, text: string] | null;

/** Facts below each other, their names in a column. */
export function factsText({ columns }: Call, facts: readonly Fact[]): string[] {
  return facts
    .filter((fact) => fact !== null)
    .flatMap(([name, text]) => beside(name.padEnd(FACT_COLUMN), text, columns));
}

/** "2026-01-31 14:30:00 (2 hours ago)" */
export function timeText({ io }: Call, time: number): string {
  return `${exactTime(time)} (${relativeTime(time, io.now())})`;
}

function factsOf(call: Call, seen: Inspection): Fact[] {
  const { paint } = call;
  const { checkpoint, session, madeBefore, isCurrent } = seen;
  const { id, label, kind, createdAt, messageId, coverage, gitHead } = checkpoint;
  const place = isCurrent ? '  (@ the files stand here)' : '';
  return [
    ['Checkpoint', `${paint('bold', id)}${place}`],
    label === null ? null : ['Label', displayText(label)],
    [
      'Kind',
      madeBefore === null ? KINDS[kind] : `made before operation ${madeBefore.id.slice(0, 8)}`,
    ],
    ['When', timeText(call, createdAt)],
    session === null ? null : ['Agent', displayText(session.agent)],
    session === null ? null : ['Session', displayText(session.id)],
    session === null || session.rootId === session.id
      ? null
      : ['Part of', displayText(session.rootId)],
    messageId === null ? null : ['Message', displayText(messageId)],
    ['Covers', COVERAGE[coverage]],
    gitHead === null ? null : ['Git HEAD', displayText(gitHead)],
    madeBefore === null ? ['Taken back', takenBackText(seen.changes)] : null,
  ];
}

const KINDS = {
  message: "a user's message",
  step: 'a step of an execution',
  manual: 'made by hand',
  safety: 'made before a rewind',
} as const;

function takenBackText(changes: readonly InspectedChange[]): string {
  const taken = changes.filter(({ takenBack }) => takenBack).length;
  if (changes.length === 0) return 'nothing was changed';
  if (taken === 0) return 'no';
  return taken === changes.length ? 'yes' : `${taken} of ${plural(changes.length, 'change')}`;
}

/** The whole description; a list shows only its beginning. */
function askedText(description: string, columns: number): string[] {
  const lines = displayLines(description).replaceAll('\t', '    ').split('\n');
  return lines
    .flatMap((line) => wrapWords(`    ${line}`, columns, 4))
    .map((line) => line.trimEnd());
}

/** What stands before a path, as git has it. */
export const SIGNS: Record<ChangeKind, readonly [sign: string, style: Style]> = {
  created: ['A', 'green'],
  deleted: ['D', 'red'],
  modified: ['M', 'yellow'],
  running: ['?', 'yellow'],
};
const LONGEST_NAME = 40;

function changesText({ paint, columns }: Call, changes: readonly InspectedChange[]): string[] {
  if (changes.length === 0) return ['No change is on record under it.'];
  const names = changes.map(({ path }) => displayText(path));
  const column = Math.min(LONGEST_NAME, widestOf(names));
  return changes.flatMap((change, i) => {
    const [sign, style] = SIGNS[changeKind(change)];
    const name = padWidth(names[i] ?? '', column);
    return beside(`  ${paint(style, sign)} ${name}  `, detailsOf(change), columns);
  });
}

/** What an attribution means. */
export const SURE = {
  exact: 'a tool named it',
  inferred: 'a command was running',
  shared: 'not certain who did it',
} as const;

function detailsOf(change: InspectedChange): string {
  const { insertions, deletions, attribution, takenBack, after } = change;
  return [
    ...lineCounts({ insertions, deletions }),
    `${attribution} (${SURE[attribution]})`,
    ...(after === null ? ['its tool is still at work'] : []),
    ...(takenBack ? ['taken back'] : []),
  ].join(', ');
}

/** "+3 -1" as the only entry; nothing where no line changed. */
export function lineCounts({ insertions, deletions }: LineCount): string[] {
  const more = insertions > 0 ? [`+${insertions}`] : [];
  const less = deletions > 0 ? [`-${deletions}`] : [];
  const counts = [...more, ...less].join(' ');
  return counts === '' ? [] : [counts];
}
