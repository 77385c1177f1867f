import { type CaptureSite, changesOfOverlappedCalls, mayRun } from '../capture/capture.ts';
import { gitHead } from '../capture/git/find-repository.ts';
import { ownerMayRun } from '../capture/process-owner.ts';
import type { Observation } from '../fs/observe.ts';
import type { Attribution } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Decision, OnConflict, PlanLine, PlanNote, RewindPlan } from '../model/plan.ts';
import { ABSENT, type State, sameState, setIdOf } from '../model/state.ts';
import { commandsIn } from '../model/window.ts';
import { hashBytes } from '../store/blob.ts';
import { currentSeq, findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import {
  type ChangeSet,
  changedByOthers,
  changedByRunsBeside,
  loadChangeSet,
  type SetRequest,
} from '../timeline/change-set.ts';
import { decide, oldestBefore, type PathInput, type PlanInput, planPath } from './decide.ts';
import { heldChanges } from './held-changes.ts';
import { hunkNotFound, lineContents, takeHunks } from './hunks.ts';
import { type KeptContents, type LoadedInput, loadPlanInput, MOST_KEPT } from './load-input.ts';
import { notesOn, othersNote } from './notes.ts';

export interface PlanRequest {
  readonly set: SetRequest;
  readonly kind: RewindPlan['kind'];
  readonly description: string;
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
  readonly onConflict: OnConflict | null;
  readonly resolutions?: readonly PathResolution[];
  readonly hunks?: readonly PathHunks[];
  /** Plan even while a tool call of the session is running. */
  readonly force: boolean;
  readonly now: number;
}

/** A person's decision about the conflict at one path. */
export interface PathResolution {
  readonly path: TrackedPath;
  readonly take: Decision;
  /** The state that the person decided about; null for the one that is there now. */
  readonly seen: State | null;
}

/** The hunks of a path that are taken back; the others stay. */
export interface PathHunks {
  readonly path: TrackedPath;
  readonly ids: readonly string[];
}

/** A plan, with the states and contents that were read for it. */
export interface Planned {
  readonly plan: RewindPlan;
  readonly fresh: Fresh;
}

/** Valid only under the lock that the plan was made under: nobody else can write to the store meanwhile. */
export interface Fresh {
  readonly seen: ReadonlyMap<TrackedPath, Observation>;
  /** Contents that will be restored. */
  readonly contents: Pick<KeptContents, 'get'>;
  readonly gitHead: string | null;
}

/** Loads, looks and plans. Writes nothing: a plan that is not applied leaves no trace. */
export async function makePlan(site: CaptureSite, request: PlanRequest): Promise<Planned> {
  const seq = await currentSeq(site.store);
  const set = await loadChangeSet(site.store, request.set, request);
  const families = request.set.take === 'operation' ? [] : set.sessionIds;
  if (!request.force) {
    const paths = new Set(set.chains.map(({ path }) => path));
    await refuseBusy(site.store, { families, paths, now: request.now });
  }
  const exact = request.set.take === 'exact';
  const { hunks = [], resolutions: decided = [], paths: named } = request;
  refuseTwice(decided);
  refuseTwice(hunks);
  const divided = new Set(hunks.flatMap(({ path, ids }) => (ids.length === 0 ? [] : [path])));
  const input = await loadPlanInput(site, set, { named: named ?? [], exact, divided });
  const checkpoint = request.set.take === 'operation' ? null : request.set.checkpoint;
  const resolutions = checkedResolutions(decided, input);
  const settled = { ...input, onConflict: request.onConflict, resolutions };
  const plan = decide({
    ...settled,
    inPart: linesInPart(hunks, settled),
    kind: request.kind,
    checkpointId: checkpoint?.id ?? null,
    reverts: request.set.take === 'operation' ? request.set.operation.id : null,
    seq,
    families,
    description: request.description,
    notes: [],
  });
  const lines = plan.lines.map(sealMerge);
  const head = gitHead(site.root);
  const { seen } = input;
  const uncertain = exact ? new Set<Seq>() : takenAs('shared', set);
  const withShared = set.chains.filter(({ shared }) => shared > 0);
  const uncertainKept = new Set(withShared.map(({ path }) => path));
  const inferred = exact ? new Set<Seq>() : takenAs('inferred', set);
  const lostSetId = new Set(input.paths.filter(hasLostSetId).map(({ path }) => path));
  const notes = [
    ...notesOn({
      ...{ checkpoint, exact, lines, seen, gitHead: head },
      ...{ uncertain, uncertainKept, inferred, lostSetId },
    }),
    ...(await notesOnOthers(site.store, request, set, lines)),
  ];
  const forced = request.force ? ({ forced: true } as const) : {};
  return { plan: { ...plan, lines, notes, ...forced }, fresh: { ...kept(input), gitHead: head } };
}

/** Two entries for one path may contradict each other, and nobody could say which of them counts. */
function refuseTwice(entries: readonly { readonly path: TrackedPath }[]): void {
  const named = new Set<TrackedPath>();
  for (const { path } of entries) {
    if (named.has(path)) {
      throw new SavepointError('argument-invalid', 'the request names this path twice', {
        path,
        hint: 'nothing was changed; name each path once, in one spelling',
      });
    }
    named.add(path);
  }
}

/** Refuses a decision about another state than the one that is there, and one about no conflict. */
function checkedResolutions(
  resolutions: readonly PathResolution[],
  input: LoadedInput,
): ReadonlyMap<TrackedPath, Decision> {
  const undecided = { ...input, onConflict: null, resolutions: new Map() };
  for (const { path, take, seen } of resolutions) {
    const found = input.paths.find((one) => one.path === path);
    if (seen !== null && (found === undefined || !sameState(found.current, seen))) {
      throw new SavepointError('plan-stale', 'a file changed since it was decided about', {
        path,
        hint: 'nothing was changed; look at the conflict again',
      });
    }
    if (found === undefined || planPath(found, undecided).action !== 'conflict') {
      const hint = 'decisions are for paths that the plan shows in conflict';
      throw new SavepointError('argument-invalid', 'there is no conflict at this path', {
        path,
        hint,
      });
    }
    const { current } = found;
    const isFile = current.kind === 'captured' && current.type === 'file';
    if (typeof take === 'object' && !isFile) {
      throw new SavepointError('argument-invalid', 'only a file can get merged content', { path });
    }
  }
  return new Map(resolutions.map(({ path, take }) => [path, take]));
}

/** The lines of the paths that go back in part; null for one of which nothing goes back. */
function linesInPart(
  hunks: readonly PathHunks[],
  input: LoadedInput & Pick<PlanInput, 'onConflict' | 'resolutions'>,
): Map<TrackedPath, PlanLine | null> {
  const inputs = new Map(input.paths.map((one) => [one.path, one]));
  const lines = new Map<TrackedPath, PlanLine | null>();
  for (const { path, ids } of hunks) {
    const found = inputs.get(path);
    const [first] = ids;
    if (first === undefined) lines.set(path, null);
    if (first === undefined) continue;
    if (found === undefined) throw hunkNotFound(first, path);
    const line = planPath(found, input);
    const contents = lineContents(line, input.contents);
    const inPlace = found.hardLinks <= 1;
    const part = takeHunks(line, contents, { ids, hash: hashBytes, inPlace });
    const isWhole = part?.hunks === undefined;
    const held = isWhole ? [] : heldChanges(found, line, { ids, hash: hashBytes, ...input });
    lines.set(path, part === null || isWhole ? part : { ...part, takes: held });
  }
  return lines;
}

/**
 * For a request that names the session: who rewinds to a checkpoint of a session knows whose it is. And for a
 * rewind to a run, which takes later runs with it: those that overlapped stay.
 */
async function notesOnOthers(
  store: Store,
  { set: request, paths }: PlanRequest,
  set: ChangeSet,
  lines: readonly PlanLine[],
): Promise<PlanNote[]> {
  if (request.take !== 'since') return [];
  const { checkpoint, sessionId } = request;
  if (sessionId === undefined) {
    const beside = paths === null ? await changedByRunsBeside(store, checkpoint, set) : [];
    return othersNote(beside, lines, null);
  }
  const isKnown = (await findSession(store, sessionId)) !== null;
  const changed = await changedByOthers(store, checkpoint, set);
  return othersNote(changed, lines, isKnown ? null : sessionId);
}

/** The changes of the set with this attribution. */
function takenAs(wanted: Attribution, { chains }: ChangeSet): Set<Seq> {
  const taken = chains.flatMap(({ changes, set }) => changes.filter(({ seq }) => set.has(seq)));
  const found = taken.filter(({ attribution }) => attribution === wanted);
  return new Set(found.map(({ seq }) => seq));
}

function hasLostSetId(path: PathInput): boolean {
  return (setIdOf(oldestBefore(path) ?? ABSENT) & ~setIdOf(path.current)) !== 0;
}

/** Keeps no observations that would take too much memory; those files are read again instead. */
function kept({ seen, targets }: LoadedInput): Pick<Fresh, 'seen' | 'contents'> {
  const bytes = [...seen.values()].reduce((sum, { blob }) => sum + (blob?.bytes.length ?? 0), 0);
  return { seen: bytes > MOST_KEPT ? new Map() : seen, contents: targets };
}

/** Adds the hash of merged bytes, which the pure planner cannot compute. */
function sealMerge(line: PlanLine): PlanLine {
  if (line.merged === undefined || line.target.kind !== 'captured') return line;
  const target = { ...line.target, blob: hashBytes(line.merged), size: line.merged.length };
  if (!sameState(target, line.expected)) return { ...line, target };
  const { merged: _same, ...rest } = line;
  return { ...rest, action: 'already-there', target };
}

/** Whose running tools and commands are in the way of a plan. */
export interface InTheWay {
  /** Session families whose tools are in the way wherever they write; null: everybody's. */
  readonly families: RewindPlan['families'];
  /** Any other session's tool is in the way only at these paths. */
  readonly paths: ReadonlySet<TrackedPath>;
  readonly now: number;
}

/** Refuses while a tool or command is at work: it could overwrite restored files, or lose half of its work. */
export async function refuseBusy(store: Store, { families, paths, now }: InTheWay): Promise<void> {
  const own = (sessionId: string | null): boolean => families?.includes(sessionId ?? '') ?? true;
  const command = commandsIn(await store.timeline.windows()).find(
    ({ sessionId, closed, owner, createdAt: since }) =>
      own(sessionId) && closed === null && owner !== null && ownerMayRun(owner, { since, now }),
  );
  if (command !== undefined) {
    throw new SavepointError('session-busy', `a command is still running: ${command.description}`, {
      hint: 'wait until it ends, or force the rewind',
      details: [{ toolCallId: command.toolCallId, sessionId: command.sessionId }],
    });
  }
  const open = await store.timeline.changes({ open: true });
  const calls = [...open, ...(await changesOfOverlappedCalls(store, {}))];
  const running = calls.filter(
    (call) => (own(call.sessionId) || paths.has(call.path)) && mayRun(call, now),
  );
  const [first] = running;
  if (first === undefined) return;
  throw new SavepointError('session-busy', 'a tool call is still running', {
    path: first.path,
    hint: 'wait until it ends, or force the rewind',
    details: running.map(({ path, toolCallId, sessionId }) => ({ path, toolCallId, sessionId })),
  });
}
