import { diffSummary, diffText } from '../../terminal/diff-text.ts';
import { type FileDiff, fileDiffs } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { wordsOf } from './arguments.ts';
import type { SlashCommand } from './command.ts';
import { engineOf, refusing } from './refusals.ts';

export const diffCommand: SlashCommand = {
  name: 'diff',
  aliases: [],
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
};

const SHOWN_LINES = 400;
// A line of a bundled script is as long as the file.
const SHOWN_COLUMNS = 400;

/** File by file, and of everything as much as somebody reads in a conversation. */
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
