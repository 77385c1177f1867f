import { resolve } from 'node:path';
import {
  displayText,
  type ExportReceipt,
  type ExportRequest,
  type Savepoint,
} from '../../index.ts';
import { COUNT, described, exact, listOf, TEXT } from '../../model/check.ts';
import { type NewFile, writeNewFile } from '../../terminal/given-file.ts';
import { plural, shellWord, sizeText } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag, type Option, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { PathNames, picked, printJson } from '../json.ts';
import { PATH, PATH_BYTES, SESSION, sessionJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { pathArguments } from '../path-arguments.ts';

const SHAPE = exact({
  file: described('The file that was written, absolute.', TEXT),
  bytes: described('Its size.', COUNT),
  sessions: listOf(SESSION),
  checkpoints: COUNT,
  changes: COUNT,
  operations: COUNT,
  blobs: described('Different contents of files.', COUNT),
  leftOut: described('Paths outside of the project, which stay behind.', listOf(PATH)),
  privateOut: described(
    'Paths that git ignores, which stay behind unless --private names them.',
    listOf(PATH),
  ),
  unreadable: described(
    'Contents that are lost or too large; elsewhere they count as unknown.',
    COUNT,
  ),
  pathBytes: PATH_BYTES,
});

export const PRIVATE_OPTION: Option = option(
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
  json: { export: SHAPE },
  run: async (call) => {
    const [name = ''] = expectArgs(call, 'export', 1, 1);
    if (name === '') throw new UsageError('which file?', 'see: savepoint export --help');
    if (call.args[0] === '-') throw notAStream();
    const request = requestOf(call);
    const file = { path: resolve(call.io.cwd, name), force: call.flags.has('force') };
    return withTimeline(call, (savepoint) => runExport(call, savepoint, request, file));
  },
};

/** An export is written wholly or not at all, which a pipe cannot promise. `./-` names a file called "-". */
function notAStream(): UsageError {
  const hint = 'write it to a file first: savepoint export FILE (./- for a file of that name)';
  return new UsageError('an export is not written to standard output', hint);
}

function requestOf(call: Call): ExportRequest {
  const sessionId = call.values.get('session');
  const all = call.flags.has('all');
  if (all && sessionId !== undefined) {
    throw new UsageError('--session and --all exclude each other');
  }
  return { sessionId, all };
}

async function runExport(
  call: Call,
  savepoint: Savepoint,
  request: ExportRequest,
  file: NewFile,
): Promise<ExitCode> {
  const { interrupts } = call.io;
  interrupts.meaning = 'nothing was written';
  const privatePaths = privateArguments(call, savepoint.root);
  const stream = savepoint.export({ ...request, privatePaths });
  const { result, bytes } = await writeNewFile(file, stream, interrupts);
  interrupts.meaning = `${displayText(file.path)} was written`;
  const imported = await savepoint.importedSessions(result.exported.map(({ id }) => id));
  report(call, file, result, { bytes, imported });
  return EXIT.done;
}

/** The paths that `--private` names. */
export function privateArguments(call: Call, root: string): ReturnType<typeof pathArguments> {
  const typed = call.values.get('private')?.split(':') ?? [];
  const paths = pathArguments(call, root, typed);
  if (typed.length === 0 || paths !== undefined) return paths;
  throw new UsageError('--private needs the names of files or folders in the project');
}

interface Written {
  readonly bytes: number;
  /** Those of the sessions that an import brought, and that nobody went on with. */
  readonly imported: ReadonlySet<string>;
}

function report(
  call: Call,
  { path }: NewFile,
  receipt: ExportReceipt,
  { bytes, imported }: Written,
): void {
  const { exported, checkpoints, changes, leftOut, privateOut } = receipt;
  const names = new PathNames();
  printJson(call, SHAPE, {
    ...picked(SHAPE, receipt),
    file: path,
    bytes,
    sessions: exported.map((session) => sessionJson(session, imported)),
    leftOut: leftOut.map((one) => names.name(one)),
    privateOut: privateOut.map((one) => names.name(one)),
    pathBytes: names.pathBytes,
  });
  call.io.done = `${displayText(path)} was written all the same`;
  const what = [
    plural(exported.length, 'session'),
    plural(checkpoints, 'checkpoint'),
    plural(changes, 'change'),
  ];
  call.tell(`Written to ${displayText(path)}: ${what.join(', ')}, ${sizeText(bytes)}.`);
  for (const line of leftBehind(receipt)) call.say(line);
  call.hint(`bring it into another project with: savepoint import ${shellWord(path)}`);
}

type Behind = Pick<ExportReceipt, 'leftOut' | 'privateOut' | 'unreadable'>;

export function leftBehind({ leftOut, privateOut, unreadable }: Behind): string[] {
  const lines: string[] = [];
  const outside = leftOut.length;
  if (outside > 0) lines.push(`  left out     ${plural(outside, 'path')} outside of the project`);
  if (privateOut.length > 0) {
    const paths = plural(privateOut.length, 'path');
    lines.push(`  private      ${paths} that git ignores; --private PATHS takes them along`);
  }
  if (unreadable > 0) {
    lines.push(`  unreadable   ${plural(unreadable, 'content')}, lost or too large`);
  }
  return lines;
}
