import { type Checkpoint, displayText, type Savepoint } from '../../index.ts';
import { BOOLEAN, described, exact, nullable, TEXT } from '../../model/check.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  id: described('The checkpoint.', TEXT),
  label: described('What it is called now.', nullable(TEXT)),
  previous: nullable(TEXT),
  changed: BOOLEAN,
});

export const label: Command = {
  name: 'label',
  arguments: 'ID [TEXT]',
  summary: 'give a checkpoint a name of its own, or take it away',
  details:
    'A label shows in the list and names the checkpoint in every command, like its id. It replaces the\n' +
    'one that was there; the TEXT - takes it away, as an empty one and --remove do. A text that another\n' +
    'checkpoint has, or that could be taken for an id, for `latest` or for `~N`, is refused; so is one of\n' +
    'more than 200 characters.',
  options: { remove: flag('take the label away') },
  examples: [
    ["savepoint label k3m9 'before the migration'", ''],
    ["savepoint rewind 'before the migration'", 'and back to it'],
    ['savepoint label k3m9 -', 'take it away'],
  ],
  completes: ['checkpoint'],
  json: { label: SHAPE },
  run: async (call) => {
    const { ref, text } = whatIsAsked(call);
    return withTimeline(call, (savepoint) => run(call, savepoint, ref, text));
  },
};

function whatIsAsked(call: Call): { ref: string; text: string | null } {
  const remove = call.flags.has('remove');
  const [ref = '', text = ''] = expectArgs(call, 'label', remove ? 1 : 2, remove ? 1 : 2);
  if (ref === '')
    throw new UsageError('which checkpoint?', 'see what there is with: savepoint list');
  const isRemoved = remove || ['', '-'].includes(text.trim());
  return { ref, text: isRemoved ? null : text };
}

async function run(
  call: Call,
  savepoint: Savepoint,
  ref: string,
  text: string | null,
): Promise<ExitCode> {
  const before = await savepoint.resolve(ref);
  const after = await savepoint.label(before.id, text);
  const changed = before.label !== after.label;
  const { id, label: given } = after;
  printJson(call, SHAPE, { id, label: given, previous: before.label, changed });
  if (changed) call.io.done = `the label of ${id} was changed all the same`;
  call.say(sentence(after, changed));
  call.hint(
    given === null
      ? 'see what there is with: savepoint list'
      : `go back to it with: savepoint rewind ${shellWord(displayText(given))}`,
  );
  return changed ? EXIT.done : EXIT.nothingToDo;
}

const SHOWN = 60;

function sentence({ id, label: given, description }: Checkpoint, changed: boolean): string {
  const what = `${id.slice(0, 8)} "${clipWidth(displayText(description), SHOWN)}"`;
  const shown = given === null ? null : `"${clipWidth(displayText(given), SHOWN)}"`;
  if (!changed)
    return `Nothing to do: ${what} has ${shown === null ? 'no label' : `the label ${shown}`}.`;
  return shown === null
    ? `Done: ${what} has no label now.`
    : `Done: ${what} has the label ${shown}.`;
}
