import { join } from 'node:path';
import { exists } from '../../fs/entries.ts';
import {
  displayText,
  isOutside,
  type PurgeReport,
  type PurgeRequest,
  type Savepoint,
  type TrackedPath,
} from '../../index.ts';
import { BOOLEAN, described, exact, listOf, type TypeOf } from '../../model/check.ts';
import { plural, someOf } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { PATH, PATH_BYTES } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { agreedForGood } from '../options.ts';
import { pathArguments } from '../path-arguments.ts';

const SHAPE = exact({
  dryRun: BOOLEAN,
  paths: described('Paths whose contents were removed, or would be.', listOf(PATH)),
  alsoAt: described(
    'Other paths that have the same bytes on record, where they stay.',
    listOf(PATH),
  ),
  stillThere: described(
    'Those of the paths at which there is a file in the project now.',
    listOf(PATH),
  ),
  pathBytes: PATH_BYTES,
});

export const purge: Command = {
  name: 'purge',
  arguments: 'PATH|PATTERN...',
  summary: 'remove the contents of files from every checkpoint, for good',
  details:
    'Removes what was recorded of a file, a folder, or whatever fits a pattern as in .gitignore: from every\n' +
    'checkpoint, and every byte of it from the store, free space included. Your files are not touched. A\n' +
    'rewind leaves such a path as it is from then on. This cannot be undone, so it asks at a terminal and\n' +
    'needs --yes elsewhere. Descriptions of messages are not searched, and git keeps its own history.',
  options: {
    'dry-run': flag('show which paths it would be, and remove nothing'),
    yes: flag('do not ask'),
  },
  examples: [
    ['savepoint purge .env', 'a file that should never have been recorded'],
    ["savepoint purge '*.pem' secrets/", 'files of a kind wherever they are, and a folder'],
    ['savepoint purge .env --dry-run', 'only see what is on record'],
  ],
  completes: ['path'],
  json: { purge: SHAPE },
  run: async (call) => {
    const typed = [...call.args, ...call.rest];
    if (typed.length === 0) {
      throw new UsageError('purge what?', 'name a path, or a pattern as in .gitignore');
    }
    return withTimeline(call, (savepoint) => runPurge(call, savepoint, typed));
  },
};

async function runPurge(
  call: Call,
  savepoint: Savepoint,
  typed: readonly string[],
): Promise<ExitCode> {
  const request = await requestOf(call, savepoint, typed);
  const plan = await savepoint.planPurge(request);
  const dryRun = call.flags.has('dry-run');
  if (plan.paths.length === 0) return nothingFound(call, savepoint, dryRun, plan);
  for (const path of plan.paths.slice(0, SHOWN)) call.say(`  ${displayText(path)}`);
  const more = plan.paths.length - SHOWN;
  if (more > 0) call.say(`  and ${more} more; --json lists them all`);
  if (!dryRun && !(await agreedForGood(call, QUESTION, REFUSAL))) {
    call.say('Nothing was removed.');
    return EXIT.interrupted;
  }
  const report = dryRun ? plan : await call.io.interrupts.hold(() => savepoint.purge(request));
  if (!dryRun) call.io.done = 'the purge was carried out all the same';
  printJson(call, SHAPE, purgeJson(report, dryRun));
  const count = plural(report.paths.length, 'path');
  call.say(
    dryRun
      ? `Dry run, nothing was removed. It would be what was recorded of ${count}.`
      : `Purged: what was recorded of ${count} is gone from the store.`,
  );
  sayNotes(call, savepoint, report);
  return EXIT.done;
}

const QUESTION = 'Remove this from every checkpoint? It cannot be undone.';
const REFUSAL = [
  'a purge cannot be undone',
  'look with --dry-run, then repeat with --yes',
] as const;

/** A word that names a path on record means that path, as in other commands; any other is a pattern. */
async function requestOf(
  call: Call,
  savepoint: Savepoint,
  typed: readonly string[],
): Promise<PurgeRequest> {
  const paths: Uint8Array[] = [];
  const patterns: string[] = [];
  for (const word of typed) {
    const [path] = pathArguments(call, savepoint.root, [word]) ?? [];
    if (path === undefined) throw new UsageError('the whole project? remove its store instead');
    const named = await savepoint.planPurge({ paths: [path] });
    if (named.paths.length > 0) paths.push(path as Uint8Array);
    else patterns.push(word);
  }
  return { paths, patterns };
}

function nothingFound(
  call: Call,
  savepoint: Savepoint,
  dryRun: boolean,
  plan: PurgeReport,
): ExitCode {
  printJson(call, SHAPE, purgeJson(plan, dryRun));
  call.say(`Nothing of that is on record in ${displayText(savepoint.root)}.`);
  call.hint('patterns begin at the root of the project and are quoted: savepoint purge "**/*.key"');
  return EXIT.notFound;
}

const SHOWN = 20;
const SHOWN_IN_A_SENTENCE = 3;

/** Says where the contents still are: a person who purges a secret has to know. */
function sayNotes(call: Call, savepoint: Savepoint, report: PurgeReport): void {
  const { alsoAt, stillThere } = report;
  if (alsoAt.length > 0) {
    call.tell(
      `Still kept: the same bytes are on record under ${named(alsoAt)}. Purge those too if need be.`,
    );
  }
  if (stillThere.length > 0) {
    call.tell(
      `Still in the project: ${named(stillThere)}. It is recorded again when it is written to.`,
    );
    call.hint('keep it out by "exclude", see: savepoint config exclude');
  }
  const inGit = report.paths.some((path) => !isOutside(path));
  if (inGit && exists(join(savepoint.root, '.git'))) {
    call.tell('git keeps a history of its own, which is not touched.');
  }
}

function named(paths: readonly TrackedPath[]): string {
  return someOf(paths.map(displayText), SHOWN_IN_A_SENTENCE);
}

function purgeJson(
  { paths, alsoAt, stillThere }: PurgeReport,
  dryRun: boolean,
): TypeOf<typeof SHAPE> {
  return withPathBytes(({ name }) => ({
    dryRun,
    paths: paths.map(name),
    alsoAt: alsoAt.map(name),
    stillThere: stillThere.map(name),
  }));
}
