import { resolve } from 'node:path';
import { exists } from '../../fs/entries.ts';
import {
  displayLines,
  displayText,
  type FileChange,
  type FileOrigins,
  type Gap,
  type LineOrigin,
  type LineSpan,
  type NamedPath,
  type NoLines,
  RUN_AGENT,
  type Savepoint,
  type Session,
  selectedPath,
  type TrackedPath,
} from '../../index.ts';
import { relativeTime, shellWord } from '../../terminal/phrases.ts';
import { neverRecorded } from '../../terminal/reasons.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, textWidth, wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import { pathArguments } from '../path-arguments.ts';
import { HISTORY, printHistory, printWhy, WHY } from '../why-shapes.ts';
import { type Fact, factsText, lineCounts, SIGNS, SURE, timeText } from './show.ts';

export const why: Command = {
  name: 'why',
  arguments: 'FILE[:LINE]',
  summary: 'who wrote each line of a file: which prompt, agent and tool call, or you',
  details:
    'Says of each line of a file, as it is now, which prompt wrote it, and by which agent and tool call; or that\n' +
    'it was you, or that it was there before Savepoint. It needs no commits. FILE:LINE and FILE:FROM-TO ask about\n' +
    'some lines only. It follows renames, and a line that a rewind brought back belongs to whoever wrote it. An\n' +
    '"inferred" prompt ran the only commands of that time; where others ran as well, it is "shared". --history\n' +
    'lists what happened to the file, newest first, also if it is gone.',
  options: {
    history: flag('the changes of the file instead of its lines'),
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint why src/app.ts', 'every line, in groups of one origin'],
    ['savepoint why src/app.ts:42', 'one line'],
    ['savepoint why src/app.ts:40-60 --json', 'some lines, for a program'],
    ['savepoint why src/app.ts --history', 'the life of the file'],
  ],
  completes: ['path'],
  json: { why: WHY, 'why-history': HISTORY },
  run: async (call) => {
    const [typed = ''] = expectArgs(call, 'why', 1, 1);
    if (!call.flags.has('history')) {
      return showLines(call, await withTimeline(call, (savepoint) => ask(call, savepoint, typed)));
    }
    const { file, history } = await withTimeline(call, async (savepoint) => {
      await savepoint.scanAgain();
      const file = fileArgument(call, savepoint, typed);
      return {
        file: selectedPath(savepoint.root, file),
        history: await savepoint.fileHistory(file),
      };
    });
    printHistory(call, file, history);
    await showPage(call, call.json ? [] : historyText(call, typed, history));
    return history.length === 0 ? EXIT.notFound : EXIT.done;
  },
};

interface Answer {
  readonly typed: string;
  readonly found: FileOrigins;
  /** The newest change, where there is no file to ask about. */
  readonly last: FileChange | null;
  /** Whether the answer is about some lines only. */
  readonly isPart: boolean;
}

async function ask(call: Call, savepoint: Savepoint, typed: string): Promise<Answer> {
  const { name, lines } = await withoutLines(call, savepoint, typed);
  // So that what was done since the last scan has an author as well.
  await savepoint.scanAgain();
  const path = fileArgument(call, savepoint, name);
  const found = await savepoint.why({ path, ...lines });
  const [last = null] = found.noLines === 'absent' ? await savepoint.fileHistory(path) : [];
  return { typed: name, found, last, isPart: lines !== null };
}

async function showLines(call: Call, answer: Answer): Promise<ExitCode> {
  const { found, typed, isPart, last } = answer;
  printWhy(call, found);
  if (found.noLines === null) {
    await showPage(call, call.json ? [] : whyText(call, found, isPart));
    call.hint(
      `see all that happened to the file with: savepoint why ${shellWord(displayText(typed))} --history`,
    );
    return EXIT.done;
  }
  for (const line of noLinesText(call, typed, found.noLines, last)) call.say(line);
  return found.noLines === 'absent' ? EXIT.notFound : EXIT.done;
}

const WITH_LINES = /^(.+):(\d{1,15})(?:-(\d{1,15}))?$/s;

/** The name without ":LINE" or ":FROM-TO"; a file that has such a name is meant whole. */
async function withoutLines(
  call: Call,
  savepoint: Savepoint,
  typed: string,
): Promise<{
  readonly name: string;
  readonly lines: { readonly first: number; readonly last: number } | null;
}> {
  const [, name, from, to = from] = WITH_LINES.exec(typed) ?? [];
  if (name === undefined || (await isFile(call, savepoint, typed))) {
    return { name: typed, lines: null };
  }
  const lines = { first: Number(from), last: Number(to) };
  if (lines.first < 1 || lines.last < lines.first) {
    throw new UsageError(
      `"${displayText(typed)}" names no lines: they count from 1, the first one first`,
    );
  }
  return { name, lines };
}

async function isFile(call: Call, savepoint: Savepoint, typed: string): Promise<boolean> {
  if (exists(resolve(call.io.cwd, typed))) return true;
  const path = selectedPath(savepoint.root, fileArgument(call, savepoint, typed));
  return (await savepoint.changes({ paths: [path] })).length > 0;
}

function fileArgument(call: Call, savepoint: Savepoint, typed: string): NamedPath {
  const [path] = pathArguments(call, savepoint.root, [typed]) ?? [];
  if (path === undefined) throw new UsageError('this is the project itself; name a file in it');
  return path;
}

/** The lines below their origins; for lines of one origin that were asked about, all that is known of it. */
function whyText(call: Call, found: FileOrigins, isPart: boolean): string[] {
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
function historyText(call: Call, typed: string, history: readonly FileChange[]): string[] {
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
function noLinesText(
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
