import { displayText, type ListedCheckpoint, type Savepoint } from '../../index.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { uniqueLengths } from '../short-ids.ts';
import { timelineText } from '../timeline-text.ts';
import { UsageError } from '../usage-error.ts';

export const list: Command = {
  name: 'list',
  arguments: '',
  summary: 'the timeline: checkpoints to rewind to, newest first',
  details:
    'Lists the checkpoints of a project, newest first. The beginning of an id is enough to name one.',
  options: {
    limit: {
      type: 'string',
      value: 'N',
      help: 'how many to show, 0 for all (default: 50, or all with --json)',
    },
  },
  examples: [
    ['savepoint list', 'the newest 50'],
    ['savepoint list --limit 0 --json', 'everything, for a program'],
  ],
  run: runList,
};

const DEFAULT_LIMIT = 50;
/** Nobody clips for us in a pipe; a description can be a whole prompt. */
const COLUMNS_IN_PIPES = 200;

async function runList(call: Call): Promise<ExitCode> {
  expectArgs(call, 'list', 0, 0);
  const limit = limitOf(call);
  return withTimeline(call, (savepoint) => show(call, savepoint, limit));
}

async function show(call: Call, savepoint: Savepoint, limit: number | null): Promise<ExitCode> {
  // One more than asked for tells whether there are more.
  const found = await savepoint.list(limit === null ? {} : { limit: limit + 1 });
  const checkpoints = limit === null ? found : found.slice(0, limit);
  const notes = call.json
    ? savepoint.notices().map(({ code, message }) => ({ code, message }))
    : [];
  printJson(call, { checkpoints: checkpoints.map(checkpointJson), notes });
  if (call.json) return EXIT.done;
  if (checkpoints.length === 0) {
    call.say(`There is no checkpoint in the timeline of ${displayText(savepoint.root)}.`);
    return EXIT.done;
  }
  const { io, paint } = call;
  const lengths = await uniqueLengths(
    savepoint,
    checkpoints.map(({ id }) => id),
  );
  const columns = io.terminal ? io.columns : COLUMNS_IN_PIPES;
  for (const line of timelineText({ checkpoints, lengths, now: io.now(), columns, paint })) {
    call.say(line);
  }
  if (found.length > checkpoints.length)
    call.hint('there are older ones: savepoint list --limit 0');
  call.hint('look closer with: savepoint diff ID; go back with: savepoint rewind ID');
  return EXIT.done;
}

/** A checkpoint as programs see it. */
export function checkpointJson(checkpoint: ListedCheckpoint): object {
  const { id, seq, sessionId, agent, messageId, kind, description, label, files } = checkpoint;
  const createdAt = new Date(checkpoint.createdAt).toISOString();
  return { id, seq, sessionId, agent, messageId, kind, description, label, createdAt, files };
}

/** Null: all. */
function limitOf(call: Call): number | null {
  const given = call.values.get('limit');
  if (given === undefined) return call.json ? null : DEFAULT_LIMIT;
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError(`--limit must be a number from 0 on, not "${given}"`);
  return Number(given) === 0 ? null : Number(given);
}
