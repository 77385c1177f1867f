import { displayText } from '../index.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from './sessions/session.ts';
import type { Stage } from './stage.ts';

export interface Greeted {
  readonly stage: Stage;
  readonly session: Session;
  /** A scratch project. */
  readonly demo: boolean;
  readonly offline: boolean;
  readonly paint: Paint;
}

/** What a person should know before the first prompt. */
export function greetingLines({ stage, session, demo, offline, paint }: Greeted): string[] {
  const project = displayText(stage.project);
  return [
    `${paint('bold', 'claude-replica')} in ${demo ? 'a scratch project, removed afterwards' : project}`,
    ...(session.turns.length > 0 ? [`Conversation of ${count(session.turns.length)} so far.`] : []),
    ...(offline ? OFFLINE.map((line) => paint('dim', line)) : []),
  ];
}

const OFFLINE: readonly string[] = [
  'The demonstration model answers, a small program without a network. It takes:',
  '  write FILE: TEXT      append FILE: TEXT    replace A with B in FILE',
  '  run: COMMAND          delete FILE          read FILE',
  'Let it wreck something (run: rm README.md), then press Esc twice.',
];

function count(prompts: number): string {
  return prompts === 1 ? 'one prompt' : `${prompts} prompts`;
}
