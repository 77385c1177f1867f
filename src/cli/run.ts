import { paintFor } from '../terminal/paint.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { meantHint, parseCall, verbFirst } from './command.ts';
import { COMMANDS, loadCommand, loadCommands } from './command-table.ts';
import { EXIT } from './exit-codes.ts';
import { commandHelp, generalHelp, helpColumns } from './help.ts';
import { exitCodeFor } from './interrupts.ts';
import { type Io, processIo } from './io.ts';
import { ownVersion } from './package-place.ts';
import { reportError, reportLostOutput } from './report-error.ts';

/** Runs one command line and says how it ended. Never throws. */
export async function run(
  argv: readonly string[],
  io: Io = processIo({ json: wantsJson(argv) }),
): Promise<number> {
  try {
    const code = await attempt(argv, io);
    const failure = await io.outputFailure();
    return failure === null ? code : reportLostOutput(io, failure);
  } finally {
    io.close();
  }
}

async function attempt(argv: readonly string[], io: Io): Promise<number> {
  try {
    const code = await dispatch(argv, io);
    const { pending } = io.interrupts;
    return pending === null ? code : exitCodeFor(pending);
  } catch (error) {
    return reportError(io, error, { json: wantsJson(argv), project: projectIn(argv) });
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [word, ...rest] = verbFirst(argv);
  if (word === '--version' || word === '-v') return version(io);
  if (word === undefined || word === '--help' || word === '-h') return showHelp(io);
  // The scripts of `savepoint completion` call this at each press of a key.
  if (word === '__complete') return (await import('./completion/complete.ts')).complete(rest, io);
  if (word === 'help') {
    const verb = rest.find((other) => !other.startsWith('-'));
    return verb === undefined ? showHelp(io) : dispatch([verb, '--help'], io);
  }
  const command = await loadCommand(word);
  if (command === null) throw unknownWord(word);
  if (asksForHelp(rest)) {
    io.out(commandHelp(command, helpColumns(io)));
    return EXIT.done;
  }
  return command.run(parseCall(command, rest, io));
}

async function showHelp(io: Io): Promise<number> {
  io.out(generalHelp(await loadCommands(), paintFor(io, false), helpColumns(io)));
  return EXIT.done;
}

function version(io: Io): number {
  io.out(`${ownVersion()}\n`);
  return EXIT.done;
}

function unknownWord(word: string): UsageError {
  const what = word.startsWith('-') ? 'option' : 'command';
  const hint = meantHint(word, Object.keys(COMMANDS), 'see: savepoint --help', 'savepoint ');
  return new UsageError(`unknown ${what} "${word}"`, hint);
}

/** The words before a `--`: a word after it is a path, even if it looks like an option. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

function asksForHelp(argv: readonly string[]): boolean {
  return optionsOf(argv).some((word) => word === '--help' || word === '-h');
}

function wantsJson(argv: readonly string[]): boolean {
  return optionsOf(argv).includes('--json');
}

/** For hints that repeat it. */
function projectIn(argv: readonly string[]): string | undefined {
  const options = optionsOf(argv);
  const at = options.indexOf('--project');
  if (at !== -1) return options[at + 1];
  return options.find((word) => word.startsWith('--project='))?.slice('--project='.length);
}
