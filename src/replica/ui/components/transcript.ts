import { Box, Static, Text } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { Scrolled } from '../ui-store.ts';

/** What has scrolled by: drawn once, and the terminal's from then on. */
export function Transcript({ scrolled }: { readonly scrolled: Scrolled }): ReactElement {
  return createElement(Static<readonly string[]>, {
    key: scrolled.id,
    items: [...scrolled.blocks],
    // biome-ignore lint/correctness/noChildrenProp: createElement's types want the function here
    children: (rows, index) =>
      createElement(
        Box,
        { key: index, flexDirection: 'column' },
        rows.map((row, i) => createElement(Text, { key: i, wrap: 'hard' }, row === '' ? ' ' : row)),
      ),
  });
}
