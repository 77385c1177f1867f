import { resolve } from 'node:path';
import { displayText, type Materialized, type Savepoint } from '../../index.ts';
import { COUNT, described, exact, listOf, TEXT } from '../../model/check.ts';
import { plural, shellWord } from '../../terminal/phrases.ts';
import { sentenceForUnwritten } from '../../terminal/reasons.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { PATH_BYTES, PATH_REASON } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  directory: described('By its real path.', TEXT),
  files: described('How many were written.', COUNT),
  folders: COUNT,
  links: COUNT,
  skipped: described('Paths that were not written.', listOf(PATH_REASON)),
  pathBytes: PATH_BYTES,
});

export const materialize: Command = {
  name: 'materialize',
  arguments: 'ID DIR',
  summary: 'write the whole tree of a checkpoint into an empty folder',
  details:
    'Writes every file, folder and link as it was at the checkpoint into DIR, which must be empty or not\n' +
    'there yet. The project itself is not touched. Ignored files are not on record and not written.',
  examples: [
    ['savepoint materialize latest /tmp/before', 'to compare or to copy from'],
    ['savepoint materialize ~3 ../old', 'three checkpoints before the latest'],
  ],
  completes: ['checkpoint', 'folder'],
  json: { materialize: SHAPE },
  run: async (call) => {
    const [id = '', folder = ''] = expectArgs(call, 'materialize', 2, 2);
    const target = resolve(call.io.cwd, folder);
    return withTimeline(call, (savepoint) => write(call, savepoint, id, target));
  },
};

async function write(
  call: Call,
  savepoint: Savepoint,
  id: string,
  target: string,
): Promise<ExitCode> {
  const { interrupts } = call.io;
  interrupts.meaning = `the project was not touched; ${displayText(target)} may hold a part of the tree`;
  const made = await savepoint.materialize(id, target);
  interrupts.meaning = 'all of it is written';
  const printed = withPathBytes(({ name }) => ({
    ...made,
    skipped: made.skipped.map(({ path, reason }) => {
      return { path: name(path), reason, message: sentenceForUnwritten(reason) };
    }),
  }));
  printJson(call, SHAPE, printed);
  show(call, made);
  const isDamaged = made.skipped.some(({ reason }) => reason.startsWith('blob-'));
  return isDamaged ? EXIT.failure : EXIT.done;
}

function show(call: Call, { directory, files, folders, links, skipped }: Materialized): void {
  const counts = `${plural(files, 'file')}, ${plural(folders, 'folder')}, ${plural(links, 'link')}`;
  call.remark(`Written to ${displayText(directory)}: ${counts}.`);
  for (const { path, reason } of skipped) {
    call.say(`  not written  ${displayText(path)}  ${sentenceForUnwritten(reason)}`);
  }
  call.hint(`compare it with the project: diff -r ${shellWord(displayText(directory))} .`);
}
