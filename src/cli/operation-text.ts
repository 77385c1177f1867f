import { displayText, type Operation } from '../index.ts';
import { relativeTime } from '../terminal/phrases.ts';
import { beside } from '../terminal/rows.ts';
import { clipWidth, textWidth } from '../terminal/text-width.ts';
import type { Call } from './command.ts';
import { takenBackBy } from './json-shapes.ts';

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
  const indent = { text: ' '.repeat(SHOWN_ID + 2), width: SHOWN_ID + 2 };
  const head = `${short}  ${when}  `;
  const what = clipWidth(displayText(description), Math.min(LONGEST, columns) - textWidth(head));
  const kept = safetyCheckpointId.slice(0, SHOWN_ID);
  const fate = `${fateOf(operation, log)}; kept before it: ${kept}`;
  return [
    `${paint('bold', paint('cyan', short))}  ${when}  ${what}`,
    ...beside(indent, fate, columns, (line) => paint('dim', line)),
  ];
}

function fateOf(operation: Operation, log: readonly Operation[]): string {
  if (operation.inEffect) return 'in effect';
  const by = takenBackBy(operation, log);
  return by === null ? 'taken back' : `taken back by ${by.id.slice(0, SHOWN_ID)}`;
}
