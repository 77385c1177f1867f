import { type Checkpoint, displayText, type RewindRequest, type Savepoint } from '../../index.ts';
import { carryOut } from '../carry-out.ts';
import type { Call, Command } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { unmatchedPaths } from '../on-record.ts';
import { withTimeline } from '../open-timeline.ts';
import { pathArguments } from '../path-arguments.ts';
import { PLAN_OPTIONS, planOptions } from '../plan-options.ts';
import { relativeTime } from '../relative-time.ts';
import { clipWidth, wrapWords } from '../text-width.ts';
import { UsageError } from '../usage-error.ts';

export const rewind: Command = {
  name: 'rewind',
  arguments: 'ID [PATH...]',
  summary: 'take back what an agent did since a checkpoint',
  details:
    'Takes back everything that the session of a checkpoint did since that message was sent. What you\n' +
    'or another agent did in between stays; where the same lines are concerned, the file is left alone\n' +
    'and named as a conflict. What is there now is kept first, so `savepoint undo` takes it all back.\n' +
    'Shows the plan and asks, at a terminal. With PATHs, only those files and folders.',
  options: {
    ...PLAN_OPTIONS,
    yes: { type: 'boolean', help: 'do not ask' },
    'only-message': {
      type: 'boolean',
      help: 'take back this one message, and keep what came later',
    },
    exact: { type: 'boolean', help: 'the recorded files as they were, whoever changed them since' },
    'include-shared': {
      type: 'boolean',
      help: 'also take back changes of which it is not certain that this agent made them',
    },
  },
  examples: [
    ['savepoint rewind latest --dry-run', 'what taking back the last message would do'],
    ['savepoint rewind k3m9', 'back to before that message'],
    ['savepoint rewind k3m9 src/app.ts', 'only one file'],
    ['savepoint rewind k3m9 --only-message', 'one message out of the middle'],
  ],
  run: async (call) => {
    const asked = whatIsAsked(call);
    return withTimeline(call, (savepoint) => runRewind(call, savepoint, asked));
  },
};

interface Asked extends Omit<RewindRequest, 'paths'> {
  /** Paths as they were typed. */
  readonly typed: readonly string[];
}

function whatIsAsked(call: Call): Asked {
  const [to, ...typed] = [...call.args, ...call.rest];
  if (to === undefined) {
    throw new UsageError('which checkpoint?', 'see what there is with: savepoint list');
  }
  const includeShared = call.flags.has('include-shared');
  return { ...planOptions(call), to, take: takeOf(call), includeShared, typed };
}

async function runRewind(call: Call, savepoint: Savepoint, asked: Asked): Promise<ExitCode> {
  const { typed, ...request } = asked;
  const checkpoint = await savepoint.resolve(request.to);
  const paths = pathArguments(call, savepoint.root, typed);
  // So that the plan knows of what happened since the last scan.
  await savepoint.scanAgain();
  const plan = await savepoint.planRewind({ ...request, to: checkpoint.id, paths });
  const found = plan.lines.map(({ path }) => path);
  return carryOut(call, savepoint, plan, {
    title: titleOf(call, checkpoint, request.take),
    reverse: 'savepoint undo',
    nothingToDo: 'Nothing to do: nothing was changed since, or it is taken back already.',
    unmatched: await unmatchedPaths(savepoint, typed, paths, found),
    question: 'Go ahead?',
  });
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
  // A message is named by what was said; the place to return to lies before the answer.
  const before = kind === 'message' && take === 'since' ? ' before' : '';
  const what = clipWidth(displayText(description), TITLE_COLUMNS);
  const when = relativeTime(createdAt, call.io.now());
  const shown = id.slice(0, 8);
  const title = `${TITLES[take]}${before} ${shown} "${what}" (${when}):`;
  const lines = wrapWords(title, call.columns, 2);
  return lines.join('\n').replace(shown, call.paint('bold', shown));
}
