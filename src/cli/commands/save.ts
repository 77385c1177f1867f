import { type Checkpoint, displayText, type LeftOut, type Savepoint } from '../../index.ts';
import { BOOLEAN, COUNT, described, exact } from '../../model/check.ts';
import { COVERAGE, plural } from '../../terminal/phrases.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { CHECKPOINT, COVERS, checkpointJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
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
  json: { save: SHAPE },
  run: async (call) => {
    const label = call.values.get('label');
    if (label?.trim() === '') throw new UsageError('the label is empty', 'leave out -m for none');
    return withTimeline(call, (savepoint) => run(call, savepoint, label), { create: true });
  },
};

async function run(call: Call, savepoint: Savepoint, label: string | undefined): Promise<ExitCode> {
  const began = (await savepoint.list({ importedAt: null, limit: 1 })).length === 0;
  const scan = began || call.flags.has('scan') || (await savepoint.isScanned());
  const saved = await savepoint.checkpoint({ label, scan });
  call.io.done = `the checkpoint ${saved.id} was made all the same`;
  const { coverage } = saved;
  const left = coverage === 'scanned' ? await savepoint.uncovered() : null;
  printJson(call, SHAPE, {
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
  call.tell(sentence(saved, left));
  if (began) call.remark(`This is the first checkpoint of ${displayText(savepoint.root)}.`);
  if (coverage === 'named')
    call.hint('to cover everything, scan the worktree: savepoint save --scan');
  call.hint(`go back to it with: savepoint rewind ${saved.id.slice(0, SHOWN_ID)}`);
  return EXIT.done;
}

const SHOWN_ID = 8;
const SHOWN_LABEL = 60;

function sentence({ id, label, coverage }: Checkpoint, left: LeftOut | null): string {
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
