import { Box, Static, Text } from 'ink';
import { createElement, type FunctionComponent, memo, type ReactElement } from 'react';
import type { Scrolled } from '../ui-store.ts';

interface TranscriptProps {
  readonly scrolled: Scrolled;
}

/** What has scrolled by: drawn once, and the terminal's from then on. Keys do not concern it. */
export const Transcript: FunctionComponent<TranscriptProps> = memo(({ scrolled }) =>
  createElement(Static<readonly string[]>, {
    key: scrolled.id,
    items: [...scrolled.blocks],
    // biome-ignore lint/correctness/noChildrenProp: createElement's types want the function here
    children: block,
  }),
);

function block(rows: readonly string[], index: number): ReactElement {
  const lines = rows.map((row, i) =>
    createElement(Text, { key: i, wrap: 'hard' }, row === '' ? ' ' : row),
  );
  return createElement(Box, { key: index, flexDirection: 'column' }, lines);
}
