import { displayText } from '../../../model/display.ts';
import type { ToolCall } from '../../api.ts';
import { LineCounts, Sureness, TakenBack } from '../ui/parts.tsx';
import { counted, firstLine, shownTime } from '../ui/shown.ts';

const SHOWN_CALLS = 8;
const SHOWN_CHANGES = 12;

/** What was done for a prompt: each tool call and command with the files that it changed, and how sure that is. */
export function Calls({ calls }: { readonly calls: readonly ToolCall[] }) {
  if (calls.length === 0) return null;
  const [early, later] = [calls.slice(0, SHOWN_CALLS), calls.slice(SHOWN_CALLS)];
  return (
    <section class="calls" aria-labelledby="calls-heading">
      <h2 id="calls-heading">What it did</h2>
      {calls.some(isWordless) && (
        <p class="quiet">The text of a command is on record only while the command runs.</p>
      )}
      <ol>{early.map(callItem)}</ol>
      {later.length > 0 && (
        <details>
          <summary>{counted(later.length, 'more call')}</summary>
          <ol start={SHOWN_CALLS + 1}>{later.map(callItem)}</ol>
        </details>
      )}
    </section>
  );
}

function callItem(call: ToolCall, i: number) {
  const { command, changes, running, toolCallId, subagentId, at } = call;
  const more = changes.length - SHOWN_CHANGES;
  return (
    <li key={i} class={running ? 'call running' : 'call'}>
      <p class="meta">
        <span>{titleOf(call)}</span>
        {command !== null && <code class="command">{firstLine(command)}</code>}
        {isWordless(call) && toolCallId !== null && (
          <code class="command quiet">{displayText(toolCallId)}</code>
        )}
        {subagentId !== null && <span class="badge">sub-agent</span>}
        {running && <span class="badge running">running</span>}
        <time class="quiet" dateTime={new Date(at).toISOString()}>
          {shownTime(at)}
        </time>
      </p>
      <ul>
        {changes.slice(0, SHOWN_CHANGES).map((change) => (
          <li key={change.seq} class={change.takenBack ? 'meta gone' : 'meta'}>
            <span class={`change ${change.change}`}>{change.change}</span>
            <code>{displayText(change.path)}</code>
            <LineCounts {...change} />
            <Sureness of={change.attribution} />
            <TakenBack of={change.takenBack ? 'yes' : 'no'} />
          </li>
        ))}
        {more > 0 && <li class="quiet">and {counted(more, 'more file')}</li>}
      </ul>
    </li>
  );
}

/** A command that has ended: which call of the agent it was is all that is on record of it. */
function isWordless({ origin, command }: ToolCall): boolean {
  return origin === 'shell' && command === null;
}

function titleOf({ origin, toolCallId }: ToolCall): string {
  if (origin === 'shell') return 'Command';
  if (origin === 'outside') return 'Outside of the agent';
  if (origin === 'operation') return 'Rewind';
  return toolCallId === null ? 'Tool' : 'Edit by a tool';
}
