import {
  ATTRIBUTIONS,
  CHANGE_ORIGINS,
  FILE_CHANGE_KINDS,
  type FileChange,
  type FileOrigins,
  GAPS,
  LINE_ORIGINS,
  type LineOrigin,
  type TrackedPath,
  UNKNOWN_REASONS,
} from '../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  integer,
  type Kind,
  listOf,
  nullable,
  oneOf,
  optional,
  TEXT,
} from '../model/check.ts';
import type { Call } from './command.ts';
import { printJson, withPathBytes } from './json.ts';
import { PATH, PATH_BYTES, STATE, stateJson, TIME, timeJson } from './json-shapes.ts';

const ATTRIBUTION = described(
  'exact: a tool named the file. inferred: only commands of this session ran. shared: somebody else may have done it.',
  oneOf(...ATTRIBUTIONS),
);

/** The fields that say under which prompt, by which agent and by which call something was done. */
const DOER = {
  checkpointId: described(
    'The prompt; null where there is none, or it was removed.',
    nullable(TEXT),
  ),
  description: described('What was asked, from its checkpoint.', nullable(TEXT)),
  sessionId: nullable(TEXT),
  agent: nullable(TEXT),
  toolCallId: nullable(TEXT),
  subagentId: nullable(TEXT),
  operationId: described('The rewind, undo or redo that did it.', nullable(TEXT)),
  coAuthors: described(
    'Other prompts that it may belong to as well.',
    listOf(exact({ sessionId: TEXT, checkpointId: TEXT })),
  ),
} as const;

const ORIGIN = exact({
  kind: described(
    'agent: a tool call or a command. outside: you, or a program that nobody recorded. operation: you, in the conflict of a rewind. unrecorded: not recorded yet. before: in the file when its record began. unknown: see reason.',
    oneOf(...LINE_ORIGINS),
  ),
  reason: described('Why nobody can tell; null for other kinds.', nullable(oneOf(...GAPS))),
  seq: described(
    'The change that brought the lines; null where none is on record.',
    nullable(integer(1)),
  ),
  path: described('The name that the file had then.', nullable(PATH)),
  createdAt: nullable(TIME),
  attribution: nullable(ATTRIBUTION),
  ...DOER,
});

const SPAN = exact({
  first: described('The first line of the file is 1.', integer(1)),
  last: integer(1),
  origin: described('Its place in `origins`.', COUNT),
  lines: optional(described('Without their newlines.', listOf(TEXT))),
});

const SHAPE = exact({
  path: PATH,
  state: STATE,
  noLines: described(
    'Null for a file of text; otherwise why there are no lines to ask about.',
    nullable(oneOf('absent', 'directory', 'symlink', 'binary', ...UNKNOWN_REASONS)),
  ),
  lineCount: COUNT,
  spans: described('Lines that follow each other and have one origin, in order.', listOf(SPAN)),
  origins: listOf(ORIGIN),
  pathBytes: PATH_BYTES,
});

const FILE_CHANGE = exact({
  seq: integer(1),
  path: described('The name that the file had then.', PATH),
  change: oneOf(...FILE_CHANGE_KINDS),
  from: described('The name that it had before; null unless it was renamed.', nullable(PATH)),
  origin: oneOf(...CHANGE_ORIGINS),
  attribution: ATTRIBUTION,
  createdAt: TIME,
  ...DOER,
  before: STATE,
  after: described('Says nothing yet while the change is running.', STATE),
  insertions: COUNT,
  deletions: COUNT,
  takenBack: described('An operation that is in effect took it back.', BOOLEAN),
});

const HISTORY_SHAPE = exact({
  path: PATH,
  changes: described('Newest first, under all names of the file.', listOf(FILE_CHANGE)),
  pathBytes: PATH_BYTES,
});

/** For the published schemas. */
export const WHY: Kind<unknown> = SHAPE;
export const HISTORY: Kind<unknown> = HISTORY_SHAPE;

type IsShown = (path: TrackedPath) => boolean;

/** Prints for programs who wrote each line of a file, with the lines themselves. */
export function printWhy(call: Call, found: FileOrigins): void {
  const told = whyJson(found, () => true);
  const spans = told.spans.map((span) => {
    return { ...span, lines: found.lines.slice(span.first - 1, span.last) };
  });
  printJson(call, SHAPE, { ...told, spans });
}

/** The same for a model: without the lines, and with the beginning of what was asked. */
export function whyAnswer(found: FileOrigins, isShown: IsShown, mostOfPrompt: number): object {
  const told = whyJson(found, isShown);
  const origins = told.origins.map((origin) => ({
    ...origin,
    description: origin.description?.slice(0, mostOfPrompt) ?? null,
  }));
  return { ...told, origins };
}

/** `isShown`: whether a name that the file had before may be shown. */
function whyJson({ path, state, noLines, lines, spans }: FileOrigins, isShown: IsShown) {
  const origins = [...new Set(spans.map(({ origin }) => origin))];
  const places = new Map(origins.map((origin, at) => [origin, at]));
  return withPathBytes(({ name }) => ({
    path: name(path),
    state: stateJson(state),
    noLines,
    lineCount: lines.length,
    spans: spans.map(({ first, last, origin }) => {
      return { first, last, origin: places.get(origin) ?? 0 };
    }),
    origins: origins.map((origin) => {
      const { kind, change, reason } = origin;
      return {
        kind,
        reason,
        seq: change?.seq ?? null,
        path: change !== null && isShown(change.path) ? name(change.path) : null,
        createdAt: change && timeJson(change.createdAt),
        attribution: change?.attribution ?? null,
        ...doerJson(origin),
      };
    }),
  }));
}

/** Prints for programs what happened to a file. */
export function printHistory(call: Call, path: TrackedPath, history: readonly FileChange[]): void {
  const printed = withPathBytes(({ name }) => ({
    path: name(path),
    changes: history.map((one) => {
      const { kind, change, from, insertions, deletions, takenBack } = one;
      const { seq, origin, attribution, createdAt, before, after } = change;
      return {
        seq,
        path: name(change.path),
        change: kind,
        from: from && name(from),
        origin,
        attribution,
        createdAt: timeJson(createdAt),
        ...doerJson(one),
        before: stateJson(before),
        after: after && stateJson(after),
        insertions,
        deletions,
        takenBack,
      };
    }),
  }));
  printJson(call, HISTORY_SHAPE, printed);
}

function doerJson({
  change,
  checkpoint,
  session,
}: Pick<LineOrigin, 'change' | 'checkpoint' | 'session'>) {
  return {
    checkpointId: checkpoint?.id ?? null,
    description: checkpoint?.description ?? null,
    sessionId: session?.id ?? null,
    agent: session?.agent ?? null,
    toolCallId: change?.toolCallId ?? null,
    subagentId: change?.subagentId ?? null,
    operationId: change?.operationId ?? null,
    coAuthors: change?.coAuthors ?? [],
  };
}
