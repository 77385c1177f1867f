import { createHash, randomUUID } from 'node:crypto';
import { PathNames } from '../../cli/json.ts';
import { receiptJson, timeJson } from '../../cli/json-shapes.ts';
import { ProjectExecutions } from '../../execution/index.ts';
import {
  countLines,
  type DiffHunk,
  type DiffLine,
  isSavepointError,
  type LineCount,
  type MergePiece,
  type PlanLine,
  type Receipt,
  type Savepoint,
} from '../../index.ts';
import { sentenceFor } from '../../terminal/reasons.ts';
import type {
  ApplyAnswer,
  ApplyRequest,
  ConflictPiece,
  PlanAnswer,
  PlanHunk,
  PlanLineAnswer,
  PlanLineJson,
  PlanRequest,
} from '../api.ts';
import { ownLines } from './own-lines.ts';
import { makePlan, type Planned, stampOf } from './plan-requests.ts';
import { MAX_TEXT_BYTES, sideOf, sideState } from './sides.ts';
import { undoableJson } from './timeline-answer.ts';
import { WebError } from './web-error.ts';

interface Kept {
  readonly project: string;
  readonly planned: Planned;
  readonly answer: PlanAnswer;
  readonly until: number;
}

const KEPT_MS = 30 * 60_000;
const MOST_KEPT = 64;

/** The plans that pages look at. They are kept here and carried out by their names: no page can make one up. */
export class Plans {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async make(project: string, savepoint: Savepoint, request: PlanRequest): Promise<PlanAnswer> {
    const planned = await makePlan(savepoint, request);
    const answer = await planAnswer(savepoint, request, planned);
    this.#forgetOld();
    const until = this.#now() + KEPT_MS;
    this.#kept.set(answer.planId, { project, planned, answer, until });
    return answer;
  }

  async line(
    project: string,
    savepoint: Savepoint,
    planId: string,
    index: number,
  ): Promise<PlanLineAnswer> {
    const { planned, answer } = this.#find(project, planId);
    const line = shownLines(planned)[index];
    const json = answer.lines[index];
    if (line === undefined || json === undefined) {
      throw new WebError(404, 'not-found', 'the plan has no such line');
    }
    return planLineAnswer(savepoint, line, json, planned);
  }

  /** Carries out exactly that plan. Throws `plan-stale` where it cannot be carried out any more. */
  async apply(
    project: string,
    savepoint: Savepoint,
    planId: string,
    { digest, acceptEffects = false }: ApplyRequest,
  ): Promise<ApplyAnswer> {
    const { planned, answer } = this.#find(project, planId);
    if (digest !== answer.digest) {
      throw new WebError(400, 'request-invalid', 'this is not the digest of the plan');
    }
    try {
      const done = await carryOut(savepoint, planned, acceptEffects);
      // What the engine did by itself, such as finishing a restore that a crash had interrupted.
      const receipt = { ...done, notes: [...done.notes, ...savepoint.notices()] };
      this.#kept.delete(planId);
      const undo = receipt.operationId === null ? null : undoableJson(await savepoint.undoable());
      return { receipt: receiptJson(receipt, false), undo, seq: await savepoint.head() };
    } catch (error) {
      if (isSavepointError(error, 'plan-stale')) this.#kept.delete(planId);
      throw error;
    }
  }

  #find(project: string, planId: string): Kept {
    this.#forgetOld();
    const kept = this.#kept.get(planId);
    if (kept !== undefined && kept.project === project) return kept;
    const message = 'this plan was carried out, or is too old';
    throw new WebError(404, 'plan-unknown', message, 'look at a new plan');
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [id, { until }] of this.#kept) {
      if (until <= now || this.#kept.size > MOST_KEPT) this.#kept.delete(id);
    }
  }
}

async function carryOut(
  savepoint: Savepoint,
  { plan, rollback }: Planned,
  acceptEffects: boolean,
): Promise<Receipt> {
  if (rollback === null) return savepoint.apply(plan);
  const executions = await ProjectExecutions.of(savepoint);
  return executions.applyRollback(rollback.of, rollback.plan, { acceptEffects });
}

// To count lines, both contents are read: of a plan with very many lines only the first are counted.
const MOST_COUNTED = 500;

async function planAnswer(
  savepoint: Savepoint,
  request: PlanRequest,
  planned: Planned,
): Promise<PlanAnswer> {
  const { plan } = planned;
  const names = new PathNames();
  const lines: PlanLineJson[] = [];
  for (const [index, line] of shownLines(planned).entries()) {
    const isCounted = index < MOST_COUNTED;
    const counts = isCounted ? await countsOf(savepoint, line) : NO_COUNTS;
    const hunks = isCounted ? await hunkCounts(savepoint, request, planned, line) : null;
    lines.push({ ...lineJson(request, line, index, names), ...counts, hunks });
  }
  const countOf = (...actions: PlanLine['action'][]): number =>
    plan.lines.filter(({ action }) => actions.includes(action)).length;
  return {
    planId: randomUUID(),
    digest: digestOf(planned),
    kind: request.kind,
    description: plan.description,
    lines,
    notes: [...plan.notes, ...savepoint.notices()].map(({ code, message, paths = [] }) => {
      return { code, message, paths: paths.map((path) => names.name(path)) };
    }),
    counts: {
      work: countOf(...WORK),
      merges: countOf('merge'),
      conflicts: countOf('conflict'),
      left: countOf('skip', 'keep'),
    },
    busy: plan.forced === true,
    rollback: rollbackJson(planned),
    pathBytes: names.pathBytes,
  };
}

const WORK: readonly PlanLine['action'][] = ['write', 'delete', 'chmod', 'link', 'mkdir', 'merge'];

function rollbackJson({ rollback }: Planned): PlanAnswer['rollback'] {
  if (rollback === null) return null;
  const { steps, effects } = rollback.plan;
  return {
    steps: steps.map(({ index, name }) => ({ index, name })),
    effects: effects.map(({ index, name, description, declaredAt }) => {
      return { index, name, description, declaredAt: timeJson(declaredAt) };
    }),
  };
}

/** A hash of all that a plan does. Bytes count as they are. */
function digestOf(planned: Planned): string {
  const text = JSON.stringify(planned, (_key, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

type UncountedLine = Omit<PlanLineJson, keyof LineCount | 'stays' | 'hunks'>;

function lineJson(
  request: PlanRequest,
  line: PlanLine,
  index: number,
  names: PathNames,
): UncountedLine {
  const { path, action, reason, expected, sides } = line;
  const name = names.name(path);
  const code = reason ?? (action === 'keep' ? 'kept' : null);
  return {
    index,
    path: name,
    action,
    reason: code,
    message: code === null ? null : sentenceFor(code),
    now: sideState(expected),
    decidable: sides !== undefined,
    decided: decisionOf(request, name, names),
    stamp: stampOf(expected),
    takesUnrecorded: line.takesUnrecorded === true,
  };
}

function decisionOf(request: PlanRequest, name: string, names: PathNames): PlanLineJson['decided'] {
  if (request.kind === 'rollback') return null;
  const found = request.resolutions?.find(({ path }) =>
    typeof path === 'string' ? path === name : path.bytes === names.pathBytes[name],
  );
  if (found === undefined) return null;
  return typeof found.take === 'string' ? found.take : 'content';
}

const NO_COUNTS = { insertions: 0, deletions: 0, stays: 0 };
const NOTHING = new Uint8Array();

/** From the file on disk to the planned one. */
async function countsOf(savepoint: Savepoint, line: PlanLine): Promise<typeof NO_COUNTS> {
  if (!WORK.includes(line.action)) return NO_COUNTS;
  const { beforeBytes, afterBytes } = await savepoint.planDiff(line);
  const [target, now] = [beforeBytes ?? NOTHING, afterBytes ?? NOTHING];
  const isText = [target, now].every(
    (bytes) => bytes.length <= MAX_TEXT_BYTES && !bytes.includes(0),
  );
  const own = await ownLines(savepoint, line);
  const stays = own.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return { ...NO_COUNTS, ...(isText ? countLines(now, target) : {}), stays };
}

async function planLineAnswer(
  savepoint: Savepoint,
  line: PlanLine,
  json: PlanLineJson,
  planned: Planned,
): Promise<PlanLineAnswer> {
  const { path } = line;
  const { before, beforeBytes, after, afterBytes } = await savepoint.planDiff(line);
  const conflict = await savepoint.planConflict(line);
  return {
    now: sideOf(path, after, afterBytes),
    target: sideOf(path, before, beforeBytes),
    conflict: conflict && {
      rewound: sideOf(path, conflict.diff.before, conflict.diff.beforeBytes),
      now: sideOf(path, conflict.diff.after, conflict.diff.afterBytes),
      pieces: conflict.pieces?.map(pieceJson) ?? null,
    },
    hunks: json.hunks === null ? [] : await hunksOf(savepoint, planned, line),
    stays: await ownLines(savepoint, line),
  };
}

/** Every line of the plan, and those of which no hunk was chosen: they stay, and can be chosen again. */
function shownLines({ plan, whole }: Planned): PlanLine[] {
  if (plan === whole) return [...plan.lines];
  const chosen = new Map(plan.lines.map((line) => [line.path, line]));
  const lines = whole.lines.map(
    (line): PlanLine =>
      chosen.get(line.path) ?? { ...line, action: 'keep', target: line.expected, takes: [] },
  );
  // Nothing is carried out that was not shown, also where a file changed after the whole plan was made.
  const shown = new Set(lines.map(({ path }) => path));
  return [...lines, ...plan.lines.filter(({ path }) => !shown.has(path))];
}

/** All hunks of a file, with those that this plan takes back. */
async function hunksOf(
  savepoint: Savepoint,
  { plan, whole }: Planned,
  { path }: PlanLine,
): Promise<PlanHunk[]> {
  const line = whole.lines.find((one) => one.path === path);
  if (line === undefined) return [];
  const chosen = plan.lines.find((one) => one.path === path);
  const taken = (id: string): boolean =>
    chosen !== undefined && (chosen.hunks?.includes(id) ?? true);
  return (await savepoint.planHunks(line)).map((hunk) => ({
    ...turned(hunk),
    id: hunk.id,
    kind: hunk.kind,
    taken: taken(hunk.id),
  }));
}

/** Null where a file goes back whole or not at all. Only a rewind can choose. */
async function hunkCounts(
  savepoint: Savepoint,
  { kind }: PlanRequest,
  planned: Planned,
  line: PlanLine,
): Promise<PlanLineJson['hunks']> {
  if (kind !== 'rewind') return null;
  const hunks = await hunksOf(savepoint, planned, line);
  if (hunks.length === 0) return null;
  return { total: hunks.length, taken: hunks.filter(({ taken }) => taken).length };
}

/** From the file as it is now to how it will be. The engine has it the other way round. */
function turned({ oldStart, oldLines, newStart, newLines, lines }: DiffHunk): DiffHunk {
  const parts: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const line of lines) {
    if (line.kind === 'context') {
      parts.push(...added, line);
      added = [];
    } else if (line.kind === 'add') parts.push({ ...line, kind: 'remove' });
    else added.push({ ...line, kind: 'add' });
  }
  return {
    oldStart: newStart,
    oldLines: newLines,
    newStart: oldStart,
    newLines: oldLines,
    lines: [...parts, ...added],
  };
}

function pieceJson(piece: MergePiece): ConflictPiece {
  return 'both' in piece
    ? { kind: 'same', text: textOf(piece.both) }
    : { kind: 'conflict', mine: textOf(piece.ours), theirs: textOf(piece.theirs) };
}

/** Lines are kept as one character for each byte. */
function textOf(lines: readonly string[]): string {
  return Buffer.from(lines.join(''), 'latin1').toString('utf8');
}
