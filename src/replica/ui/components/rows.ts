import { Text } from 'ink';
import { createElement, type ReactElement } from 'react';

/** Rows as they are, one each: a row that is too long is cut, so that the height is known before. */
export function Rows({ rows }: { readonly rows: readonly string[] }): ReactElement[] {
  return rows.map((row, i) =>
    createElement(Text, { key: i, wrap: 'truncate' }, row === '' ? ' ' : row),
  );
}
