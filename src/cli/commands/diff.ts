import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Checkpoint, isSavepointError, type Savepoint } from '../../index.ts';
import type { Call, Command } from '../command.ts';
import { fileDiffJson } from '../diff-json.ts';
import { diffSummary, diffText } from '../diff-text.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { fileDiffs } from '../file-diff.ts';
import { PathNames, printJson } from '../json.ts';
import { sayUnmatched, unmatchedPaths } from '../on-record.ts';
import { withTimeline } from '../open-timeline.ts';
import { pathArguments } from '../path-arguments.ts';
import { wrapWords } from '../text-width.ts';
import { UsageError } from '../usage-error.ts';

export const diff: Command = {
  name: 'diff',
  arguments: 'ID [ID2] [-- PATH...]',
  summary: 'what is different now, or at ID2, from how it was at a checkpoint',
  details:
    'Shows what changed in the recorded files since a checkpoint, whoever changed it, as a unified\n' +
    'diff. With a second checkpoint, what is different between the two. ID is the beginning of an id\n' +
    'from `savepoint list`, `latest`, or `~N` for the Nth before the latest.',
  options: {},
  examples: [
    ['savepoint diff latest', 'what the last message did'],
    ['savepoint diff k3m9 -- src', 'only below src'],
    ['savepoint diff k3m9 x7ab --json', 'between two checkpoints, with hunks as JSON'],
  ],
  run: async (call) => {
    const [first] = call.args;
    if (first === undefined) {
      throw new UsageError('which checkpoint?', 'see what there is with: savepoint list');
    }
    return withTimeline(call, (savepoint) => runDiff(call, savepoint, first));
  },
};

async function runDiff(call: Call, savepoint: Savepoint, first: string): Promise<ExitCode> {
  const { from, to, typed } = await whatToCompare(call, savepoint, first);
  const paths = pathArguments(call, savepoint.root, typed);
  // So that it shows what happened since the last scan as well.
  if (to === null) await savepoint.scanAgain();
  const diffs = await savepoint.diff(from.id, to?.id, paths);
  const files = fileDiffs(diffs);
  const found = diffs.map(({ path }) => path);
  const unmatched = await unmatchedPaths(savepoint, typed, paths, found);
  const names = new PathNames();
  printJson(call, {
    from: from.id,
    to: to?.id ?? null,
    files: call.json ? files.map((file) => fileDiffJson(file, names)) : [],
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    notOnRecord: unmatched.map(({ typed }) => typed),
    pathBytes: names.pathBytes,
  });
  for (const line of files.flatMap((file) => (call.json ? [] : diffText(file, call.paint)))) {
    call.say(line);
  }
  sayUnmatched(call, unmatched);
  if (files.length > 0) call.say(wrapWords(diffSummary(files), call.columns).join('\n'));
  else if (unmatched.length === 0) call.say('No differences.');
  if (files.length > 0 && to === null) call.hint(`take it back with: savepoint rewind ${from.id}`);
  const unknown = files.length === 0 && unmatched.some(({ exists }) => !exists);
  return unknown ? EXIT.notFound : EXIT.done;
}

interface Comparison {
  readonly from: Checkpoint;
  /** Null: what is there now. */
  readonly to: Checkpoint | null;
  readonly typed: readonly string[];
}

async function whatToCompare(call: Call, savepoint: Savepoint, first: string): Promise<Comparison> {
  const [, second, ...more] = call.args;
  const from = await savepoint.resolve(first);
  const to = second === undefined ? null : await checkpointOrPath(call, savepoint, second);
  const paths = second === undefined || to !== null ? more : [second, ...more];
  return { from, to, typed: [...paths, ...call.rest] };
}

/** Null when the word can only be a path. */
async function checkpointOrPath(
  call: Call,
  savepoint: Savepoint,
  word: string,
): Promise<Checkpoint | null> {
  try {
    return await savepoint.resolve(word);
  } catch (error) {
    const looksLikePath = /[./]/.test(word) || existsSync(resolve(call.io.cwd, word));
    if (!looksLikePath || !isSavepointError(error)) throw error;
    return null;
  }
}
