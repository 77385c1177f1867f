import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { type Surroundings, storeHome } from '../config/find-project.ts';
import { openProjectTimeline } from '../config/project-store.ts';
import { configurationOf } from '../config/settings.ts';
import { removeIfThere } from '../fs/entries.ts';
import { isProcess } from '../fs/process-stat.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { storeDirectory } from '../index.ts';
import { logHook, problemOf } from './hook-log.ts';

/** How a process of its own makes the first scan of a project. */
interface FirstScan {
  /** Where the stores are. */
  readonly home: string;
  readonly project: string;
  /** The words that start this program: Node and its arguments, then the script. */
  readonly program: readonly string[];
  readonly env: Surroundings['env'];
  isMade(): Promise<boolean>;
}

// The agent's environment holds more than is ours to hand on.
const NEEDED = /^(PATH|HOME|TMPDIR|XDG_\w+|SAVEPOINT_\w+)$/;

/**
 * Starts a process that makes the first scan, and does not wait for it. False where one is at work already: of ten
 * hooks that ask at once, one starts it.
 */
export async function startFirstScan(scan: FirstScan): Promise<boolean> {
  const { home, project, program, env } = scan;
  const lock = lockOf(home, project);
  makePrivateFolder(join(home, 'agents', 'first-scan'));
  if (!takeLock(lock)) return false;
  // Another process may have made it, and let the lock go, since the caller has looked.
  if (await scan.isMade()) {
    removeIfThere(lock);
    return false;
  }
  const [node = process.execPath, ...words] = program;
  const child = spawn(node, [...words, 'hook', '--first-scan', project], {
    cwd: '/',
    env: Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.test(name))),
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => removeIfThere(lock));
  if (child.pid !== undefined) writeFile(lock, Buffer.from(String(child.pid)), { durable: false });
  child.unref();
  return true;
}

// A folder that is too large today is so an hour later.
const RETRY_MS = 60 * 60 * 1000;

/** Makes the first scan of a project, in a process that nobody waits for, and says in the log how it went. */
export async function makeFirstScan(io: Surroundings, project: string): Promise<void> {
  const started = Date.now();
  const home = storeHome(io);
  const lock = lockOf(home, project);
  const { reason, detail } = await scanned(io, project);
  logHook(home, {
    time: new Date().toISOString(),
    agent: 'savepoint',
    event: 'first-scan',
    outcome: reason === null ? 'recorded' : 'failed',
    reason,
    detail,
    project,
    sessionId: null,
    ms: Date.now() - started,
  });
  if (reason === null) removeIfThere(lock);
  else writeFile(lock, Buffer.from(`not before ${Date.now() + RETRY_MS}`), { durable: false });
}

/** Why there is no first scan; a null reason where there is one now. */
async function scanned(
  io: Surroundings,
  project: string,
): Promise<{ reason: string | null; detail: string | null }> {
  try {
    const { values } = configurationOf(io, project);
    const savepoint = await openProjectTimeline(io, { project, values });
    try {
      const { coverage, notice } = await savepoint.scan();
      return coverage === 'scanned'
        ? { reason: null, detail: null }
        : { reason: coverage, detail: notice };
    } finally {
      await savepoint.close();
    }
  } catch (error) {
    return problemOf(error);
  }
}

/** A lock that names a process which has ended counts for nothing. */
function takeLock(lock: string): boolean {
  for (const isLastTry of [false, true]) {
    try {
      // The hook itself holds it until the process has a number.
      const bytes = Buffer.from(String(process.pid));
      writeFile(lock, bytes, { onlyNew: true, durable: false });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLastTry || isHeld(lock)) return false;
    removeIfThere(lock);
  }
  return false;
}

function isHeld(lock: string): boolean {
  const text = String(readFileOrNull(lock, { maxBytes: 100 }) ?? '');
  const [, time] = /^not before (\d+)$/.exec(text) ?? [];
  return time === undefined ? isHolder(Number(text)) : Date.now() < Number(time);
}

/** Whether the process that a lock names can still be at work. */
function isHolder(processId: number): boolean {
  return Number.isSafeInteger(processId) && processId > 0 && isProcess(processId);
}

function lockOf(home: string, project: string): string {
  return join(home, 'agents', 'first-scan', basename(storeDirectory(home, project)));
}
