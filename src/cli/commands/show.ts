import type { Savepoint } from '../../index.ts';
import { checkpointJson } from '../checkpoint-json.ts';
import { type Command, expectArgs } from '../command.ts';
import { stateJson } from '../diff-json.ts';
import { EXIT } from '../exit-codes.ts';
import { changeKind, type Inspection, inspectionText } from '../inspection-text.ts';
import { PathNames, printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { operationJson, takenBackBy } from '../operation-json.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import { sessionJson } from '../session-json.ts';

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
  run: async (call) => {
    expectArgs(call, 'show', 1, 1);
    const [ref = ''] = [...call.args, ...call.rest];
    const seen = await withTimeline(call, (savepoint) => look(savepoint, ref));
    if (call.json) printJson(call, inspectionJson(seen));
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

function inspectionJson(seen: Inspection): object {
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
      createdAt: new Date(change.createdAt).toISOString(),
      before: stateJson(change.before),
      after: change.after && stateJson(change.after),
      open: change.after === null,
      insertions: change.insertions,
      deletions: change.deletions,
      takenBack: change.takenBack,
    })),
    operations: operations.map((one) => operationJson(one, takenBackBy(one, log)?.id ?? null)),
    madeBefore: madeBefore?.id ?? null,
    pathBytes: names.pathBytes,
  };
}
