import { Box, useCursor } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { Paint } from '../../../terminal/paint.ts';
import type { LiveView } from '../live-view.ts';
import { ActivityLine } from './activity-line.ts';
import { Rows } from './rows.ts';

interface LiveRegionProps {
  readonly view: LiveView;
  readonly paint: Paint;
}

/** What still changes: the answer that comes, what the agent is at, the input or a question. */
export function LiveRegion({ view, paint }: LiveRegionProps): ReactElement {
  const { answer, activity, below, cursor } = view;
  // The terminal's own cursor, so that an input method shows what it composes in the right place.
  useCursor().setCursorPosition(cursor ?? undefined);
  return createElement(
    Box,
    { flexDirection: 'column' },
    createElement(Rows, { rows: answer }),
    activity === null ? null : createElement(ActivityLine, { activity, paint }),
    createElement(Rows, { rows: below }),
  );
}
