import { ATTRIBUTIONS, CHANGE_ORIGINS, type Savepoint } from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { type Command, expectArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { CHANGE_KINDS, changeKind, type Inspection, inspectionText } from '../inspection-text.ts';
import { PathNames, printJson } from '../json.ts';
import {
  CHECKPOINT,
  COVERS,
  checkpointJson,
  OPERATION,
  operationJson,
  PATH,
  PATH_BYTES,
  SESSION,
  STATE,
  sessionJson,
  stateJson,
  TIME,
  timeJson,
} from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';

const SHAPE = exact({
  checkpoint: CHECKPOINT,
  coverage: COVERS,
  gitHead: described("The commit that git's HEAD named then.", nullable(TEXT)),
  current: described('Whether the files stand there.', BOOLEAN),
  session: nullable(SESSION),
  changes: described(
    'By path, and then in order.',
    listOf(
      exact({
        path: PATH,
        change: oneOf(...CHANGE_KINDS),
        origin: oneOf(...CHANGE_ORIGINS),
        attribution: described(
          'A tool named the file; one command was running; or it is not certain who did it.',
          oneOf(...ATTRIBUTIONS),
        ),
        toolCallId: nullable(TEXT),
        createdAt: TIME,
        before: STATE,
        after: STATE,
        open: described('Its tool has not been seen to end; `after` says nothing yet.', BOOLEAN),
        insertions: COUNT,
        deletions: COUNT,
        takenBack: described('An operation that is in effect took it back.', BOOLEAN),
      }),
    ),
  ),
  operations: described(
    'Those that returned to it, took it back or brought it back, newest first.',
    listOf(OPERATION),
  ),
  madeBefore: described(
    'For a safety checkpoint: the operation before which it was made.',
    nullable(TEXT),
  ),
  pathBytes: PATH_BYTES,
});

export const show: Command = {
  name: 'show',
  arguments: 'ID',
  summary: 'one checkpoint: what was asked, what changed, what became of it',
  details:
    'Shows everything on record of a checkpoint: what was asked, by which session, what it covers, what\n' +
    'was changed under it and how sure it is who did that, and which operations took that back.',
  options: PAGER_OPTIONS,
  examples: [
    ['savepoint show latest', 'the last message'],
    ['savepoint show k3m9 --json', 'for a program'],
  ],
  completes: ['checkpoint'],
  json: { show: SHAPE },
  run: async (call) => {
    expectArgs(call, 'show', 1, 1);
    const [ref = ''] = [...call.args, ...call.rest];
    const seen = await withTimeline(call, (savepoint) => look(savepoint, ref));
    if (call.json) printJson(call, SHAPE, inspectionJson(seen));
    await showPage(call, inspectionText(call, seen));
    call.hint(hintFor(seen));
    return EXIT.done;
  },
};

async function look(savepoint: Savepoint, ref: string): Promise<Inspection> {
  const seen = await savepoint.inspect(ref);
  const log = await savepoint.operations();
  return { ...seen, log, isCurrent: (await savepoint.currentPlace()) === seen.checkpoint.id };
}

function hintFor({ checkpoint, changes }: Inspection): string {
  const id = checkpoint.id.slice(0, 8);
  const lines = changes.length === 0 ? '' : `see the lines with: savepoint diff ${id}; `;
  return `${lines}go back to it with: savepoint rewind ${id}`;
}

function inspectionJson(seen: Inspection): TypeOf<typeof SHAPE> {
  const { checkpoint, session, changes, operations, madeBefore, isCurrent, log } = seen;
  const names = new PathNames();
  const files = new Set(changes.map(({ path }) => path)).size;
  return {
    checkpoint: checkpointJson({ ...checkpoint, agent: session?.agent ?? null, files }),
    coverage: checkpoint.coverage,
    gitHead: checkpoint.gitHead,
    current: isCurrent,
    session: session && sessionJson(session),
    changes: changes.map((change) => ({
      path: names.name(change.path),
      change: changeKind(change),
      origin: change.origin,
      attribution: change.attribution,
      toolCallId: change.toolCallId,
      createdAt: timeJson(change.createdAt),
      before: stateJson(change.before),
      after: change.after && stateJson(change.after),
      open: change.after === null,
      insertions: change.insertions,
      deletions: change.deletions,
      takenBack: change.takenBack,
    })),
    operations: operations.map((one) => operationJson(one, log)),
    madeBefore: madeBefore?.id ?? null,
    pathBytes: names.pathBytes,
  };
}
