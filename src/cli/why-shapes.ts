import {
  ATTRIBUTIONS,
  type Attribution,
  CHANGE_ORIGINS,
  type Change,
  FILE_CHANGE_KINDS,
  type FileChange,
  type FileChangeKind,
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
import { type PathNames, withPathBytes } from './json.ts';
import {
  PATH,
  PATH_BYTES,
  STATE,
  type StateJson,
  stateJson,
  TIME,
  timeJson,
} from './json-shapes.ts';

const ATTRIBUTION = described(
  'exact: a tool named the file. inferred: only commands of this session ran. shared: somebody else may have done it.',
  oneOf(...ATTRIBUTIONS),
);

interface DoerJson extends Pick<Change, 'toolCallId' | 'subagentId'> {
  readonly checkpointId: string | null;
  readonly description: string | null;
  readonly sessionId: string | null;
  readonly agent: string | null;
  readonly operationId: string | null;
  readonly coAuthors: readonly { readonly sessionId: string; readonly checkpointId: string }[];
}

interface OriginJson extends DoerJson, Pick<LineOrigin, 'kind' | 'reason'> {
  readonly seq: number | null;
  readonly path: string | null;
  readonly createdAt: string | null;
  readonly attribution: Attribution | null;
}

interface WhyJson extends Pick<FileOrigins, 'noLines'> {
  readonly path: string;
  readonly state: StateJson;
  readonly lineCount: number;
  readonly spans: readonly {
    readonly first: number;
    readonly last: number;
    readonly origin: number;
    readonly lines?: readonly string[];
  }[];
  readonly origins: readonly OriginJson[];
  readonly pathBytes: Readonly<Record<string, string>>;
}

interface FileChangeJson
  extends DoerJson,
    Pick<FileChange, 'insertions' | 'deletions' | 'takenBack'>,
    Pick<Change, 'seq' | 'origin' | 'attribution'> {
  readonly path: string;
  readonly change: FileChangeKind;
  readonly from: string | null;
  readonly createdAt: string;
  readonly before: StateJson;
  readonly after: StateJson;
}

interface HistoryJson {
  readonly path: string;
  readonly changes: readonly FileChangeJson[];
  readonly pathBytes: Readonly<Record<string, string>>;
}

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

const ORIGIN: Kind<OriginJson> = exact({
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

export const WHY: Kind<WhyJson> = exact({
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

const FILE_CHANGE: Kind<FileChangeJson> = exact({
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

export const HISTORY: Kind<HistoryJson> = exact({
  path: PATH,
  changes: described('Newest first, under all names of the file.', listOf(FILE_CHANGE)),
  pathBytes: PATH_BYTES,
});

interface Told {
  /** The lines themselves as well. */
  readonly lines: boolean;
  /** Whether a name that the file had before may be shown. */
  readonly isShown?: (path: TrackedPath) => boolean;
}

export function whyJson(
  { path, state, noLines, lines, spans }: FileOrigins,
  { lines: withLines, isShown = () => true }: Told,
): WhyJson {
  const origins = [...new Set(spans.map(({ origin }) => origin))];
  const places = new Map(origins.map((origin, at) => [origin, at]));
  return withPathBytes((names) => ({
    path: names.name(path),
    state: stateJson(state),
    noLines,
    lineCount: lines.length,
    spans: spans.map(({ first, last, origin }) => ({
      first,
      last,
      origin: places.get(origin) ?? 0,
      ...(withLines ? { lines: lines.slice(first - 1, last) } : {}),
    })),
    origins: origins.map((origin) => originJson(origin, names, isShown)),
  }));
}

function originJson(
  origin: LineOrigin,
  names: PathNames,
  isShown: (path: TrackedPath) => boolean,
): OriginJson {
  const { kind, change, reason } = origin;
  const isNamed = change !== null && isShown(change.path);
  return {
    kind,
    reason,
    seq: change?.seq ?? null,
    path: isNamed ? names.name(change.path) : null,
    createdAt: change && timeJson(change.createdAt),
    attribution: change?.attribution ?? null,
    ...doerJson(origin),
  };
}

/** The answer of `savepoint why FILE --history --json`. */
export function historyJson(path: TrackedPath, history: readonly FileChange[]): HistoryJson {
  return withPathBytes(({ name }) => ({
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
}

function doerJson({
  change,
  checkpoint,
  session,
}: Pick<LineOrigin, 'change' | 'checkpoint' | 'session'>): DoerJson {
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
