import { resolve } from 'node:path';
import { findProject, storeHome } from '../config/find-project.ts';
import { openProjectTimeline } from '../config/project-store.ts';
import { configurationOf } from '../config/settings.ts';
import { realPathOrNull } from '../fs/entries.ts';
import {
  displayText,
  isSavepointError,
  noteGapAfter,
  type Savepoint,
  storeDirectory,
} from '../index.ts';
import type { AgentAdapter, AgentEvent } from './agent-adapter.ts';
import { agentOwner } from './agent-owner.ts';
import { startFirstScan } from './first-scan.ts';
import type { HookCall, Told } from './hook.ts';
import { problemOf } from './hook-log.ts';
import { recordEvent } from './record-event.ts';
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
