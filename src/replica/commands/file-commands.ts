import { displayText } from '../../index.ts';
import { diffSummary, diffText } from '../../terminal/diff-text.ts';
import { type FileDiff, fileDiffs } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { receiptText } from '../../terminal/plan-text.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  type CommandContext,
  engineOf,
  firstWord,
  idleOnly,
  refusing,
  type SlashCommand,
  wholeText,
  wordsOf,
} from './command.ts';

export const fileCommands: readonly SlashCommand[] = [
  {
    name: 'undo',
    description: 'take the last rewind of files back',
    execute: (_args, context) => travel(context, 'undo', 'Undone; /redo does it again.'),
  },
  {
    name: 'redo',
    description: 'take the last undo back',
    execute: (_args, context) => travel(context, 'redo', 'Redone; /undo takes it back again.'),
  },
  {
    name: 'diff',
    usage: '[REF] [REF2]',
    description:
      'what changed in files since a checkpoint, or between two; without one, since the last prompt',
    complete: () => ['latest', '~1'],
    async execute(args, context) {
      const [from = 'latest', to] = wordsOf(args, 2);
      const files = engineOf(context);
      const found = fileDiffs(await refusing(files.diff(from, to)));
      if (found.length === 0) return 'No differences.';
      context.ui.displayBlock([...clipped(found, context.paint), diffSummary(found)]);
      return null;
    },
  },
  {
    name: 'label',
    usage: 'REF TEXT',
    description: 'give a checkpoint a name of its own; the text - takes it away',
    complete: () => ['latest ', '~1 '],
    async execute(args, context) {
      const { word: ref, rest } = firstWord(args);
      if (ref === '') throw new UsageError('Which checkpoint?');
      const text = wholeText(rest, 'Which label?');
      const files = engineOf(context);
      const id = await refusing(files.label(ref, text === REMOVE ? null : text));
      const named = text === REMOVE ? 'has no label now' : `has the label "${displayText(text)}"`;
      return `${id.slice(0, SHOWN_ID)} ${named}.`;
    },
  },
];

const SHOWN_LINES = 400;
// A line of a bundled script is as long as the file.
const SHOWN_COLUMNS = 400;

/** The diffs of the files one after the other, as much as somebody reads in a conversation. */
function clipped(files: readonly FileDiff[], paint: Paint): string[] {
  const narrow: Paint = (style, text) => paint(style, clipWidth(text, SHOWN_COLUMNS));
  const lines: string[] = [];
  for (const [at, file] of files.entries()) {
    lines.push(...diffText(file, narrow));
    if (lines.length <= SHOWN_LINES) continue;
    const left = files.length - at - 1;
    const more = left === 0 ? '' : ` and ${plural(left, 'path')} more`;
    const rest = `… ${plural(lines.length - SHOWN_LINES, 'line')}${more}`;
    return [...lines.slice(0, SHOWN_LINES).map(unpainted), paint('dim', rest)];
  }
  return lines.map(unpainted);
}

/** Lines that are not painted have no colours to be cut through: contents come without any. */
function unpainted(line: string): string {
  return line.includes('\u001b') ? line : clipWidth(line, SHOWN_COLUMNS);
}

const REMOVE = '-';
const SHOWN_ID = 8;

async function travel(context: CommandContext, verb: 'undo' | 'redo', done: string): Promise<null> {
  idleOnly(context);
  const { ui, paint, agent } = context;
  const receipt = await refusing(engineOf(context)[verb](agent.session.id));
  if (receipt.operationId === null) ui.displayWarning('No file was changed.');
  else ui.displaySuccess(done);
  ui.displayBlock(receiptText(receipt, paint));
  return null;
}
