import { randomUUID } from 'node:crypto';
import {
  type Checkpoint,
  displayText,
  isOutside,
  type Receipt,
  type RewindPlan,
  receiptOf,
  type Savepoint,
  SavepointError,
  selectedPath,
  type TrackedPath,
} from '../../index.ts';
import {
  BOOLEAN,
  check,
  described,
  exact,
  ID,
  integer,
  listOf,
  type ObjectKind,
  optional,
  TEXT,
} from '../../model/check.ts';
import { fileDiffs } from '../../terminal/file-diff.ts';
import { plural } from '../../terminal/phrases.ts';
import { planText } from '../../terminal/plan-text.ts';
import { shownCheckpoint } from '../commands/show.ts';
import { PathNames } from '../json.ts';
import { checkpointJson, fileDiffJson, receiptJson } from '../json-shapes.ts';
import { MADE } from '../timeline-text.ts';
import { whyAnswer } from '../why-shapes.ts';

/** What the tools need of the server that they are part of. */
export interface Desk {
  /** Opens the timeline of the project for one call; nothing is held while the agent thinks. */
  withTimeline<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T>;
  /** The session of the agent that asks; null where nobody can tell. */
  askingSession(savepoint: Savepoint): Promise<string | null>;
  /** Shows the person a plan and asks. */
  consent(question: string): Promise<Consent>;
  /** Plans that were shown, by their ids. */
  readonly plans: Map<string, ShownPlan>;
}

/** `cannot-ask`: the program of the agent has no way to ask the person. */
export type Consent = 'yes' | 'no' | 'cannot-ask';

interface ShownPlan {
  readonly plan: RewindPlan;
  /** For the person who is asked. Private paths are counted in it, and not named. */
  readonly question: string;
  readonly isShown: IsShown;
}

/** Whether an answer may name a path: it is in the project, and not private unless the agent named it. */
type IsShown = (path: TrackedPath) => boolean;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Whether it leaves files alone. */
  readonly isReadOnly: boolean;
  /** Throws `argument-invalid` for a wrong input. Resolves to the answer, as JSON. */
  run(input: unknown, desk: Desk): Promise<object>;
}

interface Definition<Input> extends Omit<Tool, 'inputSchema' | 'run'> {
  readonly input: ObjectKind<Input>;
  run(input: Input, desk: Desk): Promise<object>;
}

function tool<Input>({ input: kind, run, ...rest }: Definition<Input>): Tool {
  return {
    ...rest,
    inputSchema: kind.schema(),
    run: (input, desk) => {
      check(kind, 'arguments', input);
      return run(input, desk);
    },
  };
}

const MOST_CHECKPOINTS = 100;
const MOST_PLANS = 20;
/** An answer goes into the context of a model, where every byte costs. */
const MOST_HUNK_BYTES = 100_000;
const MOST_SPANS = 500;
const MOST_OF_PROMPT = 300;

const CHECKPOINT_REF = described(
  'The id of a checkpoint or its beginning, a label, "latest", or "~N" for the Nth before the latest.',
  TEXT,
);
const PATHS = described(
  'Only these files and folders, relative to the project. Files that git ignores are left out of every answer unless they are named here.',
  listOf(TEXT),
);

/** In the order in which an agent sees them. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_checkpoints',
    title: 'List checkpoints',
    description:
      'Lists the checkpoints of this project, newest first: each prompt to an agent is one, with what changed under it and whether that was taken back.',
    input: exact({
      limit: optional(described('At most so many; 20 by default.', integer(1, MOST_CHECKPOINTS))),
      path: optional(described('Only those that changed this file or folder.', TEXT)),
    }),
    isReadOnly: true,
    run: ({ limit = 20, path }, desk) =>
      desk.withTimeline(async (savepoint) => {
        const within = path === undefined ? {} : { path: selectedPath(savepoint.root, path) };
        const found = await savepoint.list({ kinds: MADE, limit, ...within });
        return {
          checkpoints: found.map((one) => checkpointJson(one)),
          current: await savepoint.currentPlace(),
          askingSession: await desk.askingSession(savepoint),
        };
      }),
  }),
  tool({
    name: 'show_checkpoint',
    title: 'Show a checkpoint',
    description:
      'Everything on record of one checkpoint: what was asked, which files changed, how sure it is who changed them, and which rewinds took that back.',
    input: exact({ id: CHECKPOINT_REF }),
    isReadOnly: true,
    run: ({ id }, desk) =>
      desk.withTimeline(async (savepoint) => {
        return shownCheckpoint(savepoint, id, await shownPaths(savepoint, undefined));
      }),
  }),
  tool({
    name: 'diff',
    title: 'Diff since a checkpoint',
    description:
      'The lines that are different now, or at a second checkpoint, from how they were at a checkpoint, whoever changed them.',
    input: exact({
      from: CHECKPOINT_REF,
      to: optional(described('The second checkpoint; by default what is there now.', TEXT)),
      paths: optional(PATHS),
    }),
    isReadOnly: true,
    run: ({ from, to, paths }, desk) =>
      desk.withTimeline(async (savepoint) => {
        if (to === undefined) await savepoint.scanAgain();
        const isShown = await shownPaths(savepoint, paths);
        const found = await savepoint.diff(from, to, paths);
        const files = fileDiffs(found.filter(({ path }) => isShown(path)));
        const names = new PathNames();
        let left = MOST_HUNK_BYTES;
        const shown = files.map((file) => {
          const whole = fileDiffJson(file, names);
          left -= JSON.stringify(whole.hunks ?? []).length;
          return left >= 0 ? whole : fileDiffJson(file, names, true);
        });
        return {
          files: shown,
          // Too long for an answer: ask for these by their paths.
          withoutLines: shown.filter(({ hunks }) => hunks === undefined).map(({ path }) => path),
          pathBytes: names.pathBytes,
        };
      }),
  }),
  tool({
    name: 'why',
    title: 'Who wrote these lines',
    description:
      'Says of each line of a file, as it is now, which prompt of which agent wrote it, by which tool call and how surely; or that the person did (outside), or that it is older than the record (before).',
    input: exact({
      path: described('A file, relative to the project.', TEXT),
      first: optional(described('The first line to ask about; by default 1.', integer(1))),
      last: optional(described('The last one; by default the last of the file.', integer(1))),
    }),
    isReadOnly: true,
    run: ({ path, first = 1, last = Number.MAX_SAFE_INTEGER }, desk) =>
      desk.withTimeline(async (savepoint) => {
        const isShown = await shownPaths(savepoint, [path]);
        await savepoint.scanAgain();
        // An empty file has no first line that could be asked for.
        const range = first === 1 && last === Number.MAX_SAFE_INTEGER ? {} : { first, last };
        const found = await savepoint.why({ path, ...range });
        const spans = found.spans.slice(0, MOST_SPANS);
        const answer = whyAnswer({ ...found, spans }, isShown, MOST_OF_PROMPT);
        // Too long for an answer: ask again from this line on.
        return { ...answer, next: found.spans[MOST_SPANS]?.first ?? null };
      }),
  }),
  tool({
    name: 'plan_rewind',
    title: 'Plan a rewind',
    description:
      'Says what a rewind to a checkpoint of this session would do to each file, and changes nothing. The person and other agents keep what they did. Call rewind with the planId to carry out exactly this plan, if the person agrees.',
    input: exact({
      to: CHECKPOINT_REF,
      paths: optional(PATHS),
      onlyMessage: optional(
        described('Takes back this one prompt, and keeps what came later.', BOOLEAN),
      ),
    }),
    isReadOnly: true,
    run: ({ to, paths, onlyMessage = false }, desk) =>
      desk.withTimeline(async (savepoint) => {
        const checkpoint = await savepoint.resolve(to);
        const sessionId = await ownSession(desk, savepoint, checkpoint);
        const isShown = await shownPaths(savepoint, paths);
        await savepoint.scanAgain();
        const plan = await savepoint.planRewind({
          to: checkpoint.id,
          paths,
          ...(onlyMessage ? { take: 'message' } : { sessionId }),
        });
        const receipt = shownReceipt(receiptOf(plan), isShown);
        const planId = keepPlan(desk, {
          plan,
          question: questionOf(checkpoint, plan, isShown),
          isShown,
        });
        return { planId, ...receiptJson(receipt, true), privateFiles: countHidden(plan, isShown) };
      }),
  }),
  tool({
    name: 'rewind',
    title: 'Rewind',
    description:
      'Carries out exactly the plan that plan_rewind has shown, after the person has said yes. It can be undone with: savepoint undo. Read the files that went back again before you go on.',
    input: exact({ planId: described('From plan_rewind.', ID) }),
    isReadOnly: false,
    run: async ({ planId }, desk) => {
      const shown = desk.plans.get(planId);
      if (shown === undefined) {
        throw new SavepointError('argument-invalid', 'no plan with this id was shown', {
          hint: 'call plan_rewind first, and rewind with its planId',
        });
      }
      const { plan, question, isShown } = shown;
      const consent = await desk.consent(question);
      if (consent !== 'yes') throw notAgreed(consent, plan);
      desk.plans.delete(planId);
      return desk.withTimeline(async (savepoint) =>
        receiptJson(shownReceipt(await savepoint.apply(plan), isShown), false),
      );
    },
  }),
];

/** An agent may take back its own work only, and that of its sub-agents. */
async function ownSession(
  desk: Desk,
  savepoint: Savepoint,
  { sessionId }: Checkpoint,
): Promise<string> {
  const asking = await desk.askingSession(savepoint);
  if (asking === null) {
    throw new SavepointError('session-not-found', 'nobody can tell which session is asking', {
      hint: 'record the agent with: savepoint init; or start the server with: savepoint mcp --session ID',
    });
  }
  const sessions = await savepoint.sessions();
  const rootOf = (id: string | null) => sessions.find((one) => one.id === id)?.rootId;
  if (rootOf(asking) !== undefined && rootOf(asking) === rootOf(sessionId)) return asking;
  throw new SavepointError('session-not-found', 'this checkpoint belongs to another session', {
    hint: 'ask the person to run savepoint rewind; an agent can take back its own work only',
  });
}

async function shownPaths(
  savepoint: Savepoint,
  paths: readonly string[] | undefined,
): Promise<IsShown> {
  const isPrivate = await savepoint.privatePaths();
  const named = new Set(paths?.map((path) => selectedPath(savepoint.root, path)));
  if ([...named].some(isOutside)) {
    throw new SavepointError('path-escapes-root', 'only files of this project can be named');
  }
  return (path) => !isOutside(path) && (!isPrivate(path) || named.has(path));
}

function shownReceipt(receipt: Receipt, isShown: IsShown): Receipt {
  const paths = (list: readonly TrackedPath[]) => list.filter(isShown);
  const reasons = (list: Receipt['skipped']) => list.filter(({ path }) => isShown(path));
  return {
    ...receipt,
    restoredFiles: paths(receipt.restoredFiles),
    deletedFiles: paths(receipt.deletedFiles),
    mergedFiles: paths(receipt.mergedFiles),
    conflicts: reasons(receipt.conflicts),
    skipped: reasons(receipt.skipped),
    errors: reasons(receipt.errors),
    notes: receipt.notes.map((note) =>
      note.paths === undefined ? note : { ...note, paths: paths(note.paths) },
    ),
  };
}

function countHidden({ lines }: RewindPlan, isShown: IsShown): number {
  return lines.filter(({ path }) => !isShown(path)).length;
}

const QUESTION_COLUMNS = 100;

function questionOf({ id, description }: Checkpoint, plan: RewindPlan, isShown: IsShown): string {
  const lines = plan.lines.filter(({ path }) => isShown(path));
  const { notes } = shownReceipt(receiptOf(plan), isShown);
  const hidden = countHidden(plan, isShown);
  const name = displayText(description).slice(0, QUESTION_COLUMNS);
  return [
    `The agent asks to take back what it did since "${name}" (${id.slice(0, 8)}):`,
    ...planText({ ...plan, lines, notes }, (_style, text) => text, QUESTION_COLUMNS),
    ...(hidden === 0
      ? []
      : [
          `and ${plural(hidden, 'private file')}: see savepoint rewind ${id.slice(0, 8)} --dry-run`,
        ]),
    'What you did yourself stays. Afterwards, savepoint undo brings all of it back.',
  ].join('\n');
}

/** Remembers a plan until it is carried out, and forgets the oldest. */
function keepPlan({ plans }: Desk, shown: ShownPlan): string {
  const [oldest] = plans.keys();
  if (oldest !== undefined && plans.size >= MOST_PLANS) plans.delete(oldest);
  const id = randomUUID();
  plans.set(id, shown);
  return id;
}

function notAgreed(consent: Exclude<Consent, 'yes'>, { checkpointId }: RewindPlan): SavepointError {
  if (consent === 'no') {
    return new SavepointError('not-agreed', 'the person said no, and nothing was changed');
  }
  return new SavepointError('not-agreed', 'this program cannot ask the person for their yes', {
    hint: `ask them to run: savepoint rewind ${checkpointId?.slice(0, 8) ?? 'ID'}`,
  });
}
