import { displayText } from '../../index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { firstWord, wholeText } from './arguments.ts';
import type { SlashCommand } from './command.ts';
import { engineOf, refusing } from './refusals.ts';

const REMOVE = '-';
const SHOWN_ID = 8;

export const labelCommand: SlashCommand = {
  name: 'label',
  aliases: [],
  usage: 'REF TEXT',
  description: 'give a checkpoint a name of its own; the text - takes it away',
  complete: () => ['latest ', '~1 '],
  async execute(args, context) {
    const { word: ref, rest } = firstWord(args);
    if (ref === '') throw new UsageError('Which checkpoint?');
    const text = wholeText(rest, 'Which label?');
    const files = engineOf(context);
    const id = await refusing(files.label(ref, text === REMOVE ? null : text));
    const named = text === REMOVE ? 'has no label now' : `has the label "${displayText(text)}"`;
    return `${id.slice(0, SHOWN_ID)} ${named}.`;
  },
};
