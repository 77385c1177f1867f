import { join } from 'node:path';
import { homeDirectory, type Surroundings, storeHome } from '../config/find-project.ts';
import { kindOf } from '../fs/entries.ts';
import { type Input, readInput } from '../fs/read-input.ts';
import type { HookInput } from './hook.ts';

// What is longer is no payload: agents hand over what a tool is to write, and no tool writes so much.
const MAX_BYTES = 16 * 1024 * 1024;
const INPUT_MS = 2_000;
// Longer than all waiting of a hook together; the agents themselves give up later.
const TOTAL_MS = 20_000;

/**
 * `savepoint hook AGENT [--event NAME]`, for this process, which exits with 0, whatever happens. Says what it has
 * done, in a word; null where something went wrong that nobody foresaw.
 */
export async function runHookProcess(
  argv: readonly string[] = process.argv.slice(3),
): Promise<string | null> {
  const { env, platform, ppid } = process;
  const last = setTimeout(() => process.exit(0), TOTAL_MS);
  last.unref();
  process.exitCode = 0;
  // One thread waits for the input, and nothing else needs any: to start four takes a moment.
  process.env.UV_THREADPOOL_SIZE = '1';
  // Nobody reads the warnings of a hook, such as that of Node 22 about SQLite.
  process.removeAllListeners('warning');
  try {
    const io = { env, platform, homeDirectory: homeDirectory(env), cwd: currentFolder() };
    const [first = '', second = ''] = argv;
    if (first === '--first-scan') {
      last.close();
      await (await import('./first-scan.ts')).makeFirstScan(io, second);
      return first;
    }
    const event = argv[argv.indexOf('--event') + 1];
    const call = { agent: first, event: argv.includes('--event') ? (event ?? null) : null };
    const read = await readInput({ maxBytes: MAX_BYTES, ms: INPUT_MS, isWhole: isJson });
    const input = inputOf(read);
    const resident = 'text' in input ? await askResident(io, { ...call, ...input, ppid }) : null;
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
    const own = resident === null ? await import('./hook.ts') : null;
    const answer = await own?.runHook({ ...io, ...call, input, parentId: ppid, program });
    const { output, did } = answer ?? { output: resident ?? '', did: 'asked' };
    if (output !== '') await say(output);
    if (read.isStuck) leave();
    return did;
  } catch {
    // There is nobody to tell: the log is written where the event is recorded.
    return null;
  }
}

/** Some agents leave the pipe open, so a whole JSON value is an end, too. */
function isJson(chunk: Buffer, all: () => Buffer): boolean {
  const last = chunk.at(-1) === LINE_FEED ? chunk.at(-2) : chunk.at(-1);
  if (last !== CLOSING_BRACE) return false;
  try {
    JSON.parse(all().toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;

function inputOf({ bytes, isTooLong }: Input): HookInput {
  if (bytes !== null) return { text: bytes.toString('utf8') };
  return { why: isTooLong ? 'oversized' : 'unreadable' };
}

/**
 * Ends the process while a thread of it waits for input that does not come. An ordinary exit would wait for that
 * thread, so another program takes its place.
 */
function leave(): void {
  process.execve?.(process.execPath, [process.execPath, '-e', '0'], {});
}

/**
 * Hands the event to a resident process, where one listens: a line of JSON there, a line of JSON back. Null where
 * there is none, so that the hook does the work itself.
 */
async function askResident(
  io: Surroundings & { readonly cwd: string },
  event: { agent: string; event: string | null; text: string; ppid: number },
): Promise<string | null> {
  try {
    const socket = join(storeHome(io), 'resident.sock');
    // Looking takes a moment, connecting to nothing takes longer.
    if (kindOf(socket) !== 'special') return null;
    const { agent, event: name, text, ppid: pid } = event;
    const line = JSON.stringify({ agent, event: name, payload: text, pid, cwd: io.cwd });
    return await (await import('./ask-resident.ts')).askResident(socket, line);
  } catch {
    return null;
  }
}

function say(text: string): Promise<void> {
  return new Promise((done) => {
    process.stdout.on('error', () => done());
    process.stdout.write(`${text}\n`, () => done());
  });
}

/** The root where the folder was deleted: an event may name another one, and the agent waits for its answer. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
