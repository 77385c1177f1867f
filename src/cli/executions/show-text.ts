import { displayText } from '../../index.ts';
import type { Style } from '../../terminal/paint.ts';
import { exactTime, plural, relativeTime } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth, wrapWords } from '../../terminal/text-width.ts';
import type { Call } from '../command.ts';
import type { ChangeKind } from '../inspection-text.ts';
import { holderText, KINDS, STATUS_STYLES } from './execution-text.ts';
import type { ShownAttempt, ShownFile, ShownStep, ShownWithFiles } from './show.ts';

const FACT_COLUMN = 13;

type Fact = readonly [name: string, text: string];

export function factsText(call: Call, shown: ShownWithFiles): string[] {
  const { known, createdAt, sessionId, parent } = shown;
  const { io, paint, columns } = call;
  const when = (time: number): string => `${exactTime(time)} (${relativeTime(time, io.now())})`;
  const facts: (Fact | null)[] = [
    ['Execution', paint('bold', displayText(known.id))],
    ['Kind', KINDS[known.kind]],
    ['Status', `${known.status}, ${plural(known.done, 'step')} done`],
    known.holder === null ? null : ['Held by', holderText(known.holder)],
    parent === null
      ? null
      : ['Forked from', `${displayText(parent.id)}, after step ${parent.step}`],
    createdAt === null ? null : ['Begun', when(createdAt)],
    ['Updated', when(known.updatedAt)],
    sessionId === null ? null : ['Session', displayText(sessionId)],
  ];
  return facts
    .filter((fact) => fact !== null)
    .flatMap(([name, text]) =>
      beside({ text: name.padEnd(FACT_COLUMN), width: FACT_COLUMN }, text, columns),
    );
}

const LONGEST_NAME = 40;

export function stepsText(call: Call, { steps }: ShownWithFiles): string[] {
  if (steps.length === 0) return ['No step was begun.'];
  const names = steps.map(({ name }) => clipWidth(displayText(name), LONGEST_NAME));
  const column = Math.max(...names.map(textWidth));
  return steps.flatMap((step, i) => stepText(call, step, padWidth(names[i] ?? '', column)));
}

function stepText(call: Call, step: ShownStep, name: string): string[] {
  const { paint } = call;
  const { index, status, attempts } = step;
  const isOne = attempts.length === 1;
  const number = paint('bold', String(index).padStart(3));
  const painted = paint(STATUS_STYLES[status] ?? 'bold', status);
  const head = `${number}  ${name}  ${painted}${isOne ? '' : `, ${attempts.length} attempts`}`;
  return [head, ...attempts.flatMap((attempt) => attemptText(call, attempt, isOne))];
}

const INDENT = '       ';

function attemptText(call: Call, attempt: ShownAttempt, isOnly: boolean): string[] {
  const { io, columns, paint } = call;
  const { endedAt, startedAt, checkpointId, error, effects, files } = attempt;
  const time = endedAt ?? startedAt;
  const about = [
    ...(isOnly ? [] : [`attempt ${attempt.attempt} ${attempt.status}`]),
    ...(time === null ? [] : [relativeTime(time, io.now())]),
    ...(checkpointId === null ? [] : [`file checkpoint ${checkpointId.slice(0, 8)}`]),
  ].join(', ');
  const line = (text: string): string[] =>
    wrapWords(`${INDENT}${text}`, columns, INDENT.length + 2);
  return [
    ...line(about).map((part) => paint('dim', part)),
    // Where it was thrown is in the JSON.
    ...(error === null ? [] : line(`error: ${displayText(firstLine(error))}`)),
    ...effects.flatMap(({ description }) => line(`cannot be undone: ${displayText(description)}`)),
    ...(files ?? []).flatMap((file) => fileText(call, file)),
  ];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

const SIGNS: Record<ChangeKind, readonly [sign: string, style: Style]> = {
  created: ['A', 'green'],
  deleted: ['D', 'red'],
  modified: ['M', 'yellow'],
  running: ['?', 'yellow'],
};

function fileText({ paint, columns }: Call, file: ShownFile): string[] {
  const { path, change, insertions, deletions, takenBack } = file;
  const [sign, style] = SIGNS[change];
  const lines = [
    ...(insertions > 0 ? [`+${insertions}`] : []),
    ...(deletions > 0 ? [`-${deletions}`] : []),
  ].join(' ');
  const details = [lines, takenBack ? 'taken back' : ''].filter((part) => part !== '').join(', ');
  const name = displayText(path);
  const text = `${INDENT}${paint(style, sign)} ${name}  `;
  return beside({ text, width: INDENT.length + textWidth(name) + 4 }, details, columns);
}
