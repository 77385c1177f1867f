import { PathNames } from '../../cli/json.ts';
import {
  type FileChange,
  type LineOrigin,
  type NamedPath,
  type Savepoint,
  selectedPath,
} from '../../index.ts';
import type { Author, FileAnswer, FileEvent, WhyAnswer } from '../api.ts';
import { sideOf, sideState } from './sides.ts';
import { titleOf } from './timeline-answer.ts';
import { WebError } from './web-error.ts';

/** The life of one file under all its names, newest first. */
export async function fileAnswer(savepoint: Savepoint, named: NamedPath): Promise<FileAnswer> {
  const path = selectedPath(savepoint.root, named);
  const history = await savepoint.fileHistory(named);
  if (history.length === 0) {
    throw new WebError(404, 'not-found', 'nothing is on record of this file');
  }
  const isPrivate = await savepoint.privatePaths();
  const { state } = await savepoint.look(named);
  const names = new PathNames();
  const earlier = history.flatMap(({ from }) => (from === null ? [] : [names.name(from)]));
  return {
    path: names.name(path),
    now: sideState(state),
    earlierNames: [...new Set(earlier)],
    private: isPrivate(path),
    events: history.map((one) => eventJson(one, names)),
    pathBytes: names.pathBytes,
  };
}

function eventJson(found: FileChange, names: PathNames): FileEvent {
  const { kind, change, from, insertions, deletions, takenBack } = found;
  const { seq, createdAt, origin, attribution } = change;
  return {
    seq,
    at: createdAt,
    path: names.name(change.path),
    change: kind,
    ...(from === null ? {} : { from: names.name(from) }),
    origin,
    attribution,
    author: authorOf(found, AUTHORS[origin]),
    insertions,
    deletions,
    takenBack,
  };
}

/** Whom a reader looks for behind the origin of a change, or of a line. */
const AUTHORS = {
  agent: 'agent',
  tool: 'agent',
  shell: 'agent',
  outside: 'you',
  unrecorded: 'you',
  operation: 'operation',
  before: 'before',
  unknown: 'unknown',
} as const;

type Written = Pick<LineOrigin, 'change' | 'checkpoint' | 'session'> &
  Partial<Pick<FileChange, 'operation'>>;

function authorOf(
  { change, checkpoint, session, operation }: Written,
  kind: Author['kind'],
): Author {
  const description = operation?.description ?? checkpoint?.description ?? null;
  return {
    kind,
    agent: session?.agent ?? null,
    checkpointId: checkpoint?.id ?? null,
    title: description === null ? null : titleOf(description),
    at: change?.createdAt ?? null,
  };
}

/** Who wrote each line of a file as it stands now. */
export async function whyAnswer(savepoint: Savepoint, path: NamedPath): Promise<WhyAnswer> {
  const { path: tracked, state, lines, spans } = await savepoint.why({ path });
  const { bytes } = await savepoint.look(path);
  const places = new Map<LineOrigin, number>();
  for (const { origin } of spans) {
    if (!places.has(origin)) places.set(origin, places.size);
  }
  const names = new PathNames();
  return {
    path: names.name(tracked),
    now: sideOf(tracked, state, bytes ?? Buffer.from(lines.join('\n'))),
    authors: [...places.keys()].map((origin) => authorOf(origin, AUTHORS[origin.kind])),
    lines: spans.map(({ first, last, origin }) => ({
      from: first,
      to: last,
      author: places.get(origin) ?? 0,
      seq: origin.change?.seq ?? null,
    })),
    pathBytes: names.pathBytes,
  };
}
