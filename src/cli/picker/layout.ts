/** How large the terminal is. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Which part of the screen shows what. */
export interface Layout {
  /** Rows between the line of the filter and that of the keys. */
  readonly rows: number;
  readonly listColumns: number;
  /** Null where there is no room for the diff beside the list. */
  readonly diff: { readonly column: number; readonly columns: number } | null;
}

const LEAST_FOR_BOTH = 60;
const SEPARATOR_COLUMNS = 3;

export function layoutOf({ columns, rows }: Size): Layout {
  const body = Math.max(1, rows - 2);
  if (columns < LEAST_FOR_BOTH) return { rows: body, listColumns: columns, diff: null };
  const listColumns = Math.min(60, Math.floor(columns * 0.4));
  const column = listColumns + SEPARATOR_COLUMNS;
  return { rows: body, listColumns, diff: { column, columns: columns - column } };
}
