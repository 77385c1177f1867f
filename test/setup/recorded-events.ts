import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentAdapter, AgentEvent } from '../../src/agents/agent-adapter.ts';

/** The payloads of a session of a real agent, in order. `folder` is that of a test beside the adapter. */
export function recorded(folder: string, name: string): unknown[] {
  const lines = readFileSync(join(folder, 'fixtures', `${name}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}

/** What an adapter makes of payloads: a line for each event, and why the other payloads have none. */
export function eventsIn(
  adapter: AgentAdapter,
  payloads: readonly unknown[],
): { lines: string[]; dropped: string[] } {
  const parsed = payloads.map((payload) => adapter.parse(payload, null));
  const dropped = parsed.flatMap((one) => (one.dropped === null ? [] : [one.dropped]));
  return {
    lines: parsed.flatMap(({ events }) => events.map(lineOf)),
    dropped: [...new Set(dropped.map(({ reason, detail }) => `${reason} ${detail}`))].sort(),
  };
}

/** `sub-agent: before-tool Bash call_1 of e713b880: sed -i s/a/b/ c.txt`; ids are cut. */
function lineOf(event: AgentEvent): string {
  const who = event.subagentId === null ? '' : 'sub-agent: ';
  return `${who}${event.kind}${restOf(event)}`;
}

function restOf(event: AgentEvent): string {
  switch (event.kind) {
    case 'session-started':
    case 'session-ended':
      return ` ${short(event.sessionId)}`;
    case 'message':
      return ` ${short(event.messageId)}: ${event.prompt}`;
    case 'before-tool':
    case 'after-tool':
      return ` ${event.tool} ${event.toolCallId}${ofMessage(event)}: ${actText(event)}`;
    default:
      return ofMessage(event);
  }
}

function ofMessage({ messageId }: { readonly messageId: string | null }): string {
  return messageId === null ? '' : ` of ${short(messageId)}`;
}

function actText({ act }: Pick<Extract<AgentEvent, { act: unknown }>, 'act'>): string {
  if (act === null) return '';
  return act.kind === 'files' ? act.paths.join(' ') : `$ ${act.command}`;
}

function short(id: string | null): string {
  return id === null ? 'no id' : id.slice(0, 13);
}
