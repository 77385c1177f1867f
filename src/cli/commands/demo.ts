import { storeHome } from '../../config/find-project.ts';
import {
  displayText,
  openSavepoint,
  type Receipt,
  type RewindPlan,
  type Savepoint,
} from '../../index.ts';
import { described, exact, listOf, nullable, oneOf, TEXT } from '../../model/check.ts';
import { diffSummary, diffText } from '../../terminal/diff-text.ts';
import { fileDiff } from '../../terminal/file-diff.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { planText } from '../../terminal/plan-text.ts';
import { beside } from '../../terminal/rows.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { type Call, type Command, flag } from '../command.ts';
import { PROGRAM } from '../demo/script.ts';
import {
  expectTree,
  readTree,
  runAgent,
  runProgram,
  type SentMessage,
  type Stage,
  setStage,
  type Tree,
} from '../demo/stage.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { CHECKPOINT, checkpointJson, RECEIPT, receiptJson } from '../json-shapes.ts';
import { timelineText } from '../timeline-text.ts';

const SHAPE = exact({
  checkpoints: listOf(CHECKPOINT),
  rewind: nullable(RECEIPT),
  undo: nullable(RECEIPT),
  redo: nullable(RECEIPT),
  verified: described(
    'After each step the project was as it was, byte for byte; otherwise the demo fails.',
    oneOf(true),
  ),
  kept: described(
    'With --keep: where its folders are.',
    nullable(exact({ project: TEXT, home: TEXT })),
  ),
});

export const demo: Command = {
  name: 'demo',
  summary: 'see it at work on a throw-away project, offline',
  details:
    'Makes a small project in a temporary folder, lets a scripted agent work on it and wreck it, and\n' +
    'takes that back. At a terminal you choose; otherwise it plays by itself. Cleans up after itself.',
  options: {
    keep: flag('leave the temporary folders and say where they are'),
  },
  examples: [
    ['savepoint demo', 'the play'],
    ['savepoint demo --keep', 'and then try the commands on its project yourself'],
  ],
  json: { demo: SHAPE },
  run: runDemo,
};

async function runDemo(call: Call): Promise<ExitCode> {
  const keep = call.flags.has('keep');
  const stage = setStage();
  call.io.interrupts.meaning = keep ? 'its folders are kept' : 'its folders were removed';
  const forget = keep ? () => undefined : call.io.interrupts.onInterrupt(stage.remove);
  try {
    await perform(call, stage, keep);
  } finally {
    if (!keep) stage.remove();
    forget();
  }
  return EXIT.done;
}

async function perform(call: Call, stage: Stage, keep: boolean): Promise<void> {
  const savepoint = await openSavepoint({ project: stage.project, home: stage.home });
  try {
    const { rewind, undo, redo } = await play(call, savepoint);
    const checkpoints = (await savepoint.list()).map((one) => checkpointJson(one));
    const kept = keep ? { project: stage.project, home: stage.home } : null;
    const json = (receipt: Receipt | null) => receipt && receiptJson(receipt, false);
    const told = { rewind: json(rewind), undo: json(undo), redo: json(redo) };
    printJson(call, SHAPE, { checkpoints, ...told, verified: true, kept });
    if (keep) sayWhere(call, stage);
  } finally {
    await savepoint.close();
  }
}

function sayWhere(call: Call, { project, home }: Stage): void {
  call.say();
  call.say('The project and its timeline are kept. Try it with:');
  call.say();
  call.say(`    export SAVEPOINT_HOME=${shellWord(home)}`);
  call.say(`    cd ${shellWord(project)}`);
  call.say(`    ${process.argv.slice(0, 2).map(shellWord).join(' ')} list`);
}

/** What was done, each step checked byte for byte. A step that the visitor declined is null. */
interface Played {
  readonly rewind: Receipt | null;
  readonly undo: Receipt | null;
  readonly redo: Receipt | null;
}

/** The whole play. A visitor at a terminal makes the choices; otherwise it goes by itself. */
async function play(call: Call, savepoint: Savepoint): Promise<Played> {
  const visitor = call.io.interactive && !call.json;
  const { root } = savepoint;
  showOpening(call);
  const sent = await runAgent(savepoint, (entry) => showMessage(call, entry));
  const bad = sent.at(-1);
  if (bad === undefined) throw new Error('the demo failed: the agent did nothing');
  await showProgram(call, root);
  if (visitor) await call.io.ask(call.paint('dim', 'Not quite. Press Enter to see what it did. '));
  await showDamage(call, savepoint, bad.checkpointId);
  await showTimeline(call, savepoint, visitor);
  const target = visitor ? await choose(call, sent) : bad;
  const played = target === null ? NOTHING : await thereAndBack(call, savepoint, target, visitor);
  showEnding(call);
  return played;
}

const NOTHING: Played = { rewind: null, undo: null, redo: null };

/** Rewind, undo, redo; after each, the project must be as it was, byte for byte. */
async function thereAndBack(
  call: Call,
  savepoint: Savepoint,
  target: SentMessage,
  visitor: boolean,
): Promise<Played> {
  const { root } = savepoint;
  const wrecked = readTree(root);
  const step = async (command: string, plan: RewindPlan, expected: Tree): Promise<Receipt> => {
    say(`${paint('dim', '$')} savepoint ${command}`);
    for (const line of planText(plan, paint, call.columns)) say(line);
    const receipt = await savepoint.apply(plan);
    expectTree(root, expected, `after savepoint ${command}`);
    const checked = `Done, and checked: ${expected.size} files are as they were, byte for byte.`;
    for (const line of wrapWords(checked, call.columns)) say(paint('green', line));
    say();
    await showProgram(call, root);
    return receipt;
  };
  const wanted = async (question: string) => !visitor || agrees(call, question);
  const { paint, say } = call;

  const to = target.checkpointId;
  const rewind = await step(
    `rewind ${to.slice(0, 4)}`,
    await savepoint.planRewind({ to }),
    target.treeBefore,
  );
  if (!(await wanted('A rewind is no dead end. Undo it?'))) return { ...NOTHING, rewind };
  const undo = await step('undo', await savepoint.planUndo(), wrecked);
  if (!(await wanted('The damage is back. Redo the rewind?'))) return { ...NOTHING, rewind, undo };
  const redo = await step('redo', await savepoint.planRedo(), target.treeBefore);
  return { rewind, undo, redo };
}

/** Which message to take back to. Null when the visitor leaves. */
async function choose(call: Call, sent: readonly SentMessage[]): Promise<SentMessage | null> {
  const newestFirst = sent.toReversed();
  call.tell('Each row is the moment before the agent acted. Rewind to which one?');
  for (;;) {
    const answer = await call.io.ask(`1 to ${sent.length}, Enter for 1, q to leave: `);
    const word = answer?.trim() ?? 'q';
    if (/^q(uit)?$/i.test(word)) return null;
    const chosen = newestFirst[Number(word === '' ? 1 : word) - 1];
    if (chosen !== undefined) {
      call.say();
      return chosen;
    }
  }
}

/** Enter means yes here: nothing in the play can be lost. The end of input means no. */
async function agrees(call: Call, question: string): Promise<boolean> {
  for (;;) {
    const answer = await call.io.ask(`${question} [Y/n] `);
    if (answer === null || /^\s*(n|no|q|quit)\s*$/i.test(answer)) return false;
    if (/^\s*(y|yes)?\s*$/i.test(answer)) return true;
  }
}

const WIDEST = 100;

function showOpening(call: Call): void {
  call.say(call.paint('bold', 'Savepoint: undo for AI coding agents'));
  call.tell('A scripted agent works on a throw-away project here, in a temporary folder.');
  call.say();
}

function showMessage({ paint, say, columns }: Call, { message }: SentMessage): void {
  const you = `${paint('cyan', '  you ')}  `;
  const agent = `${paint('magenta', 'agent ')}  `;
  for (const line of beside(you, message.prompt, columns, (part) => paint('bold', part))) say(line);
  for (const { tool, file_path } of message.calls)
    say(`        ${paint('dim', `${tool} ${file_path}`)}`);
  for (const line of beside(agent, message.reply, columns)) say(line);
  say();
}

/** What the project's program says, as if somebody had typed the command. */
async function showProgram({ json, paint, say }: Call, project: string): Promise<void> {
  if (json) return;
  say(`${paint('dim', '$')} node ${PROGRAM}`);
  for (const line of await runProgram(project)) say(/Error/.test(line) ? paint('red', line) : line);
  say();
}

/** What the bad message did: to the program in full, to the rest in a word. */
async function showDamage(call: Call, savepoint: Savepoint, since: string): Promise<void> {
  const { paint, say } = call;
  const files = (await savepoint.diff(since)).map((diff) => fileDiff(diff));
  const program = files.filter(({ diff }) => diff.path === PROGRAM);
  say(`${paint('dim', '$')} savepoint diff ${since.slice(0, 4)} -- ${PROGRAM}`);
  for (const line of program.flatMap((file) => diffText(file, paint))) say(line);
  call.tell(diffSummary(program));
  const rest = files
    .filter(({ diff }) => diff.path !== PROGRAM)
    .map(({ diff, status }) => `${displayText(diff.path)} was ${status}`);
  call.tell(`And in the same message: ${rest.join(', ')}.`);
  say();
}

async function showTimeline(
  { io, paint, say }: Call,
  savepoint: Savepoint,
  numbered: boolean,
): Promise<void> {
  const checkpoints = await savepoint.list();
  const lengths = await savepoint.uniqueLengths(checkpoints.map(({ id }) => id));
  const columns = io.terminal ? io.columns : WIDEST;
  say(`${paint('dim', '$')} savepoint list`);
  const view = { checkpoints, lengths, now: io.now(), columns, paint, numbered };
  for (const line of timelineText(view)) say(line);
  say();
}

function showEnding({ io, paint, say, columns }: Call): void {
  say(paint('bold', 'On your own projects'));
  const wrap = '  In an agent that you build, wrap the function that runs its tools:';
  for (const line of wrapWords(wrap, columns, 2)) say(line);
  say();
  for (const line of snippet(displayText(storeHome(io)))) say(`    ${line}`.trimEnd());
  say();
  say('  Then, in the project folder:');
  say();
  for (const [command, meaning] of COMMANDS) {
    const label = `    ${command.padEnd(32)}`;
    for (const line of beside(label, meaning, columns, (part) => paint('dim', part))) say(line);
  }
}

function snippet(home: string): string[] {
  return [
    "import { openSavepoint } from 'savepoint';",
    'import {',
    '  FileCheckpointMiddleware,',
    '  FileCheckpointService,',
    "} from 'savepoint/file-checkpoint';",
    '',
    '// where the savepoint command looks',
    `const home = '${home}';`,
    'const savepoint = await openSavepoint({ project, home });',
    'const service = new FileCheckpointService(savepoint);',
    'const options = { service, getCurrentSession };',
    'const runTool = new FileCheckpointMiddleware(options).wrap(yourExecutor);',
  ];
}

const COMMANDS = [
  ['savepoint list', 'what can be taken back'],
  ['savepoint diff ID', 'what happened since'],
  ['savepoint rewind ID --dry-run', 'what a rewind would do'],
  ['savepoint rewind ID', 'do it'],
  ['savepoint undo', 'and take that back too'],
] as const;
