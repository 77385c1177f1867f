import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { realPathOrNull } from '../../fs/entries.ts';
import { readFile } from '../../fs/read-file.ts';
import { entriesIn } from '../../fs/tree.ts';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import { displayText } from '../../index.ts';
import { plural } from '../../terminal/phrases.ts';
import { isOutside } from '../instructions.ts';
import type { Stage } from '../stage.ts';
import { type CommandContext, CommandRefused, type SlashCommand } from './command.ts';

/** The answers are kept in `replicaHome`, where no project can write them. */
export type CustomPlaces = Pick<Stage, 'project' | 'home' | 'replicaHome'>;

interface CustomCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  readonly body: string;
  /** Lines that would have run a program. */
  readonly leftOut: number;
  readonly isProject: boolean;
}

const FOLDER = join('.claude', 'commands');
const NAME = /^[a-z0-9][a-z0-9_-]*$/i;
const LARGEST_FILE = 64 * 1024;
const MOST_FILES = 200;
const DEEPEST = 3;

/** The commands of `.claude/commands`, the person's own and the project's, as they are on the disk now. */
export function customCommands(places: CustomPlaces): readonly SlashCommand[] {
  const own = load(places.home, false);
  const ofProject = places.project === places.home ? [] : load(places.project, true);
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...ofProject.filter(({ name }) => !names.has(name))].map((one) =>
    slashCommand(one, places),
  );
}

function slashCommand(
  { name, description, hint, isProject }: CustomCommand,
  places: CustomPlaces,
): SlashCommand {
  const from = isProject ? ' (project)' : ' (yours)';
  return {
    name,
    usage: hint === '' ? '[TEXT]' : displayText(hint),
    description: displayText(description === '' ? `the text of ${name}.md` : description) + from,
    async execute(args, context) {
      // As it is now: what is sent is what was agreed to.
      const found = load(isProject ? places.project : places.home, isProject);
      const command = found.find((one) => one.name === name);
      if (command === undefined) throw new CommandRefused(`/${name} is not there any more.`);
      if (isProject && !(await isTrusted(found, places, context))) {
        return 'Nothing was sent; the commands of this project are not trusted.';
      }
      if (command.leftOut > 0) {
        context.ui.displayInfo(
          `${plural(command.leftOut, 'line')} of it that would run programs: left out.`,
        );
      }
      context.agent.submit(expanded(command, args, places.project), isProject ? args : undefined);
      return null;
    },
  };
}

/** Asks once for what the files hold, and again when they hold something else. */
async function isTrusted(
  commands: readonly CustomCommand[],
  { project, replicaHome }: CustomPlaces,
  { ui }: CommandContext,
): Promise<boolean> {
  const file = join(replicaHome, 'trusted-commands.json');
  const hash = hashOf(commands);
  const answers = readAnswers(file);
  if (answers.get(project) === hash) return true;
  const names = commands.map(({ name }) => `/${name}`).join(' ');
  const question = [
    answers.has(project)
      ? 'The commands of this project have changed. Trust them?'
      : 'This project has commands of its own. Trust them?',
    `${FOLDER}: ${displayText(names)}`,
    'Their text goes to the agent as if you had typed it. Programs in them are not run.',
  ].join('\n');
  if (!(await ui.confirm(question))) return false;
  answers.set(project, hash);
  makePrivateFolder(replicaHome);
  writeFile(file, Buffer.from(`${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`));
  return true;
}

function readAnswers(file: string): Map<string, string> {
  try {
    const text = readFile(file, { maxBytes: 1024 * 1024 }).bytes?.toString() ?? '{}';
    const entries = Object.entries(JSON.parse(text) as object);
    return new Map(entries.filter(([, hash]) => typeof hash === 'string'));
  } catch {
    // Damaged: it is asked again.
    return new Map();
  }
}

function hashOf(commands: readonly CustomCommand[]): string {
  const hash = createHash('sha256');
  for (const { name, body, description, hint } of commands) {
    hash.update(JSON.stringify([name, body, description, hint]));
  }
  return hash.digest('hex');
}

/** Links lead nowhere but to files below `root`. */
function load(root: string, isProject: boolean): CustomCommand[] {
  const found: CustomCommand[] = [];
  const real = realPathOrNull(root);
  const walk = (at: string, prefix: readonly string[]): void => {
    for (const { name, isDirectory } of listed(at)) {
      if (found.length >= MOST_FILES) return;
      if (isDirectory && prefix.length < DEEPEST && NAME.test(name))
        walk(join(at, name), [...prefix, name]);
      const word = name.endsWith('.md') ? name.slice(0, -'.md'.length) : '';
      const file = NAME.test(word) ? realPathOrNull(join(at, name)) : null;
      if (isDirectory || file === null || real === null || isOutside(real, file)) continue;
      const { bytes } = readFile(file, { maxBytes: LARGEST_FILE });
      if (bytes === null) continue;
      found.push({
        name: [...prefix, word].join(':').toLowerCase(),
        isProject,
        ...parsed(bytes.toString()),
      });
    }
  };
  walk(join(root, FOLDER), []);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listed(folder: string): ReturnType<typeof entriesIn> {
  try {
    return entriesIn(folder);
  } catch {
    return [];
  }
}

const HEAD = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;
const PROGRAM_LINE = /^\s*!.*$/;
const PROGRAM = /!`([^`\n]*)`/g;

/** The text, with what the head says of it. Everything that would run or allow a program is ignored. */
export function parsed(
  text: string,
): Pick<CustomCommand, 'description' | 'hint' | 'body' | 'leftOut'> {
  const [whole = '', head = ''] = HEAD.exec(text) ?? [];
  const field = (name: string): string =>
    new RegExp(`^${name}:[ \\t]*["']?(.*?)["']?[ \\t]*$`, 'm').exec(head)?.[1] ?? '';
  const lines = text.slice(whole.length).split('\n');
  const kept = lines.filter((line) => !PROGRAM_LINE.test(line));
  const body = kept.join('\n').replaceAll(PROGRAM, '`$1`').trim();
  return {
    description: field('description'),
    hint: field('argument-hint'),
    body,
    leftOut: lines.length - kept.length,
  };
}

/** The prompt: `$ARGUMENTS` is what was typed after the name, `$1` a word of it. */
export function expanded(
  { name, body, isProject }: Pick<CustomCommand, 'name' | 'body' | 'isProject'>,
  args: string,
  project: string,
): string {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const hasPlace = /\$ARGUMENTS|\$[1-9]\b/.test(body);
  const text = body.replaceAll(/\$ARGUMENTS|\$([1-9])\b/g, (_all, digit?: string) =>
    digit === undefined ? args : (words[Number(digit) - 1] ?? ''),
  );
  const whole = hasPlace || args === '' ? text : `${text}\n\n${args}`;
  const all = isProject ? withoutOutside(whole, args, project) : whole;
  // A text that begins with a slash would be a command of the SDK's.
  return /^\s*\//.test(all) ? `(/${name})\n${all}` : all;
}

const MENTION = /(?<=^|\s)@(?="([^"]*)"|(\S+))/g;

/**
 * `@path` has the SDK read that file without a question. A project may name its own files alone; what the person
 * typed may lie anywhere. Looked at when the arguments are in their places, which may make or change a mention.
 */
function withoutOutside(text: string, typed: string, project: string): string {
  const own = new Set(Array.from(typed.matchAll(MENTION), ([, quoted, plain]) => quoted ?? plain));
  return text.replaceAll(MENTION, (all, quoted?: string, plain?: string) => {
    const isMeant = own.has(quoted ?? plain) || isOfProject(quoted, plain ?? '', project);
    return isMeant ? all : '@ ';
  });
}

/** Whichever way the SDK reads the end of a path: without the punctuation behind it, without a range of lines. */
function isOfProject(quoted: string | undefined, plain: string, project: string): boolean {
  const path = quoted ?? plain.replace(/[.,;:!?)]+$/, '');
  const shorter = quoted === undefined ? [plain, plain.replace(/\W+$/, '')] : [];
  const ways = [path, ...shorter].flatMap((way) => [way, way.replace(/#.*$/s, '')]);
  // A server has resources with names such as `server:name`.
  if (path.startsWith('~') || path.includes(':')) return false;
  const root = realPathOrNull(project);
  const files = ways.flatMap((way) => realPathOrNull(resolve(project, way)) ?? []);
  return root !== null && files.length > 0 && !files.some((file) => isOutside(root, file));
}
