import { displayText, type StoreCheck, type StoreProblem, type StoreRepair } from '../index.ts';
import { plural } from '../terminal/phrases.ts';
import { wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';

const SHOWN = 30;
const SHOWN_PATHS = 3;

/** Whether something is lost; a file that nobody needs is no damage. */
export function isDamaged({ problems }: StoreCheck): boolean {
  return problems.some(({ kind }) => kind !== 'leftover');
}

export function checkText(call: Call, check: StoreCheck): string[] {
  const damage = check.problems.filter(({ kind }) => kind !== 'leftover').length;
  const looked = `${plural(check.rows, 'row')} and ${plural(check.blobs, 'content')} were checked`;
  const end = damage === 0 ? `No damage: ${looked}.` : `${plural(damage, 'damage')}; ${looked}.`;
  return [...problemsText(call, check.problems), ...wrapWords(end, call.columns)];
}

export function repairText(call: Call, repair: StoreRepair): string[] {
  const { found, left, folder, rows, files, salvaged } = repair;
  if (!isDamaged(found)) return ['Nothing to repair.'];
  const lines = problemsText(call, found.problems);
  if (salvaged) lines.push('The rows that could be read were copied into a new database.');
  if (folder !== null) {
    const what = `${plural(rows, 'row')} and ${plural(files, 'file')}`;
    lines.push(...wrapWords(`Set aside: ${what}, in ${displayText(folder)}`, call.columns, 2));
  }
  if (isDamaged(left)) {
    return [...lines, 'This is still wrong:', ...problemsText(call, left.problems)];
  }
  return [...lines, ...outcomeText(call, repair)];
}

function outcomeText(call: Call, repair: StoreRepair): string[] {
  const { lost, kept, folder, salvaged } = repair;
  if (lost.length === 0) return ['Repaired: the record is whole again.'];
  const isEmpty = kept.checkpoints + kept.changes === 0;
  const counts = `${plural(kept.checkpoints, 'checkpoint')} and ${plural(kept.changes, 'change')}`;
  const lines = [
    isEmpty
      ? 'No checkpoint and no change could be read: the timeline begins anew.'
      : `On record are still ${counts}.`,
    ...(salvaged && folder !== null ? [`The old database is kept in ${displayText(folder)}`] : []),
    'The store can be used again, but not everything could be repaired.',
  ];
  return [
    'This is lost:',
    ...problemsText(call, lost),
    ...lines.flatMap((line) => wrapWords(line, call.columns, 2)),
  ];
}

function problemsText(call: Call, problems: readonly StoreProblem[]): string[] {
  const lines = problems.slice(0, SHOWN).flatMap((each) => problemText(call, each));
  const more = problems.length - SHOWN;
  return more > 0 ? [...lines, `  and ${more} more; --json lists them all`] : lines;
}

function problemText(
  call: Call,
  { kind, message, file, paths, checkpoints }: StoreProblem,
): string[] {
  const style = kind === 'leftover' ? 'dim' : 'red';
  const place = file === null ? '' : ` (${file})`;
  const text = `  ${call.paint(style, kind)}  ${displayText(message + place)}`;
  const named = paths.slice(0, SHOWN_PATHS).map((path) => displayText(path));
  const others = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  const at = checkpoints.length === 0 ? '' : `, at ${plural(checkpoints.length, 'checkpoint')}`;
  const lost =
    paths.length === 0 ? [] : [`      cannot be restored: ${named.join(', ')}${others}${at}`];
  return [text, ...lost].flatMap((line) => wrapWords(line, call.columns, 6));
}
