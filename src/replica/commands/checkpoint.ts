import { resolve } from 'node:path';
import { displayText } from '../../index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { firstWord, noArguments, wholeText } from './arguments.ts';
import { checkpointTable } from './checkpoint-table.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { fileNames } from './file-names.ts';
import { CommandRefused, engineOf, idleOnly, refusing } from './refusals.ts';

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
  return context.agent.rewind({ withCurrent: true });
}

async function save(args: string, context: CommandContext): Promise<string> {
  const description = wholeText(args, 'What is it to be called?');
  const id = await refusing(engineOf(context).save(description, context.agent.session.id));
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
