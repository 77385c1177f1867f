import { relativeTime } from '../../terminal/relative-time.ts';
import type { InteractiveUI, RewindEntry } from '../ui/interactive-ui.ts';

/** What stays where it is: the first entry where a command opens the list. */
const CURRENT = {
  id: '__current__',
  text: '(current)\n  Do not restore, continue with the current session.',
} as const;

/** The list of `/checkpoint`; null when the person leaves it, or stays. */
export async function selectCheckpoint(
  ui: InteractiveUI,
  entries: readonly RewindEntry[],
  now: number,
): Promise<RewindEntry | null> {
  const items = entries.map(({ id, timestamp, description, label }) => {
    const called = label === null ? '' : `, ${label}`;
    return { id, text: `${description}\n  ${relativeTime(timestamp.getTime(), now)}${called}` };
  });
  const chosen = await ui.select<string>('Checkpoints', [CURRENT, ...items]);
  return entries.find(({ id }) => id === chosen) ?? null;
}
