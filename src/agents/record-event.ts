import { hash, randomUUID } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import { removeIfThere } from '../fs/entries.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import type { Coverage, OwnerRequest, Savepoint } from '../index.ts';
import { ID, listOf } from '../model/check.ts';
import type { AgentEvent, AgentName, MessageSent, ToolBegins, ToolEnded } from './agent-adapter.ts';
import { readJson } from './read-json.ts';

/** Where events are recorded. */
export interface Recording {
  readonly savepoint: Savepoint;
  readonly agent: AgentName;
  readonly owner: OwnerRequest;
  /** The folder of the hook, for events that do not name theirs. */
  readonly cwd: string;
  /** Where the stores are. */
  readonly home: string;
}

/**
 * Puts an event on record. Gives the reason why the worktree could not be scanned; null where it was, or had no need to
 * be. The first scan of a project is never made here: an agent is waiting.
 */
export async function recordEvent(
  recording: Recording,
  event: AgentEvent,
): Promise<Coverage | null> {
  const { savepoint } = recording;
  const { sessionId } = event;
  switch (event.kind) {
    case 'session-started':
      await savepoint.resumeSession(sessionId, recording.owner);
      return (await savepoint.isScanned()) ? null : 'no-baseline';
    case 'message':
      return recordMessage(recording, event);
    case 'turn-continued':
      new ContinuedPrompts(recording.home, sessionId).add(event.messageId);
      return null;
    case 'before-tool':
      return recordCall(recording, event);
    case 'after-tool':
      await savepoint.closeCall({ sessionId, toolCallId: callIdOf(event) });
      return null;
    case 'session-ended':
      await savepoint.endSession(sessionId);
      new ContinuedPrompts(recording.home, sessionId).forget();
      return null;
    default: {
      const messageId = (await messageOf(recording, event)) ?? undefined;
      const subagentId = event.subagentId ?? undefined;
      const interrupted = event.kind === 'interrupted';
      await savepoint.endTurn(sessionId, { messageId, subagentId, interrupted, baseline: false });
      return null;
    }
  }
}

async function recordMessage(
  { savepoint, agent, owner }: Recording,
  { sessionId, messageId, promptId, turnId, prompt, transcriptPath }: MessageSent,
): Promise<Coverage | null> {
  const { coverage } = await savepoint.checkpoint({
    sessionId,
    messageId: messageId ?? randomUUID(),
    agent,
    owner,
    description: prompt === '' ? `a prompt to ${agent}` : prompt,
    conversation: { id: sessionId, promptId, turnId, transcriptPath },
    scan: true,
    baseline: false,
  });
  return gapIn(coverage);
}

async function recordCall(recording: Recording, event: ToolBegins): Promise<Coverage | null> {
  const { savepoint, agent, owner } = recording;
  const { act, sessionId, subagentId } = event;
  const call = {
    sessionId,
    messageId: (await messageOf(recording, event)) ?? NO_PROMPT,
    toolCallId: callIdOf(event),
    toolCallIdRepeats: event.toolCallId === null,
    subagentId: subagentId ?? undefined,
    agent,
    owner,
    // Only for a message that is not on record, such as one whose hook was killed.
    description: describe(event),
  };
  if (act.kind === 'files') {
    const folder = event.cwd !== null && isAbsolute(event.cwd) ? event.cwd : recording.cwd;
    const paths = act.paths.map((path) => resolve(folder, path)).filter(isOnDisk);
    if (paths.length > 0) await savepoint.captureBefore({ ...call, paths });
    return null;
  }
  const { coverage } = await savepoint.openWindow({ ...call, baseline: false });
  return gapIn(coverage);
}

function gapIn(coverage: Coverage): Coverage | null {
  return coverage === 'scanned' || coverage === 'named' ? null : coverage;
}

/** The kernel's own files are nobody's work, and that of this process's environment holds secrets. */
function isOnDisk(path: string): boolean {
  return !/^\/(proc|sys)(\/|$)/.test(path);
}

// Some agents tell of no prompts at all: their session is one message.
const NO_PROMPT = 'no-prompt';

/** The message that an event belongs to: the one it names, unless a program sent that, else the newest. */
async function messageOf(
  { savepoint, home }: Recording,
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string | null },
): Promise<string | null> {
  if (messageId !== null && !new ContinuedPrompts(home, sessionId).has(messageId)) return messageId;
  const query = { sessionIds: [sessionId], kinds: ['message'], limit: 1 } as const;
  const [newest] = await savepoint.list(query);
  return newest?.messageId ?? null;
}

/**
 * The name of a call. Where the agent has none, the act names it: the end of the call repeats it, and so does the
 * same event that arrives in the form of another agent.
 */
function callIdOf({ toolCallId, act }: ToolBegins | ToolEnded): string {
  return toolCallId ?? `act-${hash('sha256', JSON.stringify(act)).slice(0, 24)}`;
}

const MAX_DESCRIPTION = 200;

function describe({ tool, act }: ToolBegins): string {
  const text = act.kind === 'command' ? act.command : `${tool} ${act.paths.join(', ')}`;
  return text.slice(0, MAX_DESCRIPTION).toWellFormed();
}

const MOST_IDS = 200;
const MOST_BYTES = 1024 * 1024;
const IDS = listOf(ID);

/**
 * The prompts of a session that a program sent: each hook is a process of its own, and calls that name such a
 * prompt belong to the person's newest one.
 */
class ContinuedPrompts {
  readonly #folder: string;
  readonly #file: string;

  constructor(home: string, sessionId: string) {
    this.#folder = join(home, 'agents', 'continued');
    this.#file = join(this.#folder, `${hash('sha256', sessionId).slice(0, 32)}.json`);
  }

  has(messageId: string): boolean {
    return this.#read().includes(messageId);
  }

  add(messageId: string): void {
    const ids = [...this.#read(), messageId].slice(-MOST_IDS);
    makePrivateFolder(this.#folder);
    writeFile(this.#file, Buffer.from(JSON.stringify(ids)), { durable: false });
  }

  /** The session is over. */
  forget(): void {
    removeIfThere(this.#file);
  }

  #read(): readonly string[] {
    return readJson(IDS, this.#file, { maxBytes: MOST_BYTES }) ?? [];
  }
}
