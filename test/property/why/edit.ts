import { linesOf } from './allowed.ts';

/** A random edit; what the numbers mean depends on the file. */
export interface Edit {
  readonly kind: 'insert' | 'remove' | 'replace' | 'move' | 'copy' | 'rewrite' | 'delete' | 'end';
  readonly at: number;
  readonly count: number;
  /** For each new line: one of the common lines, or one of its own. */
  readonly common: readonly number[];
}

/** Lines that stand in many places, so that several diffs are minimal. */
const COMMON = ['{\n', '}\n', '\n'];
const MOST_LINES = 14;

/** The content after an edit; null for no file. */
export function edited(
  content: string | null,
  { kind, at, count, common }: Edit,
  unique: () => string,
): string | null {
  const lines = linesOf(content);
  const fresh = common
    .slice(0, count)
    .map((pick) => COMMON[pick] ?? `${unique()}\n`)
    .slice(0, Math.max(1, MOST_LINES - lines.length));
  const place = at % (lines.length + 1);
  const some = lines.slice(place, place + count);
  const target = (at * 7) % (lines.length + 1);
  switch (content === null ? 'rewrite' : kind) {
    case 'insert':
      return ended(lines.toSpliced(place, 0, ...fresh));
    case 'remove':
      return ended(lines.toSpliced(place, count));
    case 'replace':
      return ended(lines.toSpliced(place, count, ...fresh));
    case 'move':
      return ended(lines.toSpliced(place, count).toSpliced(target, 0, ...some));
    case 'copy':
      return ended([...lines.toSpliced(target, 0, ...some)].slice(0, MOST_LINES));
    case 'rewrite':
      return ended(fresh.concat(lines.slice(0, at % 3)));
    case 'end':
      return lines.join('').replace(/\n$/, '');
    default:
      return null;
  }
}

/** Only the last line may be without a newline. */
function ended(lines: readonly string[]): string {
  return lines
    .map((line, i) => (i < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line))
    .join('');
}
