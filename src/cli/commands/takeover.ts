import { findProject } from '../../config/find-project.ts';
import { displayText, type Savepoint, type TakeoverReceipt } from '../../index.ts';
import { BOOLEAN, COUNT, described, exact, listOf, TEXT } from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { type Call, type Command, expectArgs, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { PathNames, picked, printJson } from '../json.ts';
import { PATH, PATH_BYTES, SESSION, sessionJson, WORKTREE, worktreeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { leftBehind, PRIVATE_OPTION, privateArguments } from './export.ts';
import { labelsText } from './import.ts';
import { storeOf } from './status.ts';

const SHAPE = exact({
  takenOver: described('False, with exit code 5, when all of it was here already.', BOOLEAN),
  from: described('The worktree that it came from.', WORKTREE),
  sessions: described('Sessions that are new here.', listOf(SESSION)),
  alreadyHere: described(
    'Sessions that were here before: what they have done since came with it.',
    listOf(SESSION),
  ),
  labelsLeftOut: described(
    'Labels that a checkpoint here has, or that could be taken for an id: they stay behind.',
    listOf(TEXT),
  ),
  checkpoints: COUNT,
  changes: COUNT,
  operations: COUNT,
  open: described('Changes of tools that are at work there: the next takeover brings them.', COUNT),
  leftOut: described('Paths outside of the project, which stay behind.', listOf(PATH)),
  privateOut: described(
    'Paths that git ignores, which stay behind unless --private names them.',
    listOf(PATH),
  ),
  unreadable: described('Contents that are lost; here they count as unknown.', COUNT),
  pathBytes: PATH_BYTES,
});

export const takeover: Command = {
  name: 'takeover',
  arguments: 'SESSION',
  summary: 'bring in a session of another machine that works on this project',
  details:
    'For a project on a database server. Brings a session that another machine has on record into the\n' +
    'timeline of this folder, with its sub-agents and continuations; where it is here already, what it has\n' +
    'done since. Then list, show, diff, materialize and rewind work with its checkpoints, and an agent can go\n' +
    'on with the session here. No file is touched: bring the files over as you always do. A rewind works where\n' +
    'they are as the session left them, and otherwise merges or leaves a conflict as usual. Executions stay\n' +
    'on the machine that runs them.',
  options: {
    from: option('MACHINE', 'take it from this machine, if several have it'),
    private: PRIVATE_OPTION,
  },
  examples: [
    ['savepoint sessions --everywhere', 'which sessions there are'],
    ['savepoint takeover 5f3a', 'by the beginning of its id'],
  ],
  json: { takeover: SHAPE },
  run: async (call) => {
    const [sessionId = ''] = expectArgs(call, 'takeover', 1, 1);
    call.io.interrupts.meaning = 'nothing was taken over';
    return withTimeline(call, (savepoint) => runTakeover(call, savepoint, sessionId), {
      // A project in a folder has nobody to take a session from: no timeline is begun for that.
      create: storeOf(call, findProject(call)).kind === 'server',
      scan: true,
    });
  },
};

async function runTakeover(call: Call, savepoint: Savepoint, sessionId: string): Promise<ExitCode> {
  const privatePaths = privateArguments(call, savepoint.root);
  // Records the files that are here, so that they are told apart from what the session did elsewhere.
  const { notice } = await savepoint.scan();
  if (notice !== null) call.io.err(`savepoint: ${displayText(notice)}\n`);
  const from = call.values.get('from');
  const receipt = await savepoint.takeover({ sessionId, from, privatePaths });
  const { takenOver, brought, alreadyHere } = receipt;
  call.io.interrupts.meaning = takenOver ? 'it was taken over' : 'it was here already';
  const ids = [...brought, ...alreadyHere].map(({ id }) => id);
  printReceipt(call, receipt, await savepoint.importedSessions(ids));
  return takenOver ? EXIT.done : EXIT.nothingToDo;
}

function printReceipt(call: Call, receipt: TakeoverReceipt, imported: ReadonlySet<string>): void {
  const { takenOver, from, brought, alreadyHere, leftOut, privateOut, open } = receipt;
  const names = new PathNames();
  printJson(call, SHAPE, {
    ...picked(SHAPE, receipt),
    from: worktreeJson(from),
    sessions: brought.map((session) => sessionJson(session, imported)),
    alreadyHere: alreadyHere.map((session) => sessionJson(session, imported)),
    leftOut: leftOut.map((one) => names.name(one)),
    privateOut: privateOut.map((one) => names.name(one)),
    pathBytes: names.pathBytes,
  });
  for (const line of wrapWords(said(receipt), call.columns)) call.say(line);
  for (const line of leftBehind(receipt)) call.say(line);
  if (open > 0) call.say(`  at work      ${plural(open, 'change')} of tools that still run there`);
  if (takenOver) call.io.done = 'it was taken over all the same';
  call.hint('see it with: savepoint list; no file was touched');
}

function said({ takenOver, from, ...receipt }: TakeoverReceipt): string {
  const machine = displayText(from.machine);
  if (!takenOver) return `Nothing to do: all that ${machine} has of it is here already.`;
  const { brought, checkpoints, changes, labelsLeftOut } = receipt;
  const what = [plural(checkpoints, 'checkpoint'), plural(changes, 'change')].join(', ');
  const news =
    brought.length === 0
      ? `Brought from ${machine} what the session has done since: ${what}.`
      : `Took over ${plural(brought.length, 'session')} from ${machine}: ${what}.`;
  return `${news}${labelsText(labelsLeftOut)}`;
}
