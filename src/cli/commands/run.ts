import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { withoutCredentials } from '../../config/find-project.ts';
import {
  type Change,
  displayText,
  isSavepointError,
  type OpenWindow,
  RUN_AGENT,
  type Savepoint,
  type ScanReport,
  type UnknownReason,
} from '../../index.ts';
import { COUNT, described, exact, listOf, nullable, oneOf, TEXT } from '../../model/check.ts';
import { plural, someOf } from '../../terminal/phrases.ts';
import { neverRecorded } from '../../terminal/reasons.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, option } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { HeldWork } from '../interrupts.ts';
import { printJson, withPathBytes } from '../json.ts';
import { COVERS, PATH, PATH_BYTES } from '../json-shapes.ts';
import { sayNotices, withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  checkpointId: described(
    'Made before the program: what savepoint rewind and diff take. Null where the database server was away.',
    nullable(TEXT),
  ),
  exitCode: described(
    'Of the program, as a shell counts. The command ends with the same code, except with 1 where the program succeeded and its changes could not be put on record.',
    COUNT,
  ),
  signal: described('What ended the program, such as SIGKILL.', nullable(TEXT)),
  coverage: COVERS,
  notice: described(
    'Why what the program changed is not on record, or what could not be kept safe from it.',
    nullable(TEXT),
  ),
  changes: listOf(
    exact({
      path: PATH,
      change: oneOf('created', 'deleted', 'modified'),
      unrecorded: described(
        'Why its content is not on record, such as too-large, so that it cannot be taken back; null where it can.',
        nullable(TEXT),
      ),
    }),
  ),
  lost: described(
    'What was left out of the record and is gone, so that it cannot be brought back: large files and folders that git ignores, and the .git of nested repositories.',
    listOf(PATH),
  ),
  pathBytes: PATH_BYTES,
});

export const run: Command = {
  name: 'run',
  arguments: '-- COMMAND...',
  summary: 'run any program, so that what it changes can be taken back',
  details:
    'Makes a checkpoint, runs the program, and puts on record what it changed in the project, also when\n' +
    'it fails or is interrupted. Its exit code is passed on. `savepoint undo` takes the changes back.\n' +
    'With --json the program writes to standard error, so that standard output is JSON alone.',
  options: {
    message: option('TEXT', 'what to call it in the list'),
  },
  examples: [
    ['savepoint run -- npm run format', 'a formatter that may go wrong'],
    ["savepoint run --message 'rename' -- sh -c 'sed -i s/a/b/ *.js'", 'several programs'],
  ],
  json: { run: SHAPE },
  run: async (call) => {
    const words = [...call.args, ...call.rest];
    if (words.length === 0)
      throw new UsageError('a program is missing', 'see: savepoint run --help');
    const options = { create: true, scan: true };
    let isStarted = false;
    const onStart = (): void => {
      isStarted = true;
    };
    try {
      const work = (savepoint: Savepoint) => runUnder(call, savepoint, words, onStart);
      return await withTimeline(call, work, options);
    } catch (error) {
      if (isStarted || !isSavepointError(error) || !AWAY.includes(error.code)) throw error;
      return runUnrecorded(call, words, error);
    }
  },
};

const AWAY: readonly string[] = ['store-unreachable', 'server-unknown'];

/** The database server is away: whoever wants to work can do so, and hears that there is no way back. */
async function runUnrecorded(
  call: Call,
  words: readonly string[],
  { message }: Error,
): Promise<number> {
  const notice = `this run is not recorded and cannot be taken back: ${message}`;
  warn(call, notice);
  const program = startProgram(words, { quietOutput: call.json, env: call.io.env });
  const ended = await call.io.interrupts.during(() => program.ended, program.pass);
  printJson(call, SHAPE, {
    checkpointId: null,
    exitCode: ended.code,
    signal: ended.signal,
    coverage: 'server-away',
    notice,
    changes: [],
    lost: [],
    pathBytes: {},
  });
  if (ended.problem !== null && !call.json) warn(call, ended.problem);
  return ended.code;
}

async function runUnder(
  call: Call,
  savepoint: Savepoint,
  words: readonly string[],
  onStart: () => void,
): Promise<number> {
  const { interrupts, progress } = call.io;
  interrupts.meaning = 'the program was not started';
  const window = await open(call, savepoint, words);
  // A Ctrl-C that came so far counts. From now on signals are for the program, and one that comes to us only
  // after its end does not keep its changes from going on record.
  const { ended, report, isLost } = await interrupts.hold(async () => {
    interrupts.meaning = null;
    progress.end();
    await sayNotices(call, savepoint);
    const { coverage, notice } = window.report;
    if (notice !== null) {
      warn(call, coverage === 'scanned' ? notice : `this run cannot be taken back: ${notice}`);
    }
    onStart();
    const program = startProgram(words, { quietOutput: call.json, env: call.io.env });
    // A Ctrl-C at the terminal reaches the program too; whether it ends is up to the program.
    const ended = await interrupts.during(() => program.ended, program.pass);
    return { ended, ...(await recorded(savepoint, window)) };
  }, RECORDING);
  const changes = isLost ? [] : await allOf(savepoint, window, report);
  show(call, window, ended, { ...report, changes });
  return isLost && ended.code === 0 ? EXIT.failure : ended.code;
}

/** If recording fails, the window stays open, and the next scan looks for what the program changed. */
async function recorded(
  savepoint: Savepoint,
  { id }: OpenWindow,
): Promise<{ report: ScanReport; isLost: boolean }> {
  try {
    return { report: await savepoint.closeWindow(id), isLost: false };
  } catch (error) {
    if (!isSavepointError(error)) throw error;
    const { message: notice } = error;
    const nothing = { changes: [], unrecorded: [], lost: [], first: null };
    return { report: { coverage: 'failed', ...nothing, notice }, isLost: true };
  }
}

/** Another command that scanned meanwhile may have put a part of the changes on record already. */
async function allOf(
  savepoint: Savepoint,
  { checkpointId }: OpenWindow,
  { changes }: ScanReport,
): Promise<Change[]> {
  const own = await savepoint.changes({ checkpointIds: [checkpointId] });
  const byPath = new Map<string, Change>();
  for (const change of [...own, ...changes]) {
    const before = byPath.get(change.path)?.before ?? change.before;
    byPath.set(change.path, { ...change, before });
  }
  return [...byPath.values()].filter(isThereOrWas);
}

const RECORDING: HeldWork = {
  what: 'the record of what it changed',
  cutOff: 'what the program changed goes on record with the next scan',
};

function open(call: Call, savepoint: Savepoint, words: readonly string[]): Promise<OpenWindow> {
  const id = randomBytes(6).toString('hex');
  return savepoint.openWindow({
    sessionId: `run-${id}`,
    messageId: `run-${id}`,
    agent: RUN_AGENT,
    isRun: true,
    description: call.values.get('message') ?? words.join(' '),
    inThisProcess: true,
  });
}

function show(call: Call, window: OpenWindow, ended: Ended, report: ScanReport): void {
  const { changes, coverage, notice, lost } = report;
  // A scan after the program cannot make up for one that failed before it.
  const covered = window.report.coverage === 'scanned' ? report : window.report;
  const printed = withPathBytes(({ name }) => ({
    checkpointId: window.checkpointId,
    exitCode: ended.code,
    signal: ended.signal,
    coverage: covered.coverage,
    notice: covered.notice ?? window.report.notice,
    changes: changes.map((change) => ({
      path: name(change.path),
      change: kindOf(change),
      unrecorded: whyNotTakeable(change),
    })),
    lost: lost.map(name),
  }));
  printJson(call, SHAPE, printed);
  if (call.json) return;
  if (ended.problem !== null) warn(call, ended.problem);
  if (coverage !== 'scanned') {
    warn(call, `what it changed is not on record yet: ${notice}`);
    warn(
      call,
      'once that is mended, savepoint undo looks again, and asks before it takes anything back',
    );
  }
  if (call.flags.has('quiet')) return;
  if (changes.length > 0)
    warn(call, `${plural(changes.length, 'path')} changed: ${countsOf(changes)}`);
  else if (coverage === 'scanned') warn(call, NOTHING_RECORDED);
  for (const line of untakeableText(changes)) warn(call, line);
  if (lost.length > 0) {
    const paths = someOf(lost.map(displayText), SHOWN_PATHS);
    warn(call, `gone, and cannot be brought back because it was left out of the record: ${paths}`);
  }
  const look = 'look at it with: savepoint diff latest';
  if (changes.some((change) => whyNotTakeable(change) === null))
    call.hint(`${look}; take it back with: savepoint undo`);
  else if (changes.length > 0) call.hint(look);
}

const NOTHING_RECORDED =
  'it changed no file that is recorded; see what is left out with: savepoint status';

/** Why an undo cannot bring a path back, or leaves it as it is; null where it can. */
function whyNotTakeable({ before, after }: Change): UnknownReason | null {
  if (before.kind === 'unknown') return before.reason;
  return after?.kind === 'unknown' ? after.reason : null;
}

const SHOWN_PATHS = 5;

/** What cannot be taken back, by the reason, and what to set so that it can be the next time. */
function untakeableText(changes: readonly Change[]): string[] {
  const byReason = Map.groupBy(changes, whyNotTakeable);
  return [...byReason].flatMap(([reason, list]) => {
    if (reason === null) return [];
    const paths = list.map(({ path }) => displayText(path));
    const why = [neverRecorded(reason), ...(REMEDIES[reason] ?? [])].join('; ');
    return [`${list.length} of them cannot be taken back: ${someOf(paths, SHOWN_PATHS)}: ${why}`];
  });
}

/** For the next time. */
const REMEDIES: Partial<Record<UnknownReason, [string]>> = {
  'too-large': ['to keep such files, raise maxFileSize'],
  unreadable: ['to keep such files, let yourself read them'],
  excluded: ['to keep such files, take them out of exclude'],
};

/** False for a file that was both created and deleted within the run. */
function isThereOrWas({ before, after }: Change): boolean {
  return before.kind !== 'absent' || after?.kind !== 'absent';
}

/** On standard error, beside what the program prints. */
function warn(call: Call, text: string): void {
  const lines = call.io.terminal
    ? wrapWords(`savepoint: ${text}`, call.columns, 2)
    : [`savepoint: ${text}`];
  call.io.err(`${lines.join('\n')}\n`);
}

function countsOf(changes: readonly Change[]): string {
  const kinds = Map.groupBy(changes, kindOf);
  return [...kinds].map(([kind, list]) => `${list.length} ${kind}`).join(', ');
}

function kindOf({ before, after }: Change): 'created' | 'deleted' | 'modified' {
  if (before.kind === 'absent') return 'created';
  return after?.kind === 'absent' ? 'deleted' : 'modified';
}

/** How a program ended. */
interface Ended {
  /** As a shell would say it: 128 and the signal's number, 127 for a program that is not there. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started, or null. */
  readonly problem: string | null;
}

interface Program {
  readonly ended: Promise<Ended>;
  /** Hands on a signal that came for us alone. */
  pass(signal: NodeJS.Signals): void;
}

/** Starts a program at our terminal, in our folder and with our environment, as a shell would. */
function startProgram(
  words: readonly string[],
  { quietOutput, env }: { readonly quietOutput: boolean; readonly env: Call['io']['env'] },
): Program {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    env: withoutCredentials(env),
    stdio: ['inherit', quietOutput ? process.stderr.fd : 'inherit', 'inherit'],
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve(notStarted(program, error)));
    child.once('exit', (code, signal) => resolve(exited(code, signal)));
  });
  return {
    ended,
    pass: (signal) => {
      // The terminal sends Ctrl-C and Ctrl-\ to everybody itself.
      const isKey = signal === 'SIGINT' || signal === 'SIGQUIT';
      if (!isKey || !process.stdin.isTTY) child.kill(signal);
    },
  };
}

function exited(code: number | null, signal: NodeJS.Signals | null): Ended {
  const bySignal = signal === null ? 1 : 128 + constants.signals[signal];
  return { code: code ?? bySignal, signal, problem: null };
}

function notStarted(program: string, error: NodeJS.ErrnoException): Ended {
  const missing = error.code === 'ENOENT';
  const problem = missing ? `no such program: ${program}` : `${program}: ${error.message}`;
  return { code: missing ? 127 : 126, signal: null, problem };
}
