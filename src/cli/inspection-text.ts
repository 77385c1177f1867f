import {
  displayLines,
  displayText,
  type InspectedChange,
  type InspectedCheckpoint,
  type Operation,
} from '../index.ts';
import type { Style } from '../terminal/paint.ts';
import { COVERAGE, exactTime, plural, relativeTime } from '../terminal/phrases.ts';
import { beside } from '../terminal/rows.ts';
import { padWidth, textWidth, wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';
import { operationText } from './operation-text.ts';

/** What is on record, with all operations: each may have been taken back by any that came later. */
export interface Inspection extends InspectedCheckpoint {
  readonly log: readonly Operation[];
  readonly isCurrent: boolean;
}

export type ChangeKind = (typeof CHANGE_KINDS)[number];
export const CHANGE_KINDS = ['created', 'deleted', 'modified', 'running'] as const;

export function changeKind({ before, after }: InspectedChange): ChangeKind {
  if (after === null) return 'running';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

/** One checkpoint for a person: the facts, what was asked, what changed, what became of it. */
export function inspectionText(call: Call, seen: Inspection): string[] {
  if (call.json) return [];
  const facts = factsOf(call, seen).flatMap(([name, text]) =>
    beside({ text: name.padEnd(FACT_COLUMN), width: FACT_COLUMN }, text, call.columns),
  );
  const operations = seen.operations.flatMap((one) => operationText(call, one, seen.log));
  return [
    ...facts,
    '',
    ...askedText(seen.checkpoint.description, call.columns),
    '',
    ...changesText(call, seen.changes),
    ...(operations.length === 0 ? [] : ['', call.paint('bold', 'Operations'), ...operations]),
  ];
}

const FACT_COLUMN = 13;

type Fact = readonly [name: string, text: string];

function factsOf({ io, paint }: Call, seen: Inspection): Fact[] {
  const { checkpoint, session, madeBefore, isCurrent } = seen;
  const { id, label, kind, createdAt, messageId, coverage, gitHead } = checkpoint;
  const place = isCurrent ? '  (@ the files stand here)' : '';
  const when = `${exactTime(createdAt)} (${relativeTime(createdAt, io.now())})`;
  const facts: (Fact | null)[] = [
    ['Checkpoint', `${paint('bold', id)}${place}`],
    label === null ? null : ['Label', displayText(label)],
    [
      'Kind',
      madeBefore === null ? KINDS[kind] : `made before operation ${madeBefore.id.slice(0, 8)}`,
    ],
    ['When', when],
    session === null ? null : ['Agent', displayText(session.agent)],
    session === null ? null : ['Session', displayText(session.id)],
    session === null || session.rootId === session.id
      ? null
      : ['Part of', displayText(session.rootId)],
    messageId === null ? null : ['Message', displayText(messageId)],
    ['Covers', COVERAGE[coverage]],
    gitHead === null ? null : ['Git HEAD', displayText(gitHead)],
    ['Taken back', takenBackText(seen.changes)],
  ];
  return facts.filter((fact) => fact !== null);
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

/** The whole of it: a list shows only the beginning. */
function askedText(description: string, columns: number): string[] {
  const lines = displayLines(description).replaceAll('\t', '    ').split('\n');
  return lines
    .flatMap((line) => wrapWords(`    ${line}`, columns, 4))
    .map((line) => line.trimEnd());
}

const SIGNS: Record<ChangeKind, readonly [sign: string, style: Style]> = {
  created: ['A', 'green'],
  deleted: ['D', 'red'],
  modified: ['M', 'yellow'],
  running: ['?', 'yellow'],
};
const LONGEST_NAME = 40;

function changesText({ paint, columns }: Call, changes: readonly InspectedChange[]): string[] {
  if (changes.length === 0) return ['No change is on record under it.'];
  const names = changes.map(({ path }) => displayText(path));
  const column = Math.min(LONGEST_NAME, Math.max(...names.map(textWidth)));
  return changes.flatMap((change, i) => {
    const [sign, style] = SIGNS[changeKind(change)];
    const name = padWidth(names[i] ?? '', column);
    const text = `  ${paint(style, sign)} ${name}  `;
    return beside({ text, width: textWidth(name) + 6 }, detailsOf(change), columns);
  });
}

const ATTRIBUTIONS = {
  exact: 'a tool named it',
  inferred: 'a command was running',
  shared: 'not certain who did it',
} as const;

function detailsOf(change: InspectedChange): string {
  const { insertions, deletions, attribution, takenBack, after } = change;
  const lines = [
    ...(insertions > 0 ? [`+${insertions}`] : []),
    ...(deletions > 0 ? [`-${deletions}`] : []),
  ].join(' ');
  return [
    ...(lines === '' ? [] : [lines]),
    `${attribution} (${ATTRIBUTIONS[attribution]})`,
    ...(after === null ? ['its tool is still at work'] : []),
    ...(takenBack ? ['taken back'] : []),
  ].join(', ');
}
