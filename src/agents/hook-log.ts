import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { readFileOrNull } from '../fs/read-file.ts';
import { writeFile } from '../fs/write-file.ts';
import { displayText, isSavepointError } from '../index.ts';
import { AMOUNT, exact, type Kind, nullable, oneOf, TEXT } from '../model/check.ts';
import type { AgentName } from './agent-adapter.ts';
import { parseJson } from './read-json.ts';

/**
 * `recorded`: the event is on record. `dropped`: the payload means nothing for the timeline. `off`: the person has
 * switched recording off. `failed`: the event could not be recorded. `started`: a first scan was started.
 */
const HOOK_OUTCOMES = ['recorded', 'dropped', 'off', 'failed', 'started'] as const;

/** What one hook did. It never holds the environment, a prompt, a command or what a file holds. */
export interface HookRecord {
  readonly time: string;
  readonly agent: string;
  /** What the event means; null where it means nothing. */
  readonly event: string | null;
  readonly outcome: (typeof HOOK_OUTCOMES)[number];
  /** Why it was dropped or could not be recorded: a word of a fixed list, or the code of an error. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly project: string | null;
  readonly sessionId: string | null;
  readonly ms: number;
}

const HOOK_RECORD: Kind<HookRecord> = exact({
  time: TEXT,
  agent: TEXT,
  event: nullable(TEXT),
  outcome: oneOf(...HOOK_OUTCOMES),
  reason: nullable(TEXT),
  detail: nullable(TEXT),
  project: nullable(TEXT),
  sessionId: nullable(TEXT),
  ms: AMOUNT,
});

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 300;

/** Adds a line to the log of all hooks. Never throws: an agent does not stop because a log cannot be written. */
export function logHook(home: string, record: HookRecord): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const file = fileIn(home);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
    const fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      // One write for a line, so that lines of hooks that run at once stay whole.
      writeSync(fd, `${JSON.stringify(record, (_key, value) => loggable(value))}\n`);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Nobody could be told.
  }
}

const SEEN_EVERY_MS = 60_000;

/**
 * Leaves a file behind whose time is that of the agent's last event, to the minute, for `savepoint doctor`. Never
 * throws.
 */
export function markSeen(home: string, agent: AgentName, event: string): void {
  try {
    const folder = join(home, 'seen');
    const seen = statSync(join(folder, agent), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // To replace a file has the disk write it out, and the agent waits.
    if (Math.abs(Date.now() - seen) < SEEN_EVERY_MS) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A random name would load `node:crypto`, which most hooks do without.
    const waiting = join(folder, `.${agent}.${process.pid}`);
    const bytes = Buffer.from(JSON.stringify({ event }));
    writeFile(join(folder, agent), bytes, { durable: false, waiting });
  } catch {
    // The doctor says that it has not seen the agent.
  }
}

/** What is in the log, oldest first. Lines that are none of ours are left out. */
export function readHookLog(home: string): HookRecord[] {
  const file = fileIn(home);
  return [`${file}.1`, file].flatMap((one) => {
    const bytes = readFileOrNull(one, { maxBytes: 2 * MAX_BYTES });
    const lines = String(bytes ?? '').split('\n');
    return lines.flatMap((line) => parseJson(HOOK_RECORD, line) ?? []);
  });
}

/** The code of an error. Its message may quote a value, and stays out of the log where it is not ours. */
export function problemOf(error: unknown): Pick<HookRecord, 'reason' | 'detail'> {
  if (isSavepointError(error)) return { reason: error.code, detail: error.message };
  const { name, code } = Object(error) as NodeJS.ErrnoException;
  return { reason: 'unexpected', detail: `${name ?? 'error'} ${code ?? ''}`.trim() };
}

function loggable(value: unknown): unknown {
  return typeof value === 'string' ? displayText(value.slice(0, MAX_TEXT)) : value;
}

function fileIn(home: string): string {
  return join(home, 'hook.log');
}
