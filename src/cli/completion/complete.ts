import type { Command } from '../command.ts';
import { COMMANDS, isCommand } from '../command-table.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { leadingOptions, verbFirst } from '../leading-options.ts';
import { type Candidate, candidateLines } from './candidate.ts';
import { timelineWords } from './timeline-words.ts';
import { optionsOf, type Wanted, wantedAt } from './wanted.ts';

/**
 * Answers a shell: `__complete -- WORD...`, the last word being the one at the cursor. The first line says
 * whether the shell adds files or folders, which it knows best; then come values, each with a tab and what
 * it is. Whatever goes wrong, there is nothing to offer: nobody wants to read about it while typing.
 */
export async function complete(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    const words = fromVerb(argv.slice(argv[0] === '--' ? 1 : 0));
    const command = isCommand(words[0] ?? '') ? await load(words[0] ?? '') : null;
    const wanted = wantedAt(command, words);
    const candidates = await candidatesFor(wanted, command, io);
    const lines = candidateLines(candidates, wanted.typed, wanted.before);
    io.out(`${[fileKind(wanted), ...lines].join('\n')}\n`);
  } catch {
    io.out('words\n');
  }
  return EXIT.done;
}

/** As `run` reads them; while the verb is what is typed, options before it change nothing. */
function fromVerb(words: readonly string[]): readonly string[] {
  const given = words.slice(0, -1);
  const { options, rest } = leadingOptions(given);
  const isVerbNext = rest.length === 0 && options.at(-1) !== '--project';
  return [...(isVerbNext ? [] : verbFirst(given)), ...words.slice(-1)];
}

async function load(name: string): Promise<Command | null> {
  return isCommand(name) ? COMMANDS[name]() : null;
}

function fileKind({ what }: Wanted): 'files' | 'folders' | 'words' {
  if (what === 'path') return 'files';
  return what === 'folder' ? 'folders' : 'words';
}

async function candidatesFor(
  { what, values }: Wanted,
  command: Command | null,
  io: Io,
): Promise<Candidate[]> {
  if (what === null || what === 'path' || what === 'folder') return [];
  if (what === 'command') return allCommands();
  if (what === 'option') return command === null ? [] : leftOptions(command, values);
  if (typeof what !== 'string') return what.map((value) => ({ value, about: '' }));
  return timelineWords(io, values, what);
}

async function allCommands(): Promise<Candidate[]> {
  const commands = await Promise.all(Object.values(COMMANDS).map((loadOne) => loadOne()));
  return commands.map(({ name, summary }) => ({ value: name, about: summary }));
}

/** None is of use twice. */
function leftOptions(command: Command, values: ReadonlyMap<string, string>): Candidate[] {
  return Object.entries(optionsOf(command))
    .filter(([name]) => !values.has(name))
    .map(([name, { help }]) => ({ value: `--${name}`, about: help }));
}
