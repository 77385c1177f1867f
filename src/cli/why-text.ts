import {
  displayLines,
  displayText,
  type FileChange,
  type FileOrigins,
  type Gap,
  type LineOrigin,
  type LineSpan,
  type NoLines,
  RUN_AGENT,
  type Session,
  type TrackedPath,
} from '../index.ts';
import { relativeTime } from '../terminal/phrases.ts';
import { neverRecorded } from '../terminal/reasons.ts';
import { beside } from '../terminal/rows.ts';
import { clipWidth, textWidth, wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';
import { type Fact, factsText, lineCounts, SIGNS, SURE, timeText } from './commands/show.ts';

/** The lines below their origins; for lines of one origin that were asked about, all that is known of it. */
export function whyText(call: Call, found: FileOrigins, isPart: boolean): string[] {
  const { spans, lines, path } = found;
  const [first] = spans;
  if (first === undefined) return ['The file is empty.'];
  const width = String(spans.at(-1)?.last ?? 0).length + 2;
  const numbered = ({ first: from, last }: LineSpan): string[] =>
    lines.slice(from - 1, last).map((line, i) => {
      const number = call.paint('dim', String(from + i).padStart(width));
      return `${number}  ${displayLines(line)}`.trimEnd();
    });
  if (isPart && spans.length === 1) {
    return [...factsText(call, factsOf(call, first.origin, path)), '', ...numbered(first)];
  }
  return spans.flatMap((span) => [...headingOf(call, span.origin, path), ...numbered(span)]);
}

const SHOWN_ID = 8;
const LONGEST_AGENT = 30;
const LEAST_ASKED = 16;

/** Who, when, and the beginning of what was asked, in one row where there is room. */
function headingOf(call: Call, origin: LineOrigin, path: TrackedPath): string[] {
  const { paint, columns } = call;
  const { kind, checkpoint, session, reason } = origin;
  if (kind !== 'agent') {
    const text = whoOf(kind, reason) + whenOf(call, origin, path);
    return wrapWords(text, columns, 2).map((line) => paint('yellow', line));
  }
  const id = checkpoint === null ? '' : checkpoint.id.slice(0, SHOWN_ID);
  const agent = clipWidth(agentOf(session), LONGEST_AGENT);
  const who = `${id === '' ? '' : `${id}  `}${agent}${whenOf(call, origin, path)}`;
  const [row = '', ...more] = wrapWords(who, columns, 2);
  const rows = [paint('cyan', row.slice(0, id.length)) + row.slice(id.length), ...more];
  if (checkpoint === null) return rows;
  const asked = firstLine(checkpoint.description);
  const room = columns - textWidth(who) - 2;
  if (room >= LEAST_ASKED) return [`${rows.join('')}  ${clipWidth(asked, room)}`];
  return [...rows, `  ${clipWidth(asked, columns - 2)}`];
}

/** ", 2 hours ago (inferred, as old-name.ts)" */
function whenOf({ io }: Call, { kind, change }: LineOrigin, path: TrackedPath): string {
  if (change === null) return '';
  const notes = [
    ...(kind === 'agent' && change.attribution !== 'exact' ? [change.attribution] : []),
    ...(change.path === path ? [] : [`as ${displayText(change.path)}`]),
  ];
  const more = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return `, ${relativeTime(change.createdAt, io.now())}${more}`;
}

function whoOf(kind: LineOrigin['kind'], reason: Gap | null): string {
  if (kind === 'before') return 'before Savepoint';
  if (kind === 'unrecorded') return 'you (not recorded yet)';
  if (kind === 'operation') return 'you, in the conflict of a rewind';
  return kind === 'unknown' ? `not known: ${gapText(reason)}` : 'you';
}

function gapText(reason: Gap | null): string {
  if (reason === null || reason === 'not-kept') return 'older changes of it are not on record';
  return `before that, ${neverRecorded(reason)}`;
}

function factsOf(call: Call, origin: LineOrigin, path: TrackedPath): Fact[] {
  const { kind, change, checkpoint, session, reason } = origin;
  const others = change?.coAuthors?.map((one) => one.checkpointId.slice(0, SHOWN_ID)) ?? [];
  return [
    ['Written by', kind === 'agent' ? agentOf(session) : whoOf(kind, reason)],
    checkpoint === null
      ? null
      : ['Prompt', `${checkpoint.id.slice(0, SHOWN_ID)} ${firstLine(checkpoint.description)}`],
    session === null ? null : ['Session', displayText(session.id)],
    change?.subagentId == null ? null : ['Sub-agent', displayText(change.subagentId)],
    change?.toolCallId == null ? null : ['Tool call', displayText(change.toolCallId)],
    change === null ? null : ['When', timeText(call, change.createdAt)],
    kind !== 'agent' || change === null
      ? null
      : ['How sure', `${change.attribution} (${SURE[change.attribution]})`],
    others.length === 0 ? null : ['Or by', others.join(', ')],
    change === null || change.path === path ? null : ['As', displayText(change.path)],
  ];
}

/** What happened to a file, newest first. */
export function historyText(call: Call, typed: string, history: readonly FileChange[]): string[] {
  if (history.length === 0) return [`${displayText(typed)}: no change on record`];
  return history.flatMap((one) => {
    const [sign, style] = one.kind === 'renamed' ? (['R', 'yellow'] as const) : SIGNS[one.kind];
    const when = relativeTime(one.change.createdAt, call.io.now());
    return beside(`${call.paint(style, sign)} `, `${when}  ${detailsOf(one)}`, call.columns);
  });
}

function detailsOf(one: FileChange): string {
  const { change, from, checkpoint, session, operation, takenBack } = one;
  const { origin, attribution } = change;
  const id = checkpoint === null ? '' : `${checkpoint.id.slice(0, SHOWN_ID)} `;
  const agent = agentOf(session);
  const byAgent = origin === 'tool' || origin === 'shell';
  const by = byAgent
    ? `${id}${agent}`
    : origin === 'outside'
      ? 'you'
      : OPERATIONS[operation?.kind ?? 'rewind'];
  return [
    by,
    ...(from === null ? [] : [`renamed from ${displayText(from)} to ${displayText(change.path)}`]),
    ...lineCounts(one),
    ...(byAgent && attribution !== 'exact' ? [`${attribution} (${SURE[attribution]})`] : []),
    ...(one.kind === 'running' ? ['its tool is still at work'] : []),
    ...(takenBack ? ['taken back'] : []),
    ...(checkpoint === null ? [] : [firstLine(checkpoint.description)]),
  ].join(', ');
}

const OPERATIONS = { rewind: 'a rewind', undo: 'an undo', redo: 'a redo' } as const;

const NO_LINES: Readonly<Record<string, string>> = {
  absent: 'it is not there',
  directory: 'it is a folder; name a file in it',
  symlink: 'it is a link; name the file that it leads to',
  binary: 'it is not text',
};

/** Why there are no lines to show, and what became of a file that is gone. */
export function noLinesText(
  call: Call,
  typed: string,
  reason: NoLines,
  last: FileChange | null,
): string[] {
  const why =
    NO_LINES[reason] ??
    neverRecorded(reason as Exclude<NoLines, 'absent' | 'directory' | 'symlink' | 'binary'>);
  const text = wrapWords(`${displayText(typed)}: ${why}`, call.columns, 2);
  return last === null ? text : [...text, ...historyText(call, typed, [last])];
}

function agentOf(session: Session | null): string {
  if (session === null) return 'an agent whose session was removed';
  return session.agent === RUN_AGENT ? 'savepoint run' : displayText(session.agent);
}

const LONGEST = 200;

function firstLine(description: string): string {
  const [line = ''] = description.trim().split('\n', 1);
  return clipWidth(displayText(line), LONGEST);
}
