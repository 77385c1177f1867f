import { hash, randomUUID } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import { findProject, storeHome } from '../config/find-project.ts';
import { openProjectTimeline } from '../config/project-store.ts';
import { configurationOf } from '../config/settings.ts';
import { realPathOrNull, removeIfThere } from '../fs/entries.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import {
  type Coverage,
  displayText,
  isSavepointError,
  noteGapAfter,
  type OwnerRequest,
  type Savepoint,
  storeDirectory,
} from '../index.ts';
import { ID, listOf } from '../model/check.ts';
import type {
  AgentAdapter,
  AgentEvent,
  AgentName,
  MessageSent,
  ToolBegins,
  ToolEnded,
} from './agent-adapter.ts';
import { agentOwner } from './agent-owner.ts';
import { startFirstScan } from './first-scan.ts';
import type { HookCall, Told } from './hook.ts';
import { problemOf } from './hook-log.ts';
import { readJson } from './read-json.ts';
import { isOff } from './switch.ts';

// Agents wait for their hooks, and Codex ends a hook of the end of a session after three seconds.
const SCAN_MS = 8_000;
const LOCK_MS = 5_000;
const LAST_SCAN_MS = 1_500;
const LAST_LOCK_MS = 500;
const PATIENCE = { connectTimeoutMs: 2_000, queryTimeoutMs: 6_000 };
const LAST_PATIENCE = { connectTimeoutMs: 700, queryTimeoutMs: 1_500 };

const EXPECTED: readonly string[] = ['store-missing', 'project-refused'];
const BEGIN: readonly AgentEvent['kind'][] = ['session-started', 'message', 'before-tool'];

/** Puts an event on record and says so in the log. Gives the answer that tells the agent of a notice. */
export async function recordFor(
  call: HookCall,
  adapter: AgentAdapter,
  event: AgentEvent,
  log: (told: Told) => void,
): Promise<string | null> {
  const home = storeHome(call);
  const { sessionId } = event;
  const project = projectOf(call, adapter, event);
  const about = { event: event.kind, sessionId, project };
  try {
    if (isOff(home, project, sessionId)) {
      log({ ...about, outcome: 'off' });
      return null;
    }
    return await withSavepoint(call, event, project, async (savepoint) => {
      const owner = agentOwner(adapter, call);
      const recording = { savepoint, agent: adapter.name, owner, cwd: call.cwd, home };
      const gap = await recordEvent(recording, event).catch(noting(home, savepoint));
      log({ ...about, outcome: 'recorded', reason: gap });
      if (gap === 'no-baseline' && (await startScanOf(call, savepoint))) {
        log({ project, outcome: 'started', reason: 'first-scan' });
      }
      return tell(adapter, savepoint, event);
    });
  } catch (error) {
    // A home directory is no project, and where nothing is on record, nothing can end.
    const isExpected = isSavepointError(error) && EXPECTED.includes(error.code);
    log({ ...about, outcome: isExpected ? 'dropped' : 'failed', ...problemOf(error) });
    return null;
  }
}

/** An event that only reads before it fails is lost as well. */
function noting(home: string, { root }: Savepoint): (error: unknown) => Promise<never> {
  return async (error) => {
    await noteGapAfter(error, storeDirectory(home, root), Date.now());
    throw error;
  };
}

/** The session counts as told once its agent gets the text. Agents that read none are never told. */
async function tell(
  { hears = isMessage, answer }: AgentAdapter,
  savepoint: Savepoint,
  event: AgentEvent,
): Promise<string | null> {
  if (!hears(event)) return null;
  const untold = await savepoint.untold(event.sessionId);
  const text = untold === null ? null : answer(noticeText(untold));
  if (text !== null) await savepoint.tell(event.sessionId);
  return text;
}

interface Untold {
  readonly paths: readonly string[];
  readonly count: number;
}

const SHOWN_PATHS = 20;
const SHOWN_LENGTH = 200;

/**
 * The text that tells a model which files are no longer as it left them. `count`: how many there are, also those
 * that are not named because they are private.
 */
export function noticeText({ paths, count }: Untold): string {
  const shown = paths.slice(0, SHOWN_PATHS);
  const more = count - shown.length;
  return [
    'Savepoint: since your last turn, the person took changes of yours back, or brought them back.',
    'These files are not as you left them. Read them again before you rely on them or change them, and do not',
    'repeat work that was taken back unless you are asked to:',
    ...shown.map((path) => `- ${clipped(displayText(path))}`),
    ...(more > 0 ? [shown.length > 0 ? `and ${more} more` : `- ${more} private files`] : []),
  ].join('\n');
}

function clipped(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…` : text;
}

function isMessage({ kind }: AgentEvent): boolean {
  return kind === 'message';
}

function startScanOf(call: HookCall, savepoint: Savepoint): Promise<boolean> {
  const { program, env } = call;
  const isMade = () => savepoint.isScanned();
  return startFirstScan({ home: storeHome(call), project: savepoint.root, program, env, isMade });
}

/** Opens the project's timeline for an event, and begins it where there is none. */
async function withSavepoint<T>(
  call: HookCall,
  event: AgentEvent,
  project: string,
  work: (savepoint: Savepoint) => Promise<T>,
): Promise<T> {
  const { values } = configurationOf(call, project);
  const isLast = event.kind === 'session-ended';
  const savepoint = await openProjectTimeline(call, {
    project,
    values,
    isRecording: true,
    patience: isLast ? LAST_PATIENCE : PATIENCE,
    // The end of work that nobody recorded begins no timeline.
    create: BEGIN.includes(event.kind),
    scan: true,
    scanDeadlineMs: Math.min(values.scanDeadlineMs ?? SCAN_MS, isLast ? LAST_SCAN_MS : SCAN_MS),
    lockTimeoutMs: Math.min(values.lockTimeoutMs, isLast ? LAST_LOCK_MS : LOCK_MS),
  });
  try {
    return await work(savepoint);
  } finally {
    await savepoint.close();
  }
}

/**
 * The project of an event. An agent can go to another folder while it works, so the folder in which it was started
 * counts where the agent names it.
 */
function projectOf(call: HookCall, adapter: AgentAdapter, event: AgentEvent): string {
  const named = adapter.projectVariable && call.env[adapter.projectVariable];
  const folders = [named, event.cwd, call.cwd].flatMap((folder) => {
    const isUsable = typeof folder === 'string' && folder.startsWith('/') && !folder.includes('\0');
    const real = isUsable ? realPathOrNull(resolve(folder)) : null;
    return real === null ? [] : [real];
  });
  const [cwd = call.cwd] = folders;
  return findProject({ io: { ...call, cwd }, values: new Map() });
}

/** Where events are recorded. */
interface Recording {
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
async function recordEvent(recording: Recording, event: AgentEvent): Promise<Coverage | null> {
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
