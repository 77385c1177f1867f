import { displayText } from '../../index.ts';
import type { Paint } from '../paint.ts';
import { wrapRows } from '../rows.ts';
import { clipPainted, clipStart, clipWidth, textWidth } from '../text-width.ts';
import { type Chooser, type ChooserView, selectedValue } from './chooser.ts';
import { type TextField, textOf } from './text-field.ts';

export interface ChooserRoom {
  readonly columns: number;
  /** How many rows there are at most; with a body beside the list, all of them are filled. */
  readonly rows: number;
  readonly now: number;
  /** In place of the keys in the last row: a question. */
  readonly bottom?: string | null;
}

export function chooserRows(chooser: Chooser<unknown>, room: ChooserRoom, paint: Paint): string[] {
  const layout = laidOut(chooser, room, paint);
  const { head, body, bodyRoom, list } = layout;
  const top = Math.max(0, Math.min(chooser.bodyTop, body.length - bodyRoom));
  const shown = body.slice(top, top + bodyRoom);
  const bar = paint(chooser.focus === 'body' ? 'cyan' : 'dim', '│');
  const middle = layout.isBeside ? sideBySide(layout, shown, room, bar) : [...shown, ...list];
  const bottom = room.bottom ?? paint('dim', clipWidth(keysOf(chooser, layout, top), room.columns));
  return [...head, ...middle, bottom].slice(0, room.rows);
}

export function chooserView(chooser: Chooser<unknown>, room: ChooserRoom): ChooserView {
  const { body, bodyRoom, listRoom } = laidOut(chooser, room, (_style, text) => text);
  return { bodyRows: body.length, bodyRoom, listRoom };
}

interface Layout {
  readonly isBeside: boolean;
  readonly head: readonly string[];
  readonly body: readonly string[];
  readonly bodyRoom: number;
  readonly list: readonly string[];
  readonly listRoom: number;
}

/** The body keeps so many rows, even where the answers could use them. */
const LEAST_BODY = 3;
const LEAST_FOR_BOTH = 60;
const SEPARATOR = ' │ ';

function laidOut(chooser: Chooser<unknown>, room: ChooserRoom, paint: Paint): Layout {
  const head =
    chooser.filter === null ? titleRows(chooser, room, paint) : filterRow(chooser, room, paint);
  const rows = Math.max(1, room.rows - head.length - 1);
  // The picker fills its own screen also where it is narrow.
  const fills = chooser.besideFrom <= Math.max(room.columns, LEAST_FOR_BOTH);
  if (chooser.bodyIs === 'beside' && fills) {
    const columns = listColumns(room.columns);
    const hasBody = columns < room.columns;
    const body = hasBody ? bodyOf(chooser, room.columns - columns - SEPARATOR.length) : [];
    const list = listRows(chooser, { ...room, columns, rows }, paint);
    const bodyRoom = hasBody ? rows : 0;
    return { isBeside: true, head, body, bodyRoom, list, listRoom: rows };
  }
  const body = chooser.bodyIs === 'above' ? bodyOf(chooser, room.columns) : [];
  const whole = listRows(chooser, { ...room, rows }, paint);
  // At least one answer and a few rows of the body are visible.
  const spare = Math.max(rows - whole.length, Math.min(LEAST_BODY, rows - 1));
  const bodyRoom = Math.min(body.length, spare);
  const listRoom = rows - bodyRoom;
  return {
    isBeside: false,
    head,
    body,
    bodyRoom,
    list: listRows(chooser, { ...room, rows: listRoom }, paint),
    listRoom,
  };
}

function bodyOf(chooser: Chooser<unknown>, columns: number): readonly string[] {
  return chooser.body(columns, selectedValue(chooser));
}

function listColumns(columns: number): number {
  return columns < LEAST_FOR_BOTH ? columns : Math.min(60, Math.floor(columns * 0.4));
}

/** Each half has its own place, so that no text can push the other away. */
function sideBySide(
  { list, listRoom, bodyRoom }: Layout,
  body: readonly string[],
  { columns }: ChooserRoom,
  bar: string,
): string[] {
  const left = listColumns(columns);
  return Array.from({ length: listRoom }, (_, i) => {
    const row = list[i] ?? '';
    if (bodyRoom === 0) return row;
    return clipPainted(`${row}\x1b[${left + 2}G${bar} ${body[i] ?? ''}`, columns);
  });
}

const MOST_TITLE_ROWS = 2;

function titleRows({ title }: Chooser<unknown>, { columns }: ChooserRoom, paint: Paint): string[] {
  const rows = wrapRows(title, columns);
  const last = clipWidth(`${rows[MOST_TITLE_ROWS - 1]}…`, columns);
  const shown =
    rows.length <= MOST_TITLE_ROWS ? rows : [...rows.slice(0, MOST_TITLE_ROWS - 1), last];
  return shown.map((row) => paint('bold', row));
}

const TO_TYPE = 'type to filter';

function filterRow(
  { title: whole, filter, matches, options }: Chooser<unknown>,
  { columns }: ChooserRoom,
  paint: Paint,
): string[] {
  const [title = ''] = whole.split(':');
  const count = ` ${matches.length} of ${options.length}`;
  const room = columns - textWidth(title) - ': '.length - count.length;
  const isEmpty = filter === null || filter.cells.length === 0;
  const shown = isEmpty ? TO_TYPE : typedText(filter, Math.max(1, room));
  const gap = ' '.repeat(Math.max(0, room - textWidth(shown)));
  const field = isEmpty ? paint('dim', shown) : shown;
  return [clipPainted(paint('bold', `${title}: `) + field + gap + paint('dim', count), columns)];
}

/** What is around the cursor, as much as fits. */
function typedText({ cells, cursor }: TextField, room: number): string {
  const before = displayText(textOf({ cells: cells.slice(0, cursor) }));
  const after = displayText(textOf({ cells: cells.slice(cursor) }));
  const start = `${clipStart(before, Math.max(1, room - 1))}▏`;
  const left = room - textWidth(start);
  return start + (after === '' || left < 1 ? '' : clipWidth(after, left));
}

const NOTHING_FITS = '  nothing fits; Esc shows all';

/** The rows around what is selected. Only those are made, since a list can be long. */
function listRows(chooser: Chooser<unknown>, room: ChooserRoom, paint: Paint): string[] {
  const { matches, options, selected, filter } = chooser;
  if (matches.length === 0 && filter !== null)
    return [paint('dim', clipWidth(NOTHING_FITS, room.columns))];
  const labels = options.reduce((widest, { label }) => Math.max(widest, label.length), 0);
  const rowsAt = (index: number): string[] =>
    optionRows(chooser, index, { ...room, labels }, paint);
  const own = rowsAt(selected);
  const above: string[] = [];
  for (let i = selected - 1; i >= 0 && above.length < room.rows; i -= 1)
    above.unshift(...rowsAt(i));
  const below: string[] = [];
  for (let i = selected + 1; i < matches.length && below.length < room.rows; i += 1) {
    below.push(...rowsAt(i));
  }
  const rows = [...above, ...own, ...below];
  const middle = above.length - Math.max(0, Math.floor((room.rows - own.length) / 2));
  const top = Math.max(0, Math.min(middle, rows.length - room.rows));
  return rows.slice(top, top + room.rows).map((row) => clipPainted(row, room.columns));
}

function optionRows(
  { matches, selected, writing }: Chooser<unknown>,
  index: number,
  { columns, now, labels }: ChooserRoom & { readonly labels: number },
  paint: Paint,
): string[] {
  const option = matches[index];
  if (option === undefined) return [];
  const label = option.label.padStart(labels);
  const isSelected = index === selected;
  const first = isSelected ? `${paint('cyan', '❯')} ${paint('cyan', label)}  ` : `  ${label}  `;
  const margin = labels + '❯ '.length + '  '.length;
  const room = Math.max(1, columns - margin);
  const texts = [
    ...option.rows({ columns: room, now }),
    ...(isSelected && writing !== null ? [`> ${typedText(writing, Math.max(1, room - 2))}`] : []),
  ];
  return texts.map((text, row) => (row === 0 ? first : ' '.repeat(margin)) + text);
}

function keysOf(chooser: Chooser<unknown>, { body, bodyRoom }: Layout, top: number): string {
  const { digits, filter, focus, options, writing } = chooser;
  if (writing !== null) return 'Enter sends it · Esc goes back to the answers';
  if (digits !== '') return `${digits}… Enter takes it`;
  if (focus === 'body' && bodyRoom > 0)
    return 'Enter chooses · ↑↓ scrolls · Tab goes back to the list';
  if (filter !== null) {
    const scrolls = bodyRoom > 0 ? 'Tab scrolls the diff · ' : '';
    const out = chooser.slashFilters ? 'ends the filter' : 'leaves';
    return `Enter chooses · ↑↓ moves · ${scrolls}Esc ${filter.cells.length > 0 ? 'shows all' : out}`;
  }
  const isLong = chooser.bodyIs === 'above' && body.length > bodyRoom;
  const lines = isLong ? `lines ${top + 1}–${top + bodyRoom} of ${body.length}` : '';
  const labels = options.map(({ label }) => label);
  const range = labels.length > 4 ? `1–${labels.at(-1)}` : labels.join(' ');
  const more = [
    ...(chooser.bodyIs === 'beside' && bodyRoom > 0 ? ['Tab scrolls the diff · '] : []),
    ...chooser.keys.map(({ key, does }) => `${key} ${does} · `),
    ...(chooser.slashFilters ? ['/ filters · '] : []),
  ];
  // The arrows come to the answers behind the last line only.
  if (isLong && top + bodyRoom < body.length) {
    return `${lines}, ↓ reads on · ${range} or Tab · ${more.join('')}Esc ${chooser.leaving}`;
  }
  const read = isLong ? `${lines} · ` : '';
  return `${read}${range} or ↑↓ Enter · ${more.join('')}0 or Esc ${chooser.leaving}`;
}
