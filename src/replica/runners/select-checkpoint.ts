import { relativeTime } from '../../terminal/phrases.ts';
import type { AgentExecution } from '../files/agent-executions.ts';
import type { InteractiveUI, RewindEntry } from '../ui/interactive-ui.ts';

/** What stays where it is: the first entry where a command opens the list. */
const CURRENT = {
  id: '__current__',
  text: '(current)\n  Do not restore, continue with the current session.',
} as const;

/** The list of `/checkpoint`: prompts, then executions. Null when the person leaves it, or stays. */
export async function selectCheckpoint(
  ui: InteractiveUI,
  entries: readonly RewindEntry[],
  executions: readonly AgentExecution[],
  now: number,
): Promise<RewindEntry | AgentExecution | null> {
  const items = entries.map(({ id, timestamp, description, label }) => {
    const called = label === null ? '' : `, ${label}`;
    return { id, text: `${description}\n  ${relativeTime(timestamp.getTime(), now)}${called}` };
  });
  const others = executions.map(({ key, text }) => ({ id: key, text }));
  const chosen = await ui.select<string>('Checkpoints', [CURRENT, ...items, ...others]);
  const entry = entries.find(({ id }) => id === chosen);
  return entry ?? executions.find(({ key }) => key === chosen) ?? null;
}
