import { PathNames } from '../../cli/json.ts';
import { checkpointJson, sessionJson } from '../../cli/json-shapes.ts';
import {
  ATTRIBUTIONS,
  type Attribution,
  type Change,
  type CheckpointId,
  countLines,
  findRenames,
  type InspectedChange,
  type InspectedCheckpoint,
  type IsPrivate,
  type LineCount,
  type NamedPath,
  type Savepoint,
  type State,
  selectedPath,
  type TrackedPath,
} from '../../index.ts';
import type { CallChange, ChangedFile, CheckpointAnswer, DiffAnswer, ToolCall } from '../api.ts';
import { bytesOf, sideOf, sideState } from './sides.ts';
import { WebError } from './web-error.ts';

/** Everything on record of one checkpoint: what was asked, which calls changed what, and what became of each file. */
export async function checkpointAnswer(
  savepoint: Savepoint,
  ref: string,
): Promise<CheckpointAnswer> {
  const seen = await savepoint.inspect(ref);
  const { checkpoint, session, changes } = seen;
  const [listed] = await savepoint.list({ ids: [checkpoint.id] });
  if (listed === undefined) throw new WebError(404, 'not-found', 'the checkpoint was removed');
  const imported = await savepoint.importedSessions(session === null ? [] : [session.id]);
  const names = new PathNames();
  return {
    checkpoint: checkpointJson(listed, totalOf(changes)),
    current: (await savepoint.currentPlace()) === checkpoint.id,
    session: session && sessionJson(session, imported),
    calls: await callsOf(savepoint, seen, names),
    files: await filesOf(savepoint, changes, names),
    ...(await neighboursOf(savepoint, seen)),
    pathBytes: names.pathBytes,
  };
}

function totalOf(changes: readonly LineCount[]): LineCount {
  return {
    insertions: changes.reduce((sum, one) => sum + one.insertions, 0),
    deletions: changes.reduce((sum, one) => sum + one.deletions, 0),
  };
}

async function callsOf(
  savepoint: Savepoint,
  { checkpoint, session, changes }: InspectedCheckpoint,
  names: PathNames,
): Promise<ToolCall[]> {
  const running = (await savepoint.running()).filter((one) => one.checkpointId === checkpoint.id);
  const inOrder = changes.toSorted((a, b) => a.seq - b.seq);
  const groups = Map.groupBy(
    inOrder,
    ({ toolCallId, subagentId, origin }) => `${toolCallId}\n${subagentId}\n${origin}`,
  );
  // A run is one command, and its checkpoint is called by that.
  const run = session?.run == null ? null : checkpoint.description;
  const calls = [...groups.values()].map((group): ToolCall => {
    const { toolCallId, subagentId, origin, createdAt: at } = group[0] as InspectedChange;
    const work = running.find((one) => toolCallId !== null && one.toolCallId === toolCallId);
    return {
      toolCallId,
      subagentId,
      origin,
      command: origin === 'shell' ? (work?.description ?? run) : null,
      at,
      running: work !== undefined || group.some(({ after }) => after === null),
      changes: group.map((change) => callChange(change, names)),
    };
  });
  const shown = new Set(calls.flatMap(({ toolCallId }) => toolCallId ?? []));
  const idle = running
    .filter(({ toolCallId }) => toolCallId === null || !shown.has(toolCallId))
    .map(({ toolCallId, subagentId, description: command, createdAt: at }): ToolCall => {
      const origin = 'shell';
      return { toolCallId, subagentId, origin, command, at, running: true, changes: [] };
    });
  return [...calls, ...idle];
}

function callChange(change: InspectedChange, names: PathNames): CallChange {
  const { seq, path, attribution, insertions, deletions, takenBack } = change;
  return {
    seq,
    path: names.name(path),
    change: kindOf(change.before, change.after),
    attribution,
    insertions,
    deletions,
    takenBack,
  };
}

function kindOf(before: State, after: State | null): CallChange['change'] {
  if (after === null) return 'running';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

/** A path from before its first change to after its last one. */
interface Net {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
  readonly changes: readonly InspectedChange[];
}

async function filesOf(
  savepoint: Savepoint,
  changes: readonly InspectedChange[],
  names: PathNames,
): Promise<ChangedFile[]> {
  const isPrivate = await savepoint.privatePaths();
  const nets = [...Map.groupBy(changes, ({ path }) => path)].map(
    ([path, own]): Net => ({ path, ...netOf(own), changes: own }),
  );
  const renames = findRenames(nets);
  const left = new Set(renames.values());
  const files: ChangedFile[] = [];
  for (const net of nets.filter(({ path }) => !left.has(path))) {
    const from = nets.find(({ path }) => path === renames.get(net.path)) ?? null;
    files.push(await changedFile(savepoint, net, from, names, isPrivate));
  }
  return files;
}

/** The states around all of these changes of one path. */
function netOf(changes: readonly Change[]): { before: State; after: State } {
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined) throw new Error('a path has a change');
  return { before: first.before, after: last.after ?? last.before };
}

async function changedFile(
  savepoint: Savepoint,
  { path, before, after, changes }: Net,
  from: Net | null,
  names: PathNames,
  isPrivate: IsPrivate,
): Promise<ChangedFile> {
  const taken = changes.filter(({ takenBack }) => takenBack).length;
  const lines = from === null ? await netLines(savepoint, before, after, changes) : NO_LINES;
  return {
    path: names.name(path),
    status: from === null ? statusOf(before, after) : 'renamed',
    ...(from === null ? {} : { from: names.name(from.path) }),
    attribution: leastCertain(changes),
    ...lines,
    takenBack: taken === 0 ? 'no' : taken === changes.length ? 'yes' : 'partly',
    private: isPrivate(path),
    after: sideState(after),
  };
}

const NO_LINES: LineCount = { insertions: 0, deletions: 0 };

/** A line that came and went under the checkpoint counts nothing. */
async function netLines(
  savepoint: Savepoint,
  before: State,
  after: State,
  changes: readonly InspectedChange[],
): Promise<LineCount> {
  const [only, other] = changes;
  if (only !== undefined && other === undefined) {
    return { insertions: only.insertions, deletions: only.deletions };
  }
  if (before.kind === 'unknown' || after.kind === 'unknown') return NO_LINES;
  const [old, now] = [await bytesOf(savepoint, before), await bytesOf(savepoint, after)];
  if (old?.includes(0) || now?.includes(0)) return NO_LINES;
  return countLines(old ?? NOTHING, now ?? NOTHING);
}

const NOTHING = new Uint8Array();

function statusOf(before: State, after: State): ChangedFile['status'] {
  if (before.kind === 'unknown' || after.kind === 'unknown') return 'unknown';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

function leastCertain(changes: readonly Change[]): Attribution {
  const places = changes.map(({ attribution }) => ATTRIBUTIONS.indexOf(attribution));
  return ATTRIBUTIONS[Math.max(0, ...places)] ?? 'exact';
}

const NEIGHBOURS = 50;

async function neighboursOf(
  savepoint: Savepoint,
  { checkpoint: { sessionId, seq, createdAt } }: InspectedCheckpoint,
): Promise<{ previous: CheckpointId | null; next: CheckpointId | null }> {
  if (sessionId === null) return { previous: null, next: null };
  const sessionIds = [sessionId];
  const [previous] = await savepoint.list({ sessionIds, before: seq, limit: 1 });
  const newer = { since: createdAt, oldestFirst: true, limit: NEIGHBOURS } as const;
  const later = await savepoint.list({ sessionIds, ...newer });
  const next = later.find((one) => one.seq > seq);
  return { previous: previous?.id ?? null, next: next?.id ?? null };
}

interface DiffRequest {
  readonly path: NamedPath;
  /** The name that the file had before. */
  readonly from?: NamedPath | undefined;
}

/** What became of one file under a checkpoint, with both texts. */
export async function diffAnswer(
  savepoint: Savepoint,
  ref: string,
  request: DiffRequest,
): Promise<DiffAnswer> {
  const { id } = await savepoint.resolve(ref);
  const path = selectedPath(savepoint.root, request.path);
  const from = request.from === undefined ? null : selectedPath(savepoint.root, request.from);
  const changes = await savepoint.changes({ checkpointIds: [id] });
  const own = changes.filter((one) => one.path === path);
  if (own.length === 0) throw noChange();
  const old = from === null ? own : changes.filter((one) => one.path === from);
  if (old.length === 0) throw new WebError(404, 'not-found', 'it did not have that name there');
  return netDiff(savepoint, { path, before: netOf(old).before, after: netOf(own).after }, from);
}

/** One change of a file, by its number, with both texts. */
export async function changeAnswer(
  savepoint: Savepoint,
  named: NamedPath,
  seq: number,
): Promise<DiffAnswer> {
  const path = selectedPath(savepoint.root, named);
  const changes = await savepoint.changes({ paths: [path] });
  const change = changes.find((one) => one.path === path && one.seq === seq);
  if (change === undefined) throw noChange();
  const { before, after } = change;
  return netDiff(savepoint, { path, before, after: after ?? { kind: 'absent' } }, null);
}

async function netDiff(
  savepoint: Savepoint,
  { path, before, after }: Pick<Net, 'path' | 'before' | 'after'>,
  from: TrackedPath | null,
): Promise<DiffAnswer> {
  const names = new PathNames();
  return {
    path: names.name(path),
    ...(from === null ? {} : { from: names.name(from) }),
    status: from === null ? statusOf(before, after) : 'renamed',
    before: sideOf(from ?? path, before, await bytesOf(savepoint, before)),
    after: sideOf(path, after, await bytesOf(savepoint, after)),
    pathBytes: names.pathBytes,
  };
}

function noChange(): WebError {
  return new WebError(404, 'not-found', 'no change of it is on record there');
}
