import { findProject } from '../../config/find-project.ts';
import {
  cleanProject,
  type MoveRequest,
  moveToFolder,
  moveToServer,
  setAsideIn,
} from '../../config/move-project.ts';
import { joinServer, serverOptions, worktreesOf } from '../../config/project-store.ts';
import { configurationOf } from '../../config/settings.ts';
import { displayText, type WorktreeEntry } from '../../index.ts';
import { described, exact, listOf, nullable, TEXT, type TypeOf } from '../../model/check.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  type Call,
  type Command,
  flag,
  option,
  unknownSubcommand,
  wordOption,
} from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { KEPT_IN, WORKTREE, worktreeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { agreedForGood, asksFirst, confirmed } from '../options.ts';
import { serverText, storeOf } from './status.ts';

const SHAPE = exact({
  project: TEXT,
  store: KEPT_IN,
  setAside: described(
    'Folders with stores that moves have left; savepoint store clean removes them.',
    listOf(TEXT),
  ),
  worktrees: described(
    'status: the folders that work on the project; null for a folder, and where the server cannot be asked.',
    nullable(listOf(WORKTREE)),
  ),
});

const FORGOTTEN = exact({ forgotten: WORKTREE });

const VERBS = ['status', 'move', 'join', 'clean', 'forget'] as const;
type Verb = (typeof VERBS)[number];
const PLACES = ['server', 'folder'] as const;

export const store: Command = {
  name: 'store',
  arguments:
    '[status | move --to server PROJECT | move --to folder | join PROJECT | clean | forget WORKTREE]',
  summary: 'where the timeline is kept: in a folder, or on a database server',
  details:
    'A timeline is kept in a folder of this machine, or on a PostgreSQL server, where several machines\n' +
    'share it. `status` says where. `move` carries all of it to the other place: every row and every content\n' +
    'is compared there before the new place counts, and until then the old one does, also after a crash.\n' +
    'The old store is set aside; `clean` removes it for good. `join` makes this folder one more worktree of\n' +
    'a project that is on the server. `forget` removes the worktree of a machine that is gone, with its\n' +
    'timeline: name it by its machine or by the beginning of its id. It cannot be undone, so it asks first and\n' +
    'needs --yes where nobody can be asked. The server comes from SAVEPOINT_DATABASE_URL or from databaseUrl in\n' +
    'your own configuration file, never from an argument, which other users of the machine could read.',
  options: {
    to: option('PLACE', 'move: server or folder', PLACES),
    yes: flag('move, clean, forget: do not ask'),
  },
  examples: [
    ['savepoint store', 'where the timeline of this project is kept'],
    ['savepoint store move --to server website', 'to the server, as the project website'],
    ['savepoint store join website', 'on a second machine: the same project'],
    ['savepoint store move --to folder', 'back to this machine'],
    ['savepoint store clean', 'remove what moves have set aside'],
    ['savepoint store forget build-7', 'remove the worktree of a machine that is gone'],
  ],
  completes: [VERBS],
  json: { store: SHAPE, 'store-forget': FORGOTTEN },
  run: async (call) => {
    const [word = 'status', ...words] = [...call.args, ...call.rest];
    const verb = VERBS.find((one) => one === word);
    if (verb === undefined) throw unknownSubcommand('store', word, VERBS, VERBS.join(', '));
    if (verb !== 'move' && call.values.has('to')) {
      throw new UsageError(`--to is not for store ${verb}`, SEE);
    }
    return ACTS[verb](call, words);
  },
};

const SEE = 'see: savepoint store --help';

const ACTS: Readonly<Record<Verb, (call: Call, words: readonly string[]) => Promise<ExitCode>>> = {
  status: runStatus,
  move: runMove,
  join: async (call, words) => {
    const [project = ''] = expectWords(words, 1);
    const { root, database } = requestOf(call);
    await joinServer(call.io, { root, project, database });
    call.io.done = 'the project was joined all the same';
    return show(call);
  },
  clean: runClean,
  forget: runForget,
};

async function runStatus(call: Call, words: readonly string[]): Promise<ExitCode> {
  expectWords(words, 0);
  const { root, database } = requestOf(call);
  const found = await worktreesOf(call.io, root, database);
  const shape = { ...shapeOf(call), worktrees: found?.map(worktreeJson) ?? null };
  printJson(call, SHAPE, shape);
  say(call, shape);
  for (const one of found ?? []) {
    call.say(`Worktree   ${aboutOf(call, one)}${one.isThis ? ', this one' : ''}`);
  }
  return EXIT.done;
}

const SHORT_ID = 8;

function aboutOf({ io }: Call, { machine, root, id, activeAt }: WorktreeEntry): string {
  const where = `${displayText(machine)}  ${id.slice(0, SHORT_ID)}  ${displayText(root)}`;
  return `${where}, active ${relativeTime(activeAt, io.now())}`;
}

async function runForget(call: Call, words: readonly string[]): Promise<ExitCode> {
  const [name = ''] = expectWords(words, 1, 'which worktree? savepoint store shows them');
  return withTimeline(call, async (savepoint) => {
    const worktree = await savepoint.worktree(name);
    if (worktree.isThis) {
      throw new UsageError(
        'this is the worktree of this folder',
        'bring its timeline back first: savepoint store move --to folder; then: savepoint store clean',
      );
    }
    call.say(`Worktree   ${aboutOf(call, worktree)}`);
    const question = 'Remove this worktree with its timeline? It cannot be undone.';
    const refusal = ['a forgotten worktree cannot be brought back', 'repeat with --yes'] as const;
    if (!(await agreedForGood(call, question, refusal))) return EXIT.interrupted;
    await savepoint.forgetWorktree(worktree.id);
    call.io.done = 'the worktree was removed all the same';
    printJson(call, FORGOTTEN, { forgotten: worktreeJson(worktree) });
    call.remark('Done: the worktree and its timeline are removed.');
    call.hint('contents that no other worktree has go with: savepoint prune');
    return EXIT.done;
  });
}

async function runMove(call: Call, words: readonly string[]): Promise<ExitCode> {
  const to = wordOption(call, 'to', PLACES);
  if (to === undefined) throw new UsageError('where to?', 'add --to server, or --to folder');
  const [project = ''] = expectWords(words, to === 'server' ? 1 : 0);
  const request = requestOf(call);
  // Before the question: nobody should agree to what cannot be done.
  serverOptions(request.database);
  const where =
    to === 'server' ? `to the server, as project ${displayText(project)}` : 'back to a folder';
  const question = `Move the timeline of ${displayText(request.root)} ${where}?`;
  if (asksFirst(call) && !(await confirmed(call, question))) return EXIT.interrupted;
  // An interrupted restore is finished when the timeline is opened.
  await withTimeline(call, async () => undefined);
  if (to === 'server') await moveToServer(call.io, project, request);
  else await moveToFolder(call.io, request);
  call.io.progress.end();
  call.io.done = 'the timeline was moved all the same';
  call.remark('Done: all of it was copied, and compared with what it was.');
  const code = show(call);
  call.hint('when you are sure, remove what was set aside with: savepoint store clean');
  return code;
}

async function runClean(call: Call, words: readonly string[]): Promise<ExitCode> {
  expectWords(words, 0);
  const request = requestOf(call);
  const folders = setAsideIn(call.io, request.root);
  for (const folder of folders) call.say(`Set aside  ${displayText(folder)}`);
  const question = `Remove ${plural(folders.length, 'store')} for good?`;
  const isAsked = folders.length > 0 && asksFirst(call);
  if (isAsked && !(await confirmed(call, question))) return EXIT.interrupted;
  if (folders.length > 0) await cleanProject(call.io, folders, request);
  if (folders.length > 0) call.io.done = 'what was set aside is removed all the same';
  printJson(call, SHAPE, shapeOf(call));
  call.remark(
    folders.length === 0
      ? 'Nothing to do: nothing is set aside.'
      : `Done: ${plural(folders.length, 'store')} removed.`,
  );
  return folders.length === 0 ? EXIT.nothingToDo : EXIT.done;
}

function requestOf(call: Call): MoveRequest {
  const root = findProject(call);
  const { values } = configurationOf(call.io, root);
  const { lockTimeoutMs } = values;
  return { root, database: values, lockTimeoutMs, onProgress: call.io.progress.tell };
}

function show(call: Call): ExitCode {
  const shape = shapeOf(call);
  printJson(call, SHAPE, shape);
  say(call, shape);
  return EXIT.done;
}

function say(call: Call, { project, store: kept, setAside }: TypeOf<typeof SHAPE>): void {
  call.say(`Project    ${displayText(project)}`);
  if (kept.kind === 'server') call.say(`Server     ${serverText(kept)}`);
  call.say(`Folder     ${displayText(kept.folder)}`);
  for (const folder of setAside) call.say(`Set aside  ${displayText(folder)}`);
}

function shapeOf(call: Call): TypeOf<typeof SHAPE> {
  const project = findProject(call);
  const setAside = setAsideIn(call.io, project);
  return { project, store: storeOf(call, project), setAside, worktrees: null };
}

function expectWords(
  words: readonly string[],
  count: number,
  question = 'which project of the server?',
): readonly string[] {
  const [extra] = words.slice(count);
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`, SEE);
  if (words.length < count) throw new UsageError(question, SEE);
  return words;
}
