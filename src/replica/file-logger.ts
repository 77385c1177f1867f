import { constants } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

interface FileLoggerOptions {
  /** `~/.claude-replica/logs/replica.log`; what came before lies beside it with `.1` at its end. */
  readonly file: string;
  readonly now?: () => Date;
  readonly maxBytes?: number;
}

/**
 * Where the agent writes down what happened; never the environment, never what a file holds. One JSON value
 * a line, for its owner alone. It never throws and never rejects: an agent does not stop because its log
 * cannot be written.
 */
export class FileLogger {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #maxBytes: number;
  #last: Promise<void> = Promise.resolve();

  constructor({ file, now = () => new Date(), maxBytes = 1024 * 1024 }: FileLoggerOptions) {
    this.#file = file;
    this.#now = now;
    this.#maxBytes = maxBytes;
  }

  info(message: string, details?: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#log('info', message, { details });
  }

  warn(message: string, details?: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#log('warn', message, { details });
  }

  error(message: string, error?: unknown): Promise<void> {
    return this.#log('error', message, { error });
  }

  /** Lines come in the order of the calls. */
  #log(level: string, message: string, more: object): Promise<void> {
    const time = this.#now();
    this.#last = this.#last
      .then(() => this.#append(lineOf({ time, level, message, ...more })))
      .catch(() => undefined);
    return this.#last;
  }

  async #append(line: string): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const bytes = Buffer.from(line);
    const size = (await stat(this.#file).catch(() => null))?.size ?? 0;
    if (size > 0 && size + bytes.length > this.#maxBytes) {
      await rename(this.#file, `${this.#file}.1`);
    }
    const handle = await open(this.#file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      await handle.appendFile(bytes);
    } finally {
      await handle.close();
    }
  }
}

function lineOf(entry: object): string {
  return `${JSON.stringify(entry, (_key, value) => loggable(value))}\n`;
}

/** An error as JSON would leave nothing of it; of long texts the beginning; of keys nothing. */
function loggable(value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return { name, message, code: (value as NodeJS.ErrnoException).code, stack, cause };
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return value;
  const text = value.replace(SECRET, '$1…');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

const MAX_TEXT = 4000;

/** What a failing request may quote. */
const SECRET = /\b(sk-|bearer\s+)[\w.~+/=-]{8,}/gi;
