import { resolve } from 'node:path';
import { exists } from '../../fs/entries.ts';
import { type Checkpoint, isSavepointError, type Savepoint } from '../../index.ts';
import { COUNT, described, exact, listOf, nullable, TEXT, type TypeOf } from '../../model/check.ts';
import { diffStat, diffSummary, diffText } from '../../terminal/diff-text.ts';
import { type FileDiff, fileDiffs, patchLimit } from '../../terminal/file-diff.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { FILE_DIFF, fileDiffJson, NOT_ON_RECORD, PATH_BYTES } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import {
  isOnRecord,
  pathArguments,
  type Unmatched,
  unmatchedPaths,
  unmatchedText,
} from '../path-arguments.ts';

const SHAPE = exact({
  from: described('The id of the checkpoint.', TEXT),
  to: described('The id of the second one; null for what is there now.', nullable(TEXT)),
  files: listOf(FILE_DIFF),
  insertions: COUNT,
  deletions: COUNT,
  notOnRecord: NOT_ON_RECORD,
  pathBytes: PATH_BYTES,
});

export const diff: Command = {
  name: 'diff',
  arguments: 'ID [ID2] [PATH...]',
  summary: 'what is different now, or at ID2, from how it was at a checkpoint',
  details:
    'Shows what changed in the recorded files since a checkpoint, whoever changed it, as a unified\n' +
    'diff. With a second checkpoint, what is different between the two. ID is the beginning of an id\n' +
    'from `savepoint list`, a label, `latest`, or `~N` for the Nth before the latest; also the id of a\n' +
    'prompt, and that of an operation for what was there before it. PATHs follow; after a `--`, a word\n' +
    'that could be an ID is a path as well. `git apply` takes the output, unless there are binary files in\n' +
    'it, or characters that are shown as their numbers because they could steer a terminal.',
  options: {
    stat: flag('only how many lines changed in which file'),
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint diff latest', 'what the last message did'],
    ['savepoint diff k3m9 src', 'only below src'],
    ['savepoint diff ~5 --stat', 'an overview'],
    ['savepoint diff k3m9 x7ab --json', 'between two checkpoints, with hunks as JSON'],
  ],
  completes: ['checkpoint', 'checkpoint', 'path'],
  json: { diff: SHAPE },
  run: async (call) => {
    const [first] = call.args;
    if (first === undefined) {
      throw new UsageError('which checkpoint?', 'see what there is with: savepoint list');
    }
    const found = await withTimeline(call, (savepoint) => compare(call, savepoint, first));
    return show(call, found);
  },
};

interface Comparison {
  readonly from: Checkpoint;
  /** Null: what is there now. */
  readonly to: Checkpoint | null;
}

interface Difference extends Comparison {
  readonly files: readonly FileDiff[];
  readonly unmatched: readonly Unmatched[];
}

async function compare(call: Call, savepoint: Savepoint, first: string): Promise<Difference> {
  const { from, to, typed } = await whatToCompare(call, savepoint, first);
  const paths = pathArguments(call, savepoint.root, typed);
  // So that it shows what happened since the last scan as well.
  if (to === null) await savepoint.scanAgain();
  const diffs = await savepoint.diff(from.id, to?.id, paths);
  const found = diffs.map(({ path }) => path);
  const unmatched = await unmatchedPaths(savepoint, typed, paths, found);
  return { from, to, files: fileDiffs(diffs), unmatched };
}

async function show(call: Call, difference: Difference): Promise<ExitCode> {
  const { from, to, files, unmatched } = difference;
  if (call.json) printJson(call, SHAPE, differenceJson(difference, call.flags.has('stat')));
  else await showPage(call, differenceText(call, difference));
  if (files.some(({ damaged }) => damaged)) call.hint('see what is damaged with: savepoint fsck');
  if (!call.io.terminal && !call.flags.has('stat')) warnOfLimit(call, files);
  if (files.length > 0 && to === null) call.hint(`take it back with: savepoint rewind ${from.id}`);
  const unknown = files.length === 0 && unmatched.some(({ exists }) => !exists);
  return unknown ? EXIT.notFound : EXIT.done;
}

/** In a pipe the output may become a patch: says where git cannot apply it. */
function warnOfLimit(call: Call, files: readonly FileDiff[]): void {
  const [limit, ...more] = files.flatMap((file) => patchLimit(file) ?? []);
  const others = more.length === 0 ? '' : ` (and ${plural(more.length, 'file')} like it)`;
  if (limit === undefined || call.json) return;
  call.io.err(`savepoint: this is no patch for git: ${limit}${others}\n`);
}

function differenceText(call: Call, { files, unmatched }: Difference): string[] {
  const { paint, columns } = call;
  const lines = call.flags.has('stat')
    ? diffStat(files, paint, columns)
    : files.flatMap((file) => diffText(file, paint));
  const summary = files.length === 0 ? [] : wrapWords(diffSummary(files), columns);
  const nothing = files.length === 0 && unmatched.length === 0 ? ['No differences.'] : [];
  return [...lines, ...unmatchedText(unmatched), ...summary, ...nothing];
}

function differenceJson(
  { from, to, files, unmatched }: Difference,
  stat: boolean,
): TypeOf<typeof SHAPE> {
  return withPathBytes((names) => ({
    from: from.id,
    to: to?.id ?? null,
    files: files.map((file) => fileDiffJson(file, names, stat)),
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    notOnRecord: unmatched.map(({ typed }) => typed),
  }));
}

async function whatToCompare(
  call: Call,
  savepoint: Savepoint,
  first: string,
): Promise<Comparison & { readonly typed: readonly string[] }> {
  const [, second, ...more] = call.args;
  const from = await savepoint.resolve(first);
  const to = second === undefined ? null : await checkpointOrPath(call, savepoint, second);
  const paths = second === undefined || to !== null ? more : [second, ...more];
  return { from, to, typed: [...paths, ...call.rest] };
}

/** Null when the word can only be a path: one that is there, was there, or looks like one. */
async function checkpointOrPath(
  call: Call,
  savepoint: Savepoint,
  word: string,
): Promise<Checkpoint | null> {
  try {
    return await savepoint.resolve(word);
  } catch (error) {
    if (!isSavepointError(error)) throw error;
    if (/[./]/.test(word) || exists(resolve(call.io.cwd, word))) return null;
    const [path] = pathArguments(call, savepoint.root, [word]) ?? [];
    if (path !== undefined && (await isOnRecord(savepoint, path))) return null;
    throw error;
  }
}
