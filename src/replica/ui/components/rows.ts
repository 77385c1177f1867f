import { Text } from 'ink';
import { createElement, type ReactElement } from 'react';
import { clipPainted } from '../transcript/wrap-rows.ts';

/** Wider than any terminal; cutting by columns is slow where a file is one line. */
const LONGEST_ROW = 4_000;

/** Rows as they are, one each: a row that is too long is cut, so that the height is known before. */
export function Rows({ rows }: { readonly rows: readonly string[] }): ReactElement[] {
  return rows.map((row, i) =>
    createElement(
      Text,
      { key: i, wrap: 'truncate' },
      row === '' ? ' ' : clipPainted(row, LONGEST_ROW),
    ),
  );
}
