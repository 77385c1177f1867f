import { displayText, type Operation } from '../../index.ts';
import { described, exact, listOf } from '../../model/check.ts';
import { relativeTime } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, textWidth } from '../../terminal/text-width.ts';
import type { Call, Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { OPERATION, operationJson, takenBackBy } from '../json-shapes.ts';
import { withTimelineIfAny } from '../open-timeline.ts';
import { LIMIT_OPTION, limitOf } from '../options.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';

const SHAPE = exact({ operations: described('Newest first.', listOf(OPERATION)) });

export const ops: Command = {
  name: 'ops',
  summary: 'the operation log: every rewind, undo and redo, newest first',
  details:
    'Shows what was rewound, undone and redone, newest first: whether it is in effect (what it did stands)\n' +
    'or was taken back, by which operation, and the safety checkpoint that keeps what was there before it.',
  options: { limit: LIMIT_OPTION, ...PAGER_OPTIONS },
  examples: [
    ['savepoint ops', 'the newest 50'],
    ['savepoint undo k3m9', 'take one of them back, wherever it stands in the log'],
  ],
  json: { ops: SHAPE },
  run: async (call) => {
    const limit = limitOf(call) ?? Number.POSITIVE_INFINITY;
    // All of them: an older one may have been taken back by any that came after it.
    const log = await withTimelineIfAny(
      call,
      (savepoint) => savepoint.operations(),
      () => [],
    );
    const shown = log.slice(0, limit);
    printJson(call, SHAPE, { operations: shown.map((one) => operationJson(one, log)) });
    const rows = shown.flatMap((operation) => operationText(call, operation, log));
    await showPage(call, rows.length === 0 ? ['Nothing was rewound yet.'] : rows);
    if (shown.length < log.length) call.hint('there are older ones: savepoint ops --limit 0');
    call.hint(hintFor(shown));
    return EXIT.done;
  },
};

function hintFor(shown: readonly Operation[]): string {
  return shown.some(({ inEffect }) => inEffect)
    ? 'take one back with: savepoint undo ID; see what was there before it with: savepoint diff ID'
    : 'see what there is to rewind to with: savepoint list';
}

const SHOWN_ID = 8;
const LONGEST = 200;

/** What was done on the first line, what became of it on the second. */
export function operationText(
  { io, paint, columns }: Call,
  operation: Operation,
  log: readonly Operation[],
): string[] {
  const { id, createdAt, description, safetyCheckpointId } = operation;
  const short = id.slice(0, SHOWN_ID);
  const when = relativeTime(createdAt, io.now());
  const head = `${short}  ${when}  `;
  const what = clipWidth(displayText(description), Math.min(LONGEST, columns) - textWidth(head));
  const kept = safetyCheckpointId.slice(0, SHOWN_ID);
  const fate = `${fateOf(operation, log)}; kept before it: ${kept}`;
  return [
    `${paint('bold', paint('cyan', short))}  ${when}  ${what}`,
    ...beside(' '.repeat(SHOWN_ID + 2), fate, columns, (line) => paint('dim', line)),
  ];
}

function fateOf(operation: Operation, log: readonly Operation[]): string {
  if (operation.inEffect) return 'in effect';
  const by = takenBackBy(operation, log);
  return by === null ? 'taken back' : `taken back by ${by.id.slice(0, SHOWN_ID)}`;
}
