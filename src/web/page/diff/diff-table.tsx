import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LineRange } from '../../api.ts';
import { CodeText, useColours } from './code-text.tsx';
import type { DiffStyle } from './diff-style.tsx';
import type { CodeLine } from './highlight.ts';
import { type DiffRow, type Gap, type Piece, piecesOf, type Sides, textDiff } from './text-diff.ts';
import { type WordMarks, wordMarks } from './word-marks.ts';

interface DiffTableProps extends Sides<string> {
  /** Its ending tells the language. */
  readonly path: string;
  readonly style: DiffStyle;
  /** For those who do not see the table. */
  readonly caption: string;
  /** Lines of the new side, from 1, that the reader wrote and that stay. */
  readonly yours?: readonly LineRange[] | undefined;
  /** Where the texts are parts of a file. */
  readonly firstLine?: Sides<number>;
  /** Nothing is folded away. */
  readonly isWhole?: boolean;
}

const COLUMNS = {
  split: ['Old line', 'Before', 'New line', 'After'],
  unified: ['Old line', 'New line', 'Text'],
} as const;
const CONTEXT = 3;
const FROM_ONE: Sides<number> = { before: 1, after: 1 };
/** Rows that are laid out together, once they come into view. */
const BLOCK = 60;
const MOST_ROWS = 20_000;
const FIRST_ROWS = 480;

/** The difference of two texts as a table: one below the other, or side by side. */
export function DiffTable(props: DiffTableProps) {
  const { path, before, after, style, caption, yours, firstLine = FROM_ONE, isWhole } = props;
  const diff = useMemo(() => textDiff(before, after), [before, after]);
  const marks = useMemo(() => wordMarks(diff.before, diff.after, diff.hunks), [diff]);
  const code = useColours(path, diff.before, diff.after);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(MOST_ROWS);
  const mine = useMemo(() => linesWithin(yours), [yours]);
  const pieces = useMemo(
    () =>
      piecesOf(diff, {
        style,
        context: isWhole ? Number.POSITIVE_INFINITY : CONTEXT,
        opened,
        alsoShown: (at) => mine.has(at),
      }),
    [diff, style, opened, mine, isWhole],
  );
  const drawn = useGrowing(most, code);
  const blocks = useMemo(() => blocksOf(pieces, drawn), [pieces, drawn]);
  if (code === null) return <p class="waiting">Colouring…</p>;
  const open = ({ after: at }: Gap) => setOpened((last) => new Set([...last, at]));
  const ends = {
    before: diff.openEnds.before ? diff.before.length - 1 : -1,
    after: diff.openEnds.after ? diff.after.length - 1 : -1,
  };
  const view: View = { code, marks, mine, style, ends, firstLine };
  return (
    <>
      {diff.lineEnds === 'crlf' && <p class="quiet">Lines end with CRLF.</p>}
      <table class={`diff ${style}`} aria-label={caption}>
        <thead class="unseen">
          <tr>
            {COLUMNS[style].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        {blocks.shown.map((block) =>
          block.kind === 'gap' ? (
            <tbody key={`gap ${block.gap.after}`} class="gap">
              <tr>
                <td colSpan={COLUMNS[style].length}>
                  <button type="button" onClick={() => open(block.gap)}>
                    Show {block.gap.count.toLocaleString('en')} unchanged lines
                  </button>
                </td>
              </tr>
            </tbody>
          ) : (
            <RowBlock key={keyOf(block.rows)} rows={block.rows} view={view} />
          ),
        )}
      </table>
      {blocks.more > 0 && drawn === most && (
        <p>
          <button type="button" onClick={() => setMost(most + MOST_ROWS)}>
            Show {blocks.more.toLocaleString('en')} more rows
          </button>
        </p>
      )}
    </>
  );
}

/** The first rows are there at once, and all others a few frames later, in which the page can be used. */
function useGrowing(most: number, code: unknown): number {
  const [drawn, setDrawn] = useState(FIRST_ROWS);
  useEffect(() => {
    if (drawn >= most || code === null) return;
    const frame = requestAnimationFrame(() => setDrawn(2 * drawn));
    return () => cancelAnimationFrame(frame);
  }, [drawn, most, code]);
  return Math.min(drawn, most);
}

function linesWithin(ranges: readonly LineRange[] = []): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const { from, to } of ranges) for (let line = from; line <= to; line++) lines.add(line - 1);
  return lines;
}

function blocksOf(pieces: readonly Piece[], most: number): { shown: Piece[]; more: number } {
  const shown: Piece[] = [];
  let room = most;
  let more = 0;
  for (const piece of pieces) {
    if (piece.kind === 'gap') {
      if (room > 0) shown.push(piece);
      continue;
    }
    const rows = piece.rows.slice(0, room);
    more += piece.rows.length - rows.length;
    room -= rows.length;
    for (let i = 0; i < rows.length; i += BLOCK)
      shown.push({ kind: 'rows', rows: rows.slice(i, i + BLOCK) });
  }
  return { shown, more };
}

function keyOf([first]: readonly DiffRow[]): string {
  return `${first?.before}-${first?.after}`;
}

interface View {
  readonly code: Sides<readonly CodeLine[]>;
  readonly marks: WordMarks;
  readonly mine: ReadonlySet<number>;
  readonly style: DiffStyle;
  /** The last line of a side that does not end with a line break; -1 for none. */
  readonly ends: Sides<number>;
  readonly firstLine: Sides<number>;
}

/** Drawn once: opening a gap leaves the other blocks as they are. */
function RowBlock({ rows, view }: { readonly rows: readonly DiffRow[]; readonly view: View }) {
  const { code, marks, mine, style } = view;
  return useMemo(
    () => (
      <tbody>
        {rows.map((row) => (style === 'split' ? splitRow(row, view) : unifiedRow(row, view)))}
      </tbody>
    ),
    [keyOf(rows), rows.length, code, marks, mine, style],
  );
}

function unifiedRow(row: DiffRow, view: View) {
  const { before, after, kind } = row;
  const [side, at] = after === null ? (['before', before] as const) : (['after', after] as const);
  return (
    <tr class={kind} data-mine={isMine(after, view) ? '' : undefined}>
      <td class="number">{numberOf(before, view.firstLine.before)}</td>
      <td class="number">{numberOf(after, view.firstLine.after)}</td>
      {cell(side, at, kind, view)}
    </tr>
  );
}

function splitRow({ before, after, kind }: DiffRow, view: View) {
  const isSame = kind === 'same';
  return (
    <tr class="pair" data-mine={isMine(after, view) ? '' : undefined}>
      <td class={`number ${before === null || isSame ? '' : 'removed'}`}>
        {numberOf(before, view.firstLine.before)}
      </td>
      {cell('before', before, isSame ? 'same' : 'removed', view)}
      <td class={`number ${after === null || isSame ? '' : 'added'}`}>
        {numberOf(after, view.firstLine.after)}
      </td>
      {cell('after', after, isSame ? 'same' : 'added', view)}
    </tr>
  );
}

const SAID = { removed: 'removed: ', added: 'added: ' } as const;

function cell(side: keyof Sides<unknown>, at: number | null, kind: DiffRow['kind'], view: View) {
  if (at === null) return <td class="code nothing" />;
  const isChanged = kind === 'removed' || kind === 'added';
  return (
    <td class={`code ${kind}`}>
      {isChanged && <span class="unseen">{SAID[kind]}</span>}
      {side === 'after' && isMine(at, view) && <span class="tag-mine">yours</span>}
      <CodeText
        line={view.code[side][at] ?? []}
        marks={isChanged ? view.marks[side].get(at) : undefined}
      />
      {at === view.ends[side] && <span class="no-newline">no newline at the end</span>}
    </td>
  );
}

function isMine(after: number | null, { mine }: View): boolean {
  return after !== null && mine.has(after);
}

function numberOf(at: number | null, first: number): string {
  return at === null ? '' : String(at + first);
}
