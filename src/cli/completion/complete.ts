import { findProject, storeHome } from '../../config/find-project.ts';
import { openStoreIn } from '../../config/project-store.ts';
import { configurationOf } from '../../config/settings.ts';
import { exists, realPath } from '../../fs/entries.ts';
import { type Checkpoint, displayText, type Store, storeDirectory } from '../../index.ts';
import { relativeTime } from '../../terminal/phrases.ts';
import {
  COMMON_OPTIONS,
  type Command,
  type Completes,
  leadingOptions,
  type Option,
  verbFirst,
} from '../command.ts';
import { loadCommand, loadCommands } from '../command-table.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';

/**
 * Answers a shell: `__complete -- WORD...`, the last word being the one at the cursor. The first line says
 * whether the shell adds files or folders, which it knows best; then come values, each with a tab and what
 * it is. An error offers nothing and prints nothing: nobody wants to read about it while typing.
 */
export async function complete(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    const words = fromVerb(argv.slice(argv[0] === '--' ? 1 : 0));
    const command = await loadCommand(words[0] ?? '');
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
  return (await loadCommands()).map(({ name, summary }) => ({ value: name, about: summary }));
}

/** An option that is given already is not offered again. */
function leftOptions(command: Command, values: ReadonlyMap<string, string>): Candidate[] {
  return Object.entries(optionsOf(command))
    .filter(([name, { repeats }]) => repeats === true || !values.has(name))
    .map(([name, { help }]) => ({ value: `--${name}`, about: help }));
}

/** Something that a shell may offer. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

const LONGEST_ABOUT = 60;

/**
 * Labels and ids can come from anybody. A value that would break out of its line, steer a terminal or pass
 * for an option is not offered. Each shell does its own quoting.
 */
function isHarmless({ value }: Candidate): boolean {
  return value !== '' && displayText(value) === value && !value.startsWith('-');
}

/** Lines for the scripts: the value, a tab, what it is. */
function candidateLines(candidates: readonly Candidate[], typed: string, before: string): string[] {
  const fitting = candidates.filter(({ value }) => value.startsWith(typed));
  const unique = new Map(fitting.map(({ value, about }) => [value, about]));
  return [...unique].map(([value, about]) => `${before}${value}\t${shortAbout(about)}`);
}

function shortAbout(about: string): string {
  const text = displayText(about);
  return text.length > LONGEST_ABOUT ? `${text.slice(0, LONGEST_ABOUT - 1).toWellFormed()}…` : text;
}

/** What stands at the cursor: which things fit there, and the part that was typed already. */
interface Wanted {
  readonly what: Completes | 'command' | 'option' | null;
  readonly typed: string;
  /** What belongs to the same word and stays: `--session=`. */
  readonly before: string;
  /** The options that were given so far, with their values. */
  readonly values: ReadonlyMap<string, string>;
}

/** `words` follow the name of the program; the last one is the one at the cursor, perhaps empty. */
export function wantedAt(command: Command | null, words: readonly string[]): Wanted {
  const typed = words.at(-1) ?? '';
  const nothing: Wanted = { what: null, typed, before: '', values: new Map() };
  if (words.length <= 1) return { ...nothing, what: 'command' };
  if (words[0] === 'help') return { ...nothing, what: words.length === 2 ? 'command' : null };
  if (command === null) return nothing;
  return atCursor(command, words.slice(1, -1), typed);
}

function atCursor(command: Command, given: readonly string[], typed: string): Wanted {
  const { values, args, pending, ended } = takeApart(command, given);
  const at = { typed, before: '', values };
  if (pending !== null) return { ...at, what: pending.completes ?? null };
  const [, name, value] = /^--([\w-]+)=(.*)$/s.exec(typed) ?? [];
  const option = name === undefined || ended ? undefined : optionsOf(command)[name];
  if (option !== undefined && value !== undefined) {
    return { ...at, what: option.completes ?? null, typed: value, before: `--${name}=` };
  }
  if (typed.startsWith('-') && !ended) return { ...at, what: 'option' };
  const { completes = [] } = command;
  return { ...at, what: completes[Math.min(args, completes.length - 1)] ?? null };
}

interface Given {
  readonly values: Map<string, string>;
  /** How many arguments there are before the cursor. */
  readonly args: number;
  /** The option whose value is at the cursor. */
  readonly pending: Option | null;
  /** Whether a `--` came: what follows is never an option. */
  readonly ended: boolean;
}

function takeApart(command: Command, given: readonly string[]): Given {
  const options = optionsOf(command);
  const values = new Map<string, string>();
  let args = 0;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (word === '--') {
      return { values, args: args + given.length - at - 1, pending: null, ended: true };
    }
    const [, name = '', value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option?.type === 'string' && value === undefined) {
      if (at === given.length - 1) return { values, args, pending: option, ended: false };
      at += 1;
      values.set(name, given[at] ?? '');
    } else if (value !== undefined) values.set(name, value);
    else if (option !== undefined) values.set(name, '');
    else if (!word.startsWith('-')) args += 1;
  }
  return { values, args, pending: null, ended: false };
}

export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return { ...command.options, ...COMMON_OPTIONS };
}

const NEWEST = 200;
// Somebody has pressed a key.
const IMPATIENT = { connectTimeoutMs: 1_000, queryTimeoutMs: 1_000 };

/** What a timeline has names for. */
type Things = 'checkpoint' | 'session' | 'operation' | 'execution' | 'agent';

/**
 * Names of the things on a timeline. Only reads, and straight from the store: pressing a key must not
 * finish a restore, wait for a lock or begin anything.
 */
export async function timelineWords(
  io: Io,
  values: ReadonlyMap<string, string>,
  what: Things,
): Promise<Candidate[]> {
  const project = realPath(findProject({ io, values }));
  const directory = storeDirectory(storeHome(io), project);
  if (!exists(directory)) return [];
  const { values: database } = configurationOf(io, project);
  const options = { surroundings: io, database, patience: IMPATIENT, create: false };
  const store = await openStoreIn(directory, options);
  try {
    return (await WORDS[what](store, io.now())).filter(isHarmless);
  } finally {
    await store.close();
  }
}

type Words = (store: Store, now: number) => Promise<Candidate[]>;

const WORDS: Record<Things, Words> = {
  checkpoint: async (store, now) => {
    const found = await store.timeline.checkpoints({ limit: NEWEST });
    const labels = found.flatMap((one) =>
      one.label === null ? [] : [{ value: one.label, about: aboutOf(one, now) }],
    );
    const ids = found.map((one) => ({ value: one.id, about: aboutOf(one, now) }));
    return [{ value: 'latest', about: 'the newest checkpoint' }, ...labels, ...ids];
  },
  session: async (store, now) =>
    (await store.timeline.sessions()).slice(0, NEWEST).map(({ id, agent, lastActiveAt }) => ({
      value: id,
      about: `${agent}, ${relativeTime(lastActiveAt, now)}`,
    })),
  operation: async (store, now) =>
    (await store.timeline.operations({ limit: NEWEST })).map(({ id, description, createdAt }) => ({
      value: id,
      about: `${description}, ${relativeTime(createdAt, now)}`,
    })),
  execution: async (store, now) => {
    const steps = (await store.timeline.executions()).map(({ id, status, updatedAt }) => ({
      value: id,
      about: `${status}, ${relativeTime(updatedAt, now)}`,
    }));
    const { ExecutionCheckpoints, PersistenceManager, ProjectStorage } = await import(
      '../../execution/index.ts'
    );
    const documents = new PersistenceManager(new ProjectStorage({ store }));
    const known = new Set(steps.map(({ value }) => value));
    const ids = [...(await new ExecutionCheckpoints(documents).listExecutions()).keys()];
    const kept = ids.filter((id) => !known.has(id));
    return [...steps, ...kept.map((value) => ({ value, about: 'checkpoints' }))].slice(0, NEWEST);
  },
  agent: async (store) => {
    const agents = (await store.timeline.sessions()).map(({ agent }) => agent);
    return [...new Set(agents)].map((value) => ({ value, about: '' }));
  },
};

function aboutOf({ description, createdAt }: Checkpoint, now: number): string {
  return `${description}, ${relativeTime(createdAt, now)}`;
}
