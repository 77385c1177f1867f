import {
  type Agree,
  type Checkpoint,
  displayText,
  type ListedCheckpoint,
  type Resolution,
  type RewindPlan,
  type RewindRequest,
  type Savepoint,
  SavepointError,
} from '../../index.ts';
import { relativeTime } from '../../terminal/phrases.ts';
import { clipWidth, wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { carryOut, carryOutPlan, declined, type Words } from '../carry-out.ts';
import type { LineHunks } from '../choose-hunks.ts';
import { type Call, type Command, flag, option, repeated } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { carryOutWithFork, forkBefore, printWithHunks, REWIND } from '../fork-conversation.ts';
import { withTimeline } from '../open-timeline.ts';
import { INCLUDE_SHARED, PLAN_OPTIONS, planOptions } from '../options.ts';
import { pathArguments, unmatchedPaths } from '../path-arguments.ts';
import type { Picked } from '../picker/picker.ts';
import { MADE } from '../timeline-text.ts';

export const rewind: Command = {
  name: 'rewind',
  arguments: '[ID [PATH...]]',
  summary: 'take back what an agent did since a checkpoint',
  details:
    'Takes back everything that the session of a checkpoint did since that message was sent; for a run,\n' +
    'the run and all runs that began after it had ended, since those are one line of time. What you or\n' +
    'another agent did in between stays; where the same lines are concerned, the file is left alone\n' +
    'and named as a conflict. What is there now is kept first, so `savepoint undo` takes it all back.\n' +
    'Shows the plan and asks, at a terminal. With PATHs, only those files and folders. Without an ID, at\n' +
    'a terminal, you choose from the timeline; with --session, it is the newest checkpoint of that session\n' +
    'of which not everything is taken back. The id of an operation means what was there before it. With\n' +
    '--quiet only what is left alone is named, and why.\n' +
    'With --conversation the agent forgets as well: its conversation is copied up to that prompt, and the\n' +
    'command that goes on in the copy is printed. The conversation itself stays as it is. The agent must have\n' +
    'ended. Claude Code, Codex, Gemini CLI and opencode can do it.\n' +
    'With --hunks you are asked hunk by hunk, and what you do not choose stays; --hunk takes hunks by their\n' +
    'ids, which --hunks --dry-run lists. The id of a hunk is good as long as the file and what the agent did\n' +
    'to it are the same. A file that was created or deleted, is binary or very large is one hunk.',
  options: {
    ...PLAN_OPTIONS,
    'only-message': flag('take back this one message, and keep what came later'),
    exact: flag('the recorded files as they were, whoever changed them since'),
    'include-shared': INCLUDE_SHARED,
    conversation: flag(
      "fork the agent's conversation before the prompt, and say how to go on there",
    ),
    hunks: flag('choose hunk by hunk what goes back; with --dry-run list the hunks'),
    hunk: repeated('ID', 'take back this hunk and nothing else; may be repeated'),
    resolve: repeated(
      'PATH=WHAT',
      'settle the conflict of one file, keep or restore, in place of --on-conflict; may be repeated',
    ),
    session: option('ID', 'in place of an ID: the last work of this session', 'session'),
  },
  examples: [
    ['savepoint rewind', 'choose a checkpoint, looking at what each would take back'],
    ['savepoint rewind latest --dry-run', 'what taking back the last message would do'],
    ['savepoint rewind k3m9', 'back to before that message'],
    ['savepoint rewind k3m9 src/app.ts', 'only one file'],
    ['savepoint rewind k3m9 --only-message', 'one message out of the middle'],
    ['savepoint rewind k3m9 --hunks', 'choose what goes back, hunk by hunk'],
    ['savepoint rewind k3m9 --conversation', 'files and conversation, back to before that prompt'],
  ],
  completes: ['checkpoint', 'path'],
  json: { rewind: REWIND },
  run: async (call) => {
    call.io.interrupts.meaning = 'nothing was changed';
    const session = call.values.get('session');
    const [id, ...typed] = [...call.args, ...call.rest];
    if (id !== undefined && session !== undefined) {
      throw new UsageError('--session is given in place of an ID', 'leave out one of them');
    }
    refuseOptions(call);
    const includeShared = call.flags.has('include-shared');
    const options = { ...planOptions(call), take: takeOf(call), includeShared, typed };
    if (id === undefined && session === undefined && !canPick(call)) {
      throw new UsageError('which checkpoint?', 'see what there is with: savepoint list');
    }
    return withTimeline(call, async (savepoint) => {
      const asked = { ...options, resolutions: resolutionsOf(call, savepoint.root) };
      if (id !== undefined) return runRewind(call, savepoint, id, asked);
      if (session !== undefined) {
        return runRewind(call, savepoint, await lastWorkOf(savepoint, session), asked);
      }
      const picked = await pick(call, savepoint, asked);
      if (typeof picked === 'number') return picked;
      const { checkpoint, plan } = picked;
      if (plan === null || forks(call) || choosesHunks(call))
        return runRewind(call, savepoint, checkpoint.id, asked);
      // Exactly what was on the screen, or nothing.
      return carryOutPlan(call, savepoint, plan, wordsFor(call, checkpoint, asked.take, plan));
    });
  },
};

interface Asked extends Omit<RewindRequest, 'to' | 'paths'> {
  /** Paths as they were typed. */
  readonly typed: readonly string[];
}

function canPick({ io, json }: Call): boolean {
  const term = io.env.TERM ?? '';
  return io.interactive && !json && term !== '' && term !== 'dumb';
}

/** What the person chooses, or how it ends without a choice. */
async function pick(
  call: Call,
  savepoint: Savepoint,
  { typed: _none, ...request }: Asked,
): Promise<Picked | ExitCode> {
  // So that what is shown is what happened, also since the last scan.
  await savepoint.scanAgain();
  const checkpoints = await savepoint.list({ kinds: MADE });
  if (checkpoints.length === 0) {
    call.say('Nothing to do: there is no checkpoint in the timeline.');
    return EXIT.nothingToDo;
  }
  const lengths = await savepoint.uniqueLengths(checkpoints.map(({ id }) => id));
  // Loaded here: nobody else needs it.
  const { pickCheckpoint } = await import('../picker/picker.ts');
  const picked = await pickCheckpoint(call, {
    savepoint,
    checkpoints,
    request,
    asks: !call.flags.has('yes') && !call.flags.has('dry-run') && !choosesHunks(call),
    idLength: [...lengths.values()].reduce((a, b) => Math.max(a, b)),
    current: await savepoint.currentPlace(),
  });
  if (picked !== null) return picked;
  call.say('Nothing was changed.');
  return EXIT.interrupted;
}

async function runRewind(
  call: Call,
  savepoint: Savepoint,
  to: string,
  asked: Asked,
): Promise<ExitCode> {
  const { typed, ...request } = asked;
  const checkpoint = await savepoint.resolve(to);
  const paths = pathArguments(call, savepoint.root, typed);
  const fork = forks(call) ? await forkBefore(call, savepoint, checkpoint) : null;
  // So that the plan knows of what happened since the last scan.
  await savepoint.scanAgain();
  const whole: RewindRequest = { ...request, to: checkpoint.id, paths };
  const chosen = await chooseHunks(call, savepoint, whole);
  if (chosen === null) return declined(call, {});
  const rewind = { ...whole, ...chosen.request };
  const act = {
    plan: async () => {
      const plan = await savepoint.planRewind(rewind);
      chosen.check(plan);
      return plan;
    },
    run: (agree: Agree) =>
      savepoint.rewind(rewind, (plan) => {
        chosen.check(plan);
        return agree(plan);
      }),
  };
  const words = async (plan: RewindPlan): Promise<Words> => {
    const found = plan.lines.map(({ path }) => path);
    const unmatched = await unmatchedPaths(savepoint, typed, paths, found);
    const { listed } = chosen;
    return {
      ...wordsFor(call, checkpoint, request.take, plan),
      ...(listed === null ? {} : { print: printWithHunks(call, listed, unmatched) }),
      unmatched,
      question: 'Go ahead?',
    };
  };
  if (fork === null) return carryOut(call, savepoint, act, words);
  const plan = await act.plan();
  return carryOutWithFork(call, savepoint, plan, await words(plan), fork);
}

function choosesHunks({ flags, lists }: Call): boolean {
  return flags.has('hunks') || lists.has('hunk');
}

function refuseOptions(call: Call): void {
  const { flags, lists, io, json } = call;
  if (flags.has('hunks') && lists.has('hunk')) {
    throw new UsageError('--hunks and --hunk exclude each other');
  }
  if (choosesHunks(call) && forks(call)) {
    const why = 'the agent would forget what stays in the files';
    throw new UsageError(`--conversation takes whole files back: ${why}`);
  }
  if (flags.has('hunks') && !flags.has('dry-run') && (json || !io.interactive)) {
    throw new UsageError(
      '--hunks asks a person, and there is nobody to ask',
      'list the hunks with --hunks --dry-run, and take some with --hunk ID',
    );
  }
}

interface ChosenHunks {
  readonly request: Pick<RewindRequest, 'hunks'>;
  /** To be shown, for a dry run. */
  readonly listed: readonly LineHunks[] | null;
  /** Throws for a plan that takes back more than was chosen. */
  readonly check: (plan: RewindPlan) => void;
}

const CHECK_NOTHING = (): void => undefined;

/** Null where the person chose nothing. */
async function chooseHunks(
  call: Call,
  savepoint: Savepoint,
  request: RewindRequest,
): Promise<ChosenHunks | null> {
  if (!choosesHunks(call)) return { request: {}, listed: null, check: CHECK_NOTHING };
  // Loaded here: nobody else needs it.
  const choosing = await import('../choose-hunks.ts');
  const plan = await savepoint.planRewind(request);
  const ids = call.lists.get('hunk');
  if (ids === undefined && call.flags.has('dry-run')) {
    const listed = await choosing.listHunks(savepoint, plan);
    choosing.sayHunks(call, listed);
    return { request: {}, listed, check: CHECK_NOTHING };
  }
  const hunks =
    ids === undefined
      ? await choosing.askForHunks(call, savepoint, plan)
      : await choosing.hunksById(savepoint, plan, ids);
  if (hunks === null) return null;
  const check = (made: RewindPlan): void => choosing.refuseUnchosen(savepoint, made, hunks);
  return { request: { hunks }, listed: null, check };
}

const TAKES = ['keep', 'restore'] as const;

function resolutionsOf(call: Call, root: string): Resolution[] {
  return (call.lists.get('resolve') ?? []).map((text) => {
    const [, typed = '', word] = /^(.+)=(.*)$/s.exec(text) ?? [];
    const take = TAKES.find((one) => one === word);
    const [path] = typed === '' ? [] : (pathArguments(call, root, [typed]) ?? []);
    if (take !== undefined && path !== undefined) return { path, take };
    throw new UsageError(`--resolve needs PATH=keep or PATH=restore, not "${text}"`);
  });
}

function forks({ flags }: Call): boolean {
  return flags.has('conversation');
}

/** The last work of a session: for a command inside of an agent, which knows its session and no checkpoint. */
async function lastWorkOf(savepoint: Savepoint, session: string): Promise<string> {
  const { id } = await savepoint.resolveSession(session);
  // What a command did may not be on record yet.
  await savepoint.scanAgain();
  const checkpoints = await savepoint.list({ sessionIds: [id], kinds: ['message'] });
  const isStanding = ({ files, folders, takenBack }: ListedCheckpoint): boolean =>
    files + folders > 0 && takenBack !== 'yes';
  const last = checkpoints.find(isStanding) ?? checkpoints[0];
  if (last !== undefined) return last.id;
  throw new SavepointError('checkpoint-not-found', 'no checkpoint of this session is on record');
}

function wordsFor(
  call: Call,
  checkpoint: Checkpoint,
  take: RewindRequest['take'],
  { lines }: RewindPlan,
): Words {
  return {
    title: titleOf(call, checkpoint, take),
    reverse: 'savepoint undo',
    nothingToDo:
      lines.length === 0
        ? 'Nothing to do: its session changed nothing since, or it is taken back already. What others changed goes back with --exact.'
        : 'Nothing was changed. These files are left as they are:',
  };
}

function takeOf({ flags }: Call): RewindRequest['take'] {
  if (flags.has('exact') && flags.has('only-message')) {
    throw new UsageError('--exact and --only-message exclude each other');
  }
  if (flags.has('exact')) return 'exact';
  return flags.has('only-message') ? 'message' : 'since';
}

const TITLE_COLUMNS = 60;
const TITLES = {
  since: 'Rewind to',
  message: 'Take back only',
  exact: 'Restore everything as it was at',
} as const;

function titleOf(
  call: Call,
  checkpoint: Checkpoint,
  take: RewindRequest['take'] = 'since',
): string {
  const { id, kind, description, createdAt } = checkpoint;
  // A message is named by its text, and the rewind goes to before the agent acted on it.
  const before = kind === 'message' && take === 'since' ? ' before' : '';
  const what = clipWidth(displayText(description), TITLE_COLUMNS);
  const when = relativeTime(createdAt, call.io.now());
  const shown = id.slice(0, 8);
  const title = `${TITLES[take]}${before} ${shown} "${what}" (${when}):`;
  const lines = wrapWords(title, call.columns, 2);
  return lines.join('\n').replace(shown, call.paint('bold', shown));
}
