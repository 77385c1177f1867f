import type { Receipt } from '../../index.ts';
import { receiptText } from '../../terminal/plan-text.ts';
import { noArguments } from './arguments.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { engineOf, idleOnly, refusing } from './refusals.ts';

export const undoCommand: SlashCommand = {
  name: 'undo',
  aliases: [],
  usage: '',
  description: 'take the last rewind of files back',
  async execute(args, context) {
    const files = ready(args, context);
    return show(
      await refusing(files.undo(context.agent.session.id)),
      'Undone; /redo does it again.',
      context,
    );
  },
};

export const redoCommand: SlashCommand = {
  name: 'redo',
  aliases: [],
  usage: '',
  description: 'take the last undo back',
  async execute(args, context) {
    const files = ready(args, context);
    return show(
      await refusing(files.redo(context.agent.session.id)),
      'Redone; /undo takes it back again.',
      context,
    );
  },
};

function ready(args: string, context: CommandContext): ReturnType<typeof engineOf> {
  noArguments(args);
  idleOnly(context);
  return engineOf(context);
}

function show(receipt: Receipt, done: string, { ui, paint }: CommandContext): null {
  if (receipt.operationId === null) ui.displayWarning('No file was changed.');
  else ui.displaySuccess(done);
  ui.displayBlock(receiptText(receipt, paint));
  return null;
}
