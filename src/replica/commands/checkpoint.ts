import { resolve } from 'node:path';
import { displayText } from '../../index.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  type CommandContext,
  CommandRefused,
  engineOf,
  firstWord,
  idleOnly,
  noArguments,
  refusing,
  type SlashCommand,
  wholeText,
} from './command.ts';
import { fileNames } from './context-commands.ts';

type Work = (args: string, context: CommandContext) => Promise<string | null>;

/** The way back, and what belongs to it. */
export class CheckpointCommand implements SlashCommand {
  readonly name = 'checkpoint';
  readonly aliases: readonly string[] = ['rewind', 'restore'];
  readonly usage = '[save TEXT | list | export FILE | import FILE]';
  readonly description = 'choose a checkpoint to go back to; or make, list and carry checkpoints';

  complete(args: string, { agent }: CommandContext): readonly string[] {
    const [, verb] = /^(import|export)\s/.exec(args) ?? [];
    if (verb === undefined) return Object.keys(VERBS);
    const begun = args.slice(verb.length + 1);
    return fileNames(agent.session.project, begun).map((name) => `${verb} ${name}`);
  }

  async execute(args: string, context: CommandContext): Promise<string | null> {
    const { word, rest } = firstWord(args);
    if (word === '') return choose(context);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb === undefined) throw new UsageError(`"${word.slice(0, 40)}" is nothing that it does.`);
    return verb(rest, context);
  }
}

const VERBS: Readonly<Record<string, Work>> = { save, list, export: exportTo, import: importFrom };

async function choose(context: CommandContext): Promise<string | null> {
  idleOnly(context);
  return context.agent.rewind();
}

async function save(args: string, context: CommandContext): Promise<string> {
  const description = wholeText(args, 'What is it to be called?');
  const { id } = await refusing(engineOf(context).save(description, context.agent.session.id));
  return `Saved ${id.slice(0, 8)} "${displayText(description)}".`;
}

async function list(args: string, context: CommandContext): Promise<string | null> {
  noArguments(args);
  if (context.checkpoints === null && context.files === null) {
    throw new CommandRefused('Checkpoint feature not enabled');
  }
  const lines = await checkpointTable(context);
  if (lines.length === 0) return 'No checkpoints found.';
  context.ui.displayBlock(lines);
  return null;
}

async function exportTo(args: string, context: CommandContext): Promise<string> {
  const { session } = context.agent;
  const file = resolve(session.project, wholeText(args, 'Into which file?'));
  return displayText(await refusing(engineOf(context).exportTo(file, session.id)));
}

async function importFrom(args: string, context: CommandContext): Promise<string> {
  const file = resolve(context.agent.session.project, wholeText(args, 'From which file?'));
  return displayText(await engineOf(context).importFrom(file));
}

const SHOWN = 20;
const SHOWN_ID = 8;

/** Newest first: the engine's, whose ids `/diff` and `/label` take, or the agent's own without it. */
async function checkpointTable(context: CommandContext): Promise<string[]> {
  const { files, columns } = context;
  const rows = files === null ? ownRows(context) : await engineRows(context);
  const lines = table(rows.slice(0, SHOWN), columns);
  const more = rows.length - SHOWN;
  return more > 0 ? [...lines, `  and ${more} older; see them with: savepoint list`] : lines;
}

async function engineRows({ files, now }: CommandContext): Promise<string[][]> {
  const all = (await files?.savepoint.list()) ?? [];
  return all
    .filter(({ kind }) => kind !== 'safety')
    .map(({ id, createdAt, files: changed, label, description }) => [
      id.slice(0, SHOWN_ID),
      relativeTime(createdAt, now()),
      plural(changed, 'file'),
      `${label === null ? '' : `[${displayText(label)}] `}${displayText(description)}`,
    ]);
}

function ownRows({ checkpoints, now }: CommandContext): string[][] {
  return (checkpoints?.listCheckpoints() ?? []).map(({ timestamp, description }) => [
    relativeTime(timestamp.getTime(), now()),
    displayText(description),
  ]);
}
