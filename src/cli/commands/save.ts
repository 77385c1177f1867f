import { type Checkpoint, displayText, type LeftOut, type Savepoint } from '../../index.ts';
import { BOOLEAN, COUNT, described, exact, nullable, TEXT } from '../../model/check.ts';
import { COVERAGE, plural, shellWord } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { CHECKPOINT, COVERS, checkpointJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';

const SAVED = exact({
  checkpoint: CHECKPOINT,
  coverage: COVERS,
  notCovered: described('Paths that are not on record; savepoint status lists them.', COUNT),
  began: described('Whether it is the first checkpoint of the project.', BOOLEAN),
});

export const save: Command = {
  name: 'save',
  summary: 'make a checkpoint by hand',
  details:
    'Makes a checkpoint of how the project is now. A rewind to it takes back what every agent did since.\n' +
    'Where the worktree is scanned, what changed is put on record first, and the checkpoint covers all of\n' +
    'it; otherwise it covers the files that tools named. Begins a timeline, with a first scan, where there\n' +
    'is none.',
  options: {
    label: {
      ...option('LABEL', 'what to call it; names it in every command, like its id'),
      short: 'm',
    },
    scan: flag('scan the worktree, also where that was never done'),
  },
  examples: [
    ["savepoint save -m 'before the migration'", ''],
    ["savepoint rewind 'before the migration'", 'and back to it'],
  ],
  json: { save: SAVED },
  run: async (call) => {
    const label = call.values.get('label');
    if (label?.trim() === '') throw new UsageError('the label is empty', 'leave out -m for none');
    return withTimeline(call, (savepoint) => runSave(call, savepoint, label), { create: true });
  },
};

async function runSave(
  call: Call,
  savepoint: Savepoint,
  label: string | undefined,
): Promise<ExitCode> {
  const began = (await savepoint.list({ importedAt: null, limit: 1 })).length === 0;
  const scan = began || call.flags.has('scan') || (await savepoint.isScanned());
  const saved = await savepoint.checkpoint({ label, scan });
  call.io.done = `the checkpoint ${saved.id} was made all the same`;
  const { coverage } = saved;
  const left = coverage === 'scanned' ? await savepoint.uncovered() : null;
  printJson(call, SAVED, {
    checkpoint: checkpointJson({
      ...saved,
      agent: null,
      files: 0,
      folders: 0,
      takenBack: 'no',
    }),
    coverage,
    notCovered: left?.unrecorded.length ?? 0,
    began,
  });
  call.tell(savedText(saved, left));
  if (began) call.remark(`This is the first checkpoint of ${displayText(savepoint.root)}.`);
  if (coverage === 'named')
    call.hint('to cover everything, scan the worktree: savepoint save --scan');
  call.hint(`go back to it with: savepoint rewind ${saved.id.slice(0, SHOWN_ID)}`);
  return EXIT.done;
}

const SHOWN_ID = 8;
const SHOWN_LABEL = 60;

function savedText({ id, label, coverage }: Checkpoint, left: LeftOut | null): string {
  const called = label === null ? '' : ` "${clipWidth(displayText(label), SHOWN_LABEL)}"`;
  const saved = `Saved ${id.slice(0, SHOWN_ID)}${called}, which covers`;
  if (left === null) return `${saved} ${COVERAGE[coverage]}.`;
  if (left.hiddenBy !== null) {
    return `${saved} only files that were on record before; savepoint status says why.`;
  }
  const { length } = left.unrecorded;
  const missing = [
    ...(length > 0 ? [plural(length, 'path')] : []),
    ...(left.hasIgnored ? ['what is ignored and left out'] : []),
  ];
  return missing.length === 0
    ? `${saved} the whole worktree.`
    : `${saved} the worktree except ${missing.join(' and ')}; see savepoint status.`;
}

const LABELLED = exact({
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
  json: { label: LABELLED },
  run: async (call) => {
    const { ref, text } = whatIsAsked(call);
    return withTimeline(call, (savepoint) => runLabel(call, savepoint, ref, text));
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

async function runLabel(
  call: Call,
  savepoint: Savepoint,
  ref: string,
  text: string | null,
): Promise<ExitCode> {
  const before = await savepoint.resolve(ref);
  const after = await savepoint.label(before.id, text);
  const changed = before.label !== after.label;
  const { id, label: given } = after;
  printJson(call, LABELLED, { id, label: given, previous: before.label, changed });
  if (changed) call.io.done = `the label of ${id} was changed all the same`;
  call.say(labelText(after, changed));
  call.hint(
    given === null
      ? 'see what there is with: savepoint list'
      : `go back to it with: savepoint rewind ${shellWord(displayText(given))}`,
  );
  return changed ? EXIT.done : EXIT.nothingToDo;
}

function labelText({ id, label: given, description }: Checkpoint, changed: boolean): string {
  const what = `${id.slice(0, 8)} "${clipWidth(displayText(description), SHOWN_LABEL)}"`;
  const shown = given === null ? null : `"${clipWidth(displayText(given), SHOWN_LABEL)}"`;
  if (!changed)
    return `Nothing to do: ${what} has ${shown === null ? 'no label' : `the label ${shown}`}.`;
  return shown === null
    ? `Done: ${what} has no label now.`
    : `Done: ${what} has the label ${shown}.`;
}
