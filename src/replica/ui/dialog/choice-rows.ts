import type { Paint } from '../../../terminal/paint.ts';
import { clipWidth } from '../../../terminal/text-width.ts';
import { wrapRows } from '../transcript/wrap-rows.ts';
import type { ChoiceDialog, ChoiceView } from './choice-dialog.ts';

export interface DialogRoom {
  readonly columns: number;
  /** How many rows there are at most. */
  readonly rows: number;
  readonly now: number;
}

const MOST_TITLE_ROWS = 2;
const HINT_ROWS = 1;
/** As much of what is to be read is seen at least, where the answers leave it. */
const LEAST_BODY = 3;

interface Layout {
  readonly title: readonly string[];
  readonly body: readonly string[];
  readonly bodyRoom: number;
  readonly options: readonly string[][];
  readonly optionRoom: number;
}

export function choiceView(dialog: ChoiceDialog, room: DialogRoom): ChoiceView {
  const { body, bodyRoom } = laidOut(dialog, room, (_style, text) => text);
  return { bodyRows: body.length, bodyRoom };
}

export function choiceRows(dialog: ChoiceDialog, room: DialogRoom, paint: Paint): string[] {
  const layout = laidOut(dialog, room, paint);
  const { title, body, bodyRoom, options, optionRoom } = layout;
  const top = Math.min(dialog.bodyTop, body.length - bodyRoom);
  return [
    ...title.map((row) => paint('bold', row)),
    ...body.slice(top, top + bodyRoom),
    ...inView(options, dialog.selected, optionRoom),
    paint('dim', clipWidth(hintOf(dialog, layout, top), room.columns)),
  ].slice(0, room.rows);
}

function laidOut(dialog: ChoiceDialog, room: DialogRoom, paint: Paint): Layout {
  const title = titleRows(dialog.title, room.columns);
  const body = dialog.body(room.columns);
  const options = optionRows(dialog, room, paint);
  const rows = Math.max(1, room.rows - title.length - HINT_ROWS);
  // One answer is seen at least, and something of what it is about.
  const spare = Math.max(rows - options.flat().length, Math.min(LEAST_BODY, rows - 1));
  const bodyRoom = Math.min(body.length, spare);
  return { title, body, bodyRoom, options, optionRoom: rows - bodyRoom };
}

function titleRows(title: string, columns: number): string[] {
  const rows = wrapRows(title, columns);
  if (rows.length <= MOST_TITLE_ROWS) return rows;
  const last = clipWidth(`${rows[MOST_TITLE_ROWS - 1]}…`, columns);
  return [...rows.slice(0, MOST_TITLE_ROWS - 1), last];
}

function optionRows(
  { options, selected }: ChoiceDialog,
  { columns, now }: DialogRoom,
  paint: Paint,
): string[][] {
  const digits = String(Math.max(0, ...options.map(({ number }) => number))).length;
  const margin = digits + 4;
  return options.map(({ number, rows }, i) => {
    const mark = i === selected ? paint('cyan', '❯') : ' ';
    const label = String(number).padStart(digits);
    const first = `${mark} ${i === selected ? paint('cyan', label) : label}  `;
    const texts = rows({ columns: Math.max(1, columns - margin), now });
    return texts.map((text, row) => (row === 0 ? first : ' '.repeat(margin)) + text);
  });
}

/** The rows around what is selected. */
function inView(options: readonly string[][], selected: number, room: number): string[] {
  const all = options.flat();
  const start = options.slice(0, selected).flat().length;
  const height = options[selected]?.length ?? 1;
  const wanted = start - Math.max(0, Math.floor((room - height) / 2));
  const top = Math.max(0, Math.min(wanted, all.length - room));
  return all.slice(top, top + room);
}

function hintOf(
  { digits, options }: ChoiceDialog,
  { body, bodyRoom }: Layout,
  top: number,
): string {
  if (digits !== '') return `${digits}… Enter takes it`;
  const isCut = body.length > bodyRoom;
  const read = isCut ? `lines ${top + 1}–${top + bodyRoom} of ${body.length} · ` : '';
  const numbers = options.map(({ number }) => number);
  const range = numbers.length > 4 ? `1–${numbers.at(-1)}` : numbers.join(' ');
  return `${read}${range} or ↑↓ Enter · 0 or Esc leaves`;
}
