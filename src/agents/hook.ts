import { type Surroundings, storeHome } from '../config/find-project.ts';
import { isAgentName, loadAdapter } from './adapters.ts';
import type { AgentAdapter, AgentEvent } from './agent-adapter.ts';
import { type HookRecord, logHook, markSeen, problemOf } from './hook-log.ts';

/** What an agent has handed to its hook. */
export type HookInput =
  | { readonly text: string }
  /** Why there is no payload. */
  | { readonly why: 'oversized' | 'unreadable' };

/** One call of `savepoint hook`, with all that it may know of its process. */
export interface HookCall extends Surroundings {
  readonly agent: string;
  /** The name of the event, where the registered command gives it. */
  readonly event: string | null;
  readonly input: HookInput;
  readonly cwd: string;
  readonly parentId: number;
  /** The words that start this program, for a process that makes the first scan. */
  readonly program: readonly string[];
}

interface HookAnswer {
  /** The text that the agent expects on standard output. */
  readonly output: string;
  /** What the hook was for: the kinds of its events. */
  readonly did: string;
}

/**
 * Records one event of an agent. It never throws: whatever happens, the agent goes on, and the log says why an
 * event is not on record.
 */
export async function runHook(call: HookCall): Promise<HookAnswer> {
  const started = Date.now();
  const home = homeOrNull(call);
  const log = (told: Told): void => {
    const ms = Date.now() - started;
    const time = new Date().toISOString();
    if (home !== null) logHook(home, { ...NOTHING_TOLD, time, agent: call.agent, ms, ...told });
  };
  let nothing = { output: '', did: 'dropped' };
  try {
    if (!isAgentName(call.agent)) {
      log({ outcome: 'dropped', reason: 'unknown-agent' });
      return nothing;
    }
    const adapter = await loadAdapter(call.agent);
    nothing = { ...nothing, output: adapter.silence ?? '' };
    const answered = (await answer(call, adapter, log)) ?? nothing;
    if (home !== null) markSeen(home, call.agent, answered.did);
    return answered;
  } catch (error) {
    log({ outcome: 'failed', ...problemOf(error) });
    return nothing;
  }
}

/** What a hook says of itself in the log. */
export type Told = Pick<HookRecord, 'outcome'> & Partial<HookRecord>;

const NOTHING_TOLD = { event: null, reason: null, detail: null, project: null, sessionId: null };

/** Null where the payload means nothing. */
async function answer(
  call: HookCall,
  adapter: AgentAdapter,
  log: (told: Told) => void,
): Promise<HookAnswer | null> {
  const payload = payloadIn(call.input);
  if ('why' in payload) {
    log({ outcome: 'dropped', reason: payload.why });
    return null;
  }
  const { events, dropped } = adapter.parse(payload.value, call.event);
  if (dropped !== null) log({ outcome: 'dropped', ...dropped });
  if (events.length === 0) return null;
  // Loaded only now: most events of an agent mean nothing for the timeline.
  const { recordFor } = await import('./record-for.ts');
  const said: string[] = [];
  for (const event of events) {
    const notice = await recordFor(call, adapter, event, log);
    if (notice !== null) said.push(notice);
  }
  const output = said.length === 0 ? (adapter.silence ?? '') : said.join('\n');
  return { output, did: events.map(wordFor).join(' ') };
}

/** Events of one word do the same kind of work. */
function wordFor(event: AgentEvent): string {
  const act = 'act' in event ? event.act?.kind : undefined;
  return act === undefined ? event.kind : `${event.kind}-${act}`;
}

function payloadIn(
  input: HookInput,
): { readonly value: unknown } | { readonly why: 'oversized' | 'unreadable' | 'not-json' } {
  if ('why' in input) return input;
  try {
    return { value: JSON.parse(input.text) };
  } catch {
    return { why: 'not-json' };
  }
}

/** Null where the environment names an impossible place. */
function homeOrNull(call: HookCall): string | null {
  try {
    return storeHome(call);
  } catch {
    return null;
  }
}
