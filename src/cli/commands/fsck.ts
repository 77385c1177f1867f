import { findProject, storeHome } from '../../config/find-project.ts';
import { requireFolder } from '../../config/project-store.ts';
import {
  type CheckProjectOptions,
  checkProject,
  displayText,
  repairProject,
  type StoreCheck,
  type StoreProblem,
  type StoreRepair,
} from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  optional,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { plural, someOf } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { type Call, type Command, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { picked, printJson, withPathBytes } from '../json.ts';
import { PATH, PATH_BYTES } from '../json-shapes.ts';

const PROBLEM = exact({
  kind: described(
    'A "leftover" is no damage.',
    oneOf('database', 'row', 'chain', 'blob', 'pack', 'git', 'baseline', 'leftover'),
  ),
  message: TEXT,
  file: described('Below the folder of the store.', nullable(TEXT)),
  paths: described('Paths that cannot be restored to some state any more.', listOf(PATH)),
  checkpoints: described('Checkpoints at which they had it.', listOf(TEXT)),
  pathBytes: PATH_BYTES,
});

const SHAPE = exact({
  repaired: described('Whether --repair was given.', BOOLEAN),
  readable: described('Whether the database can be read at all.', BOOLEAN),
  rows: described('How many rows were checked.', COUNT),
  blobs: described('How many contents were checked.', COUNT),
  problems: described('What was found.', listOf(PROBLEM)),
  left: optional(described('With --repair: what is still wrong.', listOf(PROBLEM))),
  setAside: optional(
    described(
      'With --repair: where everything damaged is now.',
      nullable(exact({ folder: TEXT, rows: COUNT, files: COUNT })),
    ),
  ),
  salvaged: optional(
    described('With --repair: whether the rows were copied into a new database.', BOOLEAN),
  ),
  lost: optional(
    described(
      'With --repair: what is lost for good. Empty when the record is whole again.',
      listOf(PROBLEM),
    ),
  ),
  kept: optional(
    described(
      'With --repair: what is on record now. All zero: the timeline begins anew.',
      exact({ checkpoints: COUNT, changes: COUNT }),
    ),
  ),
});

export const fsck: Command = {
  name: 'fsck',
  summary: 'check that everything on record can still be relied on',
  details:
    'Compares every row of the store with what was written, every recorded content with its hash, and\n' +
    'names what is damaged and what that means: which paths cannot be restored, and at which checkpoints.\n' +
    'Changes nothing. With --repair, everything that can still be read and verified goes into a new\n' +
    'database; what is lost is unknown from then on, and the store works again. The old database and\n' +
    'damaged files are kept in the folder "damaged" of the store. End other programs that use it first.\n' +
    'It exits with 0 only when the record is whole again, and with 1 when something is lost for good.\n' +
    'Your files are never touched.',
  options: {
    repair: flag('make a new database of what is not damaged'),
  },
  examples: [
    ['savepoint fsck', 'after a disk failed, or to be sure'],
    ['savepoint fsck --repair', 'go on with what is not damaged'],
  ],
  json: { fsck: SHAPE },
  run: async (call) => {
    const { io } = call;
    const project = findProject(call);
    requireFolder(io, project, ON_SERVER);
    const options: CheckProjectOptions = {
      project,
      home: storeHome(io),
      refusedProjects: [io.homeDirectory],
    };
    return call.flags.has('repair') ? runRepair(call, options) : runCheck(call, options);
  },
};

const ON_SERVER =
  'the server looks after its own files (pg_amcheck, data checksums); each content is compared with its hash whenever it is read, and each row before a rewind';

async function runCheck(call: Call, options: CheckProjectOptions): Promise<ExitCode> {
  const { progress } = call.io;
  const check = await checkProject({
    ...options,
    // How many there are is an estimate.
    onProgress: ({ done, total }) =>
      void progress.tell({ step: 'contents', done, total: Math.max(done, total) }),
  });
  progress.end();
  printJson(call, SHAPE, {
    ...picked(SHAPE, check),
    repaired: false,
    problems: check.problems.map(problemJson),
  });
  for (const text of checkText(call, check)) call.say(text);
  if (!isDamaged(check)) return EXIT.done;
  call.hint('your files are untouched; make the store usable again with: savepoint fsck --repair');
  return EXIT.failure;
}

async function runRepair(call: Call, options: CheckProjectOptions): Promise<ExitCode> {
  const repair = await call.io.interrupts.hold(() => repairProject(options));
  printJson(call, SHAPE, repairJson(repair));
  for (const text of repairText(call, repair)) call.say(text);
  if (isDamaged(repair.left)) return EXIT.failure;
  call.hint('see what there is with: savepoint list');
  if (repair.lost.length > 0) return EXIT.failure;
  return isDamaged(repair.found) ? EXIT.done : EXIT.nothingToDo;
}

function repairJson(repair: StoreRepair): TypeOf<typeof SHAPE> {
  const { found, left, folder, rows, files, salvaged, lost, kept } = repair;
  return {
    ...picked(SHAPE, left),
    repaired: true,
    problems: found.problems.map(problemJson),
    left: left.problems.map(problemJson),
    setAside: folder === null ? null : { folder, rows, files },
    salvaged,
    lost: lost.map(problemJson),
    kept,
  };
}

function problemJson(problem: StoreProblem): TypeOf<typeof PROBLEM> {
  return withPathBytes(({ name }) => {
    return { ...picked(PROBLEM, problem), paths: problem.paths.map(name) };
  });
}

const SHOWN = 30;
const SHOWN_PATHS = 3;

/** Whether something is lost. A file that nobody needs is not damage. */
function isDamaged({ problems }: StoreCheck): boolean {
  return problems.some(({ kind }) => kind !== 'leftover');
}

function checkText(call: Call, check: StoreCheck): string[] {
  const damage = check.problems.filter(({ kind }) => kind !== 'leftover').length;
  const looked = `${plural(check.rows, 'row')} and ${plural(check.blobs, 'content')} were checked`;
  const end = damage === 0 ? `No damage: ${looked}.` : `${plural(damage, 'damage')}; ${looked}.`;
  return [...problemsText(call, check.problems), ...wrapWords(end, call.columns)];
}

function repairText(call: Call, repair: StoreRepair): string[] {
  const { found, left, folder, rows, files, salvaged } = repair;
  if (!isDamaged(found)) return ['Nothing to repair.'];
  const lines = problemsText(call, found.problems);
  if (salvaged) lines.push('The rows that could be read were copied into a new database.');
  if (folder !== null) {
    const what = `${plural(rows, 'row')} and ${plural(files, 'file')}`;
    lines.push(...wrapWords(`Set aside: ${what}, in ${displayText(folder)}`, call.columns, 2));
  }
  if (isDamaged(left)) {
    return [...lines, 'This is still wrong:', ...problemsText(call, left.problems)];
  }
  return [...lines, ...outcomeText(call, repair)];
}

function outcomeText(call: Call, repair: StoreRepair): string[] {
  const { lost, kept, folder, salvaged } = repair;
  if (lost.length === 0) return ['Repaired: the record is whole again.'];
  const isEmpty = kept.checkpoints + kept.changes === 0;
  const counts = `${plural(kept.checkpoints, 'checkpoint')} and ${plural(kept.changes, 'change')}`;
  const lines = [
    isEmpty
      ? 'No checkpoint and no change could be read: the timeline begins anew.'
      : `On record are still ${counts}.`,
    ...(salvaged && folder !== null ? [`The old database is kept in ${displayText(folder)}`] : []),
    'The store can be used again, but not everything could be repaired.',
  ].flatMap((line) => wrapWords(line, call.columns, 2));
  return ['This is lost:', ...problemsText(call, lost), ...lines];
}

function problemsText(call: Call, problems: readonly StoreProblem[]): string[] {
  const lines = problems.slice(0, SHOWN).flatMap((each) => problemText(call, each));
  const more = problems.length - SHOWN;
  return more > 0 ? [...lines, `  and ${more} more; --json lists them all`] : lines;
}

function problemText(
  call: Call,
  { kind, message, file, paths, checkpoints }: StoreProblem,
): string[] {
  const style = kind === 'leftover' ? 'dim' : 'red';
  const place = file === null ? '' : ` (${file})`;
  const text = `  ${call.paint(style, kind)}  ${displayText(message + place)}`;
  const named = someOf(paths.map(displayText), SHOWN_PATHS);
  const at = checkpoints.length === 0 ? '' : `, at ${plural(checkpoints.length, 'checkpoint')}`;
  const lost = paths.length === 0 ? [] : [`      cannot be restored: ${named}${at}`];
  return [text, ...lost].flatMap((line) => wrapWords(line, call.columns, 6));
}
