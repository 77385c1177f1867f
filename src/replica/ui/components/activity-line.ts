import { Text, useAnimation } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { Paint } from '../../../terminal/paint.ts';

const SIGNS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SIGN_MS = 100;

interface ActivityProps {
  readonly activity: string;
  readonly paint: Paint;
}

/** What the agent is at, with a sign that moves as long as it is. */
export function ActivityLine({ activity, paint }: ActivityProps): ReactElement {
  const { frame } = useAnimation({ interval: SIGN_MS });
  const sign = paint('cyan', SIGNS[frame % SIGNS.length] ?? '');
  const hint = paint('dim', '(Esc interrupts)');
  return createElement(Text, { wrap: 'truncate' }, `${sign} ${activity} ${hint}`);
}
