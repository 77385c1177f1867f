import { resolve } from 'node:path';
import { findProject } from '../../config/find-project.ts';
import type { OpenFile } from '../../fs/read-file.ts';
import {
  displayText,
  type ExportReceipt,
  type ExportRequest,
  type ImportReceipt,
  type Savepoint,
  type Session,
  type TakeoverReceipt,
  verifyExport,
} from '../../index.ts';
import { BOOLEAN, COUNT, described, exact, listOf, TEXT } from '../../model/check.ts';
import { type NewFile, openGivenFile, writeNewFile } from '../../terminal/given-file.ts';
import { plural, shellWord, sizeText, someOf } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { picked, printJson, withPathBytes } from '../json.ts';
import { PATH, PATH_BYTES, SESSION, sessionJson, WORKTREE, worktreeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { pathArguments } from '../path-arguments.ts';
import { storeOf } from './status.ts';

const COUNTS = { checkpoints: COUNT, changes: COUNT, operations: COUNT };
const BLOBS = described('Different contents of files.', COUNT);
const STAYED = {
  leftOut: described('Paths outside of the project, which stay behind.', listOf(PATH)),
  privateOut: described(
    'Paths that git ignores, which stay behind unless --private names them.',
    listOf(PATH),
  ),
};
const LABELS_LEFT_OUT = described(
  'Labels that a checkpoint here has, or that could be taken for an id: they stay behind.',
  listOf(TEXT),
);

const EXPORT = exact({
  file: described('The file that was written, absolute.', TEXT),
  bytes: described('Its size.', COUNT),
  sessions: listOf(SESSION),
  ...COUNTS,
  blobs: BLOBS,
  ...STAYED,
  unreadable: described(
    'Contents that are lost or too large; elsewhere they count as unknown.',
    COUNT,
  ),
  pathBytes: PATH_BYTES,
});

const IMPORT = exact({
  imported: described('False, with exit code 5, when all of it was here already.', BOOLEAN),
  file: described('The file that was read, absolute.', TEXT),
  sessions: listOf(SESSION),
  alreadyHere: described(
    'Sessions of the file that were here before, the same: they stay as they are.',
    listOf(SESSION),
  ),
  labelsLeftOut: LABELS_LEFT_OUT,
  ...COUNTS,
  blobs: BLOBS,
});

const TAKEOVER = exact({
  takenOver: described('False, with exit code 5, when all of it was here already.', BOOLEAN),
  from: described('The worktree that it came from.', WORKTREE),
  sessions: described('Sessions that are new here.', listOf(SESSION)),
  alreadyHere: described(
    'Sessions that were here before: what they have done since came with it.',
    listOf(SESSION),
  ),
  labelsLeftOut: LABELS_LEFT_OUT,
  ...COUNTS,
  open: described('Changes of tools that are at work there: the next takeover brings them.', COUNT),
  ...STAYED,
  unreadable: described('Contents that are lost; here they count as unknown.', COUNT),
  pathBytes: PATH_BYTES,
});

const PRIVATE_OPTION = option(
  'PATHS',
  'take these ignored files or folders along, separated by ":"',
  'path',
);

export const exportCommand: Command = {
  name: 'export',
  arguments: 'FILE',
  summary: 'write a session into a file, to take it to another machine',
  details:
    'Writes a session with its sub-agents, its checkpoints and the contents of the files that it changed\n' +
    'into one file that only you can read; `savepoint import` brings it into another project or machine.\n' +
    'Without an option it is the session that was active last. The timeline stays as it is.\n' +
    'Files that git ignores, such as .env, stay behind unless --private names them.',
  options: {
    session: option('ID', 'this session; the beginning of its id is enough', 'session'),
    all: flag('everything that is on record'),
    private: PRIVATE_OPTION,
    force: flag('replace FILE if it is there'),
  },
  examples: [
    ['savepoint export bug.savepoint', 'the newest session, to hand over or to keep'],
    ['savepoint export all.savepoint --all', 'the whole timeline'],
  ],
  completes: ['path'],
  json: { export: EXPORT },
  run: async (call) => {
    const [name = ''] = expectArgs(call, 'export', 1, 1);
    if (name === '') throw new UsageError('which file?', 'see: savepoint export --help');
    if (call.args[0] === '-') {
      // An export is written wholly or not at all, which a pipe cannot promise.
      const hint = 'write it to a file first: savepoint export FILE (./- for a file of that name)';
      throw new UsageError('an export is not written to standard output', hint);
    }
    const sessionId = call.values.get('session');
    const all = call.flags.has('all');
    if (all && sessionId !== undefined) {
      throw new UsageError('--session and --all exclude each other');
    }
    const file = { path: resolve(call.io.cwd, name), force: call.flags.has('force') };
    return withTimeline(call, (savepoint) => runExport(call, savepoint, { sessionId, all }, file));
  },
};

export const importCommand: Command = {
  name: 'import',
  arguments: 'FILE',
  summary: 'bring in a session that was exported elsewhere',
  details:
    'Adds what `savepoint export` wrote, here or on another machine, to the timeline of this project. The\n' +
    'file is trusted in nothing: it is checked to its last byte before anything is written. No file of the\n' +
    'project is touched, and `undo` never means what came with an import; a rewind to one of its\n' +
    'checkpoints works where the files are as the session left them, and otherwise merges or leaves a\n' +
    'conflict as usual. Sessions that are here already, and the same, stay as they are.',
  examples: [
    ['savepoint import bug.savepoint', 'then: savepoint list'],
    ['savepoint import bug.savepoint --project ~/src/app', 'into another project'],
  ],
  completes: ['path'],
  json: { import: IMPORT },
  run: async (call) => {
    const [name = ''] = expectArgs(call, 'import', 1, 1);
    if (call.args[0] === '-') {
      // It is read twice: to its last byte before anything is written, and then for what is in it.
      const hint = 'save it to a file first: savepoint import FILE (./- for a file of that name)';
      throw new UsageError('an import is not read from standard input', hint);
    }
    const path = resolve(call.io.cwd, name);
    const file = openGivenFile(path);
    try {
      // Checked before a timeline is begun, so that a broken file leaves no trace.
      call.io.interrupts.meaning = 'nothing was imported';
      await verifyExport(file.chunks((done, total) => checked(call, done, total)));
      return await withTimeline(call, (savepoint) => runImport(call, savepoint, file, path), {
        create: true,
        scan: true,
      });
    } finally {
      file.close();
    }
  },
};

export const takeover: Command = {
  name: 'takeover',
  arguments: 'SESSION',
  summary: 'bring in a session of another machine that works on this project',
  details:
    'For a project on a database server. Brings a session that another machine has on record into the\n' +
    'timeline of this folder, with its sub-agents and continuations; where it is here already, what it has\n' +
    'done since. Then list, show, diff, materialize and rewind work with its checkpoints, and an agent can go\n' +
    'on with the session here. No file is touched: bring the files over as you always do. A rewind works where\n' +
    'they are as the session left them, and otherwise merges or leaves a conflict as usual. Executions stay\n' +
    'on the machine that runs them.',
  options: {
    from: option('MACHINE', 'take it from this machine, if several have it'),
    private: PRIVATE_OPTION,
  },
  examples: [
    ['savepoint sessions --everywhere', 'which sessions there are'],
    ['savepoint takeover 5f3a', 'by the beginning of its id'],
  ],
  json: { takeover: TAKEOVER },
  run: async (call) => {
    const [sessionId = ''] = expectArgs(call, 'takeover', 1, 1);
    call.io.interrupts.meaning = 'nothing was taken over';
    return withTimeline(call, (savepoint) => runTakeover(call, savepoint, sessionId), {
      // A project in a folder has nobody to take a session from: no timeline is begun for that.
      create: storeOf(call, findProject(call)).kind === 'server',
      scan: true,
    });
  },
};

async function runExport(
  call: Call,
  savepoint: Savepoint,
  request: ExportRequest,
  { path, force }: NewFile,
): Promise<ExitCode> {
  const { interrupts } = call.io;
  interrupts.meaning = 'nothing was written';
  const privatePaths = privateArguments(call, savepoint.root);
  const stream = savepoint.export({ ...request, privatePaths });
  const { result, bytes } = await writeNewFile({ path, force }, stream, interrupts);
  interrupts.meaning = `${displayText(path)} was written`;
  const { exported, checkpoints, changes } = result;
  const toJson = await sessionPrinter(savepoint, exported);
  const printed = withPathBytes(({ name }) => ({
    ...picked(EXPORT, result),
    file: path,
    bytes,
    sessions: exported.map(toJson),
    leftOut: result.leftOut.map(name),
    privateOut: result.privateOut.map(name),
  }));
  printJson(call, EXPORT, printed);
  call.io.done = `${displayText(path)} was written all the same`;
  const what = [
    plural(exported.length, 'session'),
    plural(checkpoints, 'checkpoint'),
    plural(changes, 'change'),
  ];
  call.tell(`Written to ${displayText(path)}: ${what.join(', ')}, ${sizeText(bytes)}.`);
  sayStayed(call, result);
  call.hint(`bring it into another project with: savepoint import ${shellWord(path)}`);
  return EXIT.done;
}

async function runImport(
  call: Call,
  savepoint: Savepoint,
  file: OpenFile,
  path: string,
): Promise<ExitCode> {
  await scanBefore(call, savepoint);
  const receipt = await savepoint.import(file.chunks());
  const { imported, brought, alreadyHere } = receipt;
  call.io.interrupts.meaning = imported ? 'it was imported' : 'it was here already';
  const toJson = await sessionPrinter(savepoint, [...brought, ...alreadyHere]);
  printJson(call, IMPORT, {
    ...picked(IMPORT, receipt),
    file: path,
    sessions: brought.map(toJson),
    alreadyHere: alreadyHere.map(toJson),
  });
  if (imported) call.io.done = 'it was imported all the same';
  call.tell(imported ? importedText(receipt) : 'Nothing to do: all of it is here already.');
  call.hint('see it with: savepoint list; no file was touched');
  return imported ? EXIT.done : EXIT.nothingToDo;
}

async function runTakeover(call: Call, savepoint: Savepoint, sessionId: string): Promise<ExitCode> {
  const privatePaths = privateArguments(call, savepoint.root);
  await scanBefore(call, savepoint);
  const from = call.values.get('from');
  const receipt = await savepoint.takeover({ sessionId, from, privatePaths });
  const { takenOver, brought, alreadyHere, open } = receipt;
  call.io.interrupts.meaning = takenOver ? 'it was taken over' : 'it was here already';
  const toJson = await sessionPrinter(savepoint, [...brought, ...alreadyHere]);
  const printed = withPathBytes(({ name }) => ({
    ...picked(TAKEOVER, receipt),
    from: worktreeJson(receipt.from),
    sessions: brought.map(toJson),
    alreadyHere: alreadyHere.map(toJson),
    leftOut: receipt.leftOut.map(name),
    privateOut: receipt.privateOut.map(name),
  }));
  printJson(call, TAKEOVER, printed);
  call.tell(takenOverText(receipt));
  sayStayed(call, receipt);
  if (open > 0) call.say(`  at work      ${plural(open, 'change')} of tools that still run there`);
  if (takenOver) call.io.done = 'it was taken over all the same';
  call.hint('see it with: savepoint list; no file was touched');
  return takenOver ? EXIT.done : EXIT.nothingToDo;
}

/** The paths that `--private` names. */
function privateArguments(call: Call, root: string): ReturnType<typeof pathArguments> {
  const typed = call.values.get('private')?.split(':') ?? [];
  const paths = pathArguments(call, root, typed);
  if (typed.length === 0 || paths !== undefined) return paths;
  throw new UsageError('--private needs the names of files or folders in the project');
}

/** Records the files that are here, so that they are told apart from what a session did elsewhere. */
async function scanBefore({ io }: Call, savepoint: Savepoint): Promise<void> {
  const { notice } = await savepoint.scan();
  if (notice !== null) io.err(`savepoint: ${displayText(notice)}\n`);
}

async function sessionPrinter(savepoint: Savepoint, sessions: readonly Session[]) {
  const imported = await savepoint.importedSessions(sessions.map(({ id }) => id));
  return (session: Session) => sessionJson(session, imported);
}

const STEP_BYTES = 1_000_000;

/** In megabytes, where there are several: nobody reads longer numbers. */
function checked(call: Call, done: number, total: number): Promise<void> | undefined {
  const whole = Math.ceil(total / STEP_BYTES);
  return call.io.progress.tell({
    step: 'check',
    done: Math.floor(done / STEP_BYTES),
    total: whole > 1 ? whole : null,
  });
}

type Stayed = Pick<ExportReceipt, 'leftOut' | 'privateOut' | 'unreadable'>;

function sayStayed({ say }: Call, { leftOut, privateOut, unreadable }: Stayed): void {
  const outside = leftOut.length;
  if (outside > 0) say(`  left out     ${plural(outside, 'path')} outside of the project`);
  if (privateOut.length > 0) {
    const paths = plural(privateOut.length, 'path');
    say(`  private      ${paths} that git ignores; --private PATHS takes them along`);
  }
  if (unreadable > 0) say(`  unreadable   ${plural(unreadable, 'content')}, lost or too large`);
}

function importedText({ brought, alreadyHere, labelsLeftOut, ...counts }: ImportReceipt): string {
  const said = `Imported ${plural(brought.length, 'session')}: ${countsText(counts)}.`;
  return `${said}${hereText(alreadyHere)}${labelsText(labelsLeftOut)}`;
}

function takenOverText(receipt: TakeoverReceipt): string {
  const { takenOver, from, brought, labelsLeftOut } = receipt;
  const machine = displayText(from.machine);
  if (!takenOver) return `Nothing to do: all that ${machine} has of it is here already.`;
  const what = countsText(receipt);
  const news =
    brought.length === 0
      ? `Brought from ${machine} what the session has done since: ${what}.`
      : `Took over ${plural(brought.length, 'session')} from ${machine}: ${what}.`;
  return `${news}${labelsText(labelsLeftOut)}`;
}

function countsText({ checkpoints, changes }: Pick<ImportReceipt, 'checkpoints' | 'changes'>) {
  return `${plural(checkpoints, 'checkpoint')}, ${plural(changes, 'change')}`;
}

const NAMED = 5;

function hereText(sessions: readonly Session[]): string {
  if (sessions.length === 0) return '';
  const names = sessions.map(({ id }) => displayText(id));
  return ` Here already, and left as ${sessions.length === 1 ? 'it is' : 'they are'}: ${someOf(names, NAMED)}.`;
}

function labelsText(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  const names = labels.map((label) => `"${displayText(label)}"`);
  return ` Without ${labels.length === 1 ? 'this label, which means' : 'these labels, which mean'} something else here: ${someOf(names, NAMED)}.`;
}
