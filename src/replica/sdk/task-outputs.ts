import { join } from 'node:path';
import { exists, ownUid } from '../../fs/entries.ts';
import { readEnd } from '../../fs/read-file.ts';
import { namesIn } from '../../fs/tree.ts';

/** How often a file is looked at, and how much of its end is read. */
const GLANCE_MS = 200;
const MOST_BYTES = 8 * 1024;

export interface StartedTask {
  readonly callId: string;
  readonly taskId: string;
  readonly sessionId: string;
}

/**
 * What commands print while they run. The SDK sends output only when a command is over, but writes it to a file
 * from the beginning, and names the task that the file belongs to after two or three seconds. Where the file is not
 * found, nothing is told.
 */
export class TaskOutputs {
  readonly #tell: (callId: string, text: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(tell: (callId: string, text: string) => void) {
    this.#tell = tell;
  }

  /** `env`: that of the SDK's process. */
  begins(task: StartedTask, env: Readonly<Record<string, string | undefined>>): void {
    const file = outputFile(task, env);
    if (file === null || this.#timers.has(task.callId)) return;
    let told = '';
    const look = (): void => {
      const text = readEnd(file, MOST_BYTES)?.toString('utf8') ?? '';
      if (text !== told) this.#tell(task.callId, text);
      told = text;
    };
    look();
    this.#timers.set(task.callId, setInterval(look, GLANCE_MS).unref());
  }

  ends(callId: string): void {
    clearInterval(this.#timers.get(callId));
    this.#timers.delete(callId);
  }

  endAll(): void {
    for (const callId of [...this.#timers.keys()]) this.ends(callId);
  }
}

/** Below the SDK's temporary folder there is a folder for each project, and in it one for each session. */
function outputFile(
  { taskId, sessionId }: StartedTask,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (!/^\w+$/.test(taskId) || !/^[\w-]+$/.test(sessionId)) return null;
  const temporary = env.CLAUDE_CODE_TMPDIR || env.TMPDIR || '/tmp';
  const root = join(temporary, `claude-${ownUid() ?? 0}`);
  try {
    const files = namesIn(root).map((name) =>
      join(root, name, sessionId, 'tasks', `${taskId}.output`),
    );
    return files.find(exists) ?? null;
  } catch {
    return null;
  }
}
