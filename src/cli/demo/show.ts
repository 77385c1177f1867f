import { displayText, type Savepoint } from '../../index.ts';
import { diffSummary, diffText } from '../../terminal/diff-text.ts';
import { fileDiff } from '../../terminal/file-diff.ts';
import { storeHome } from '../../terminal/find-project.ts';
import { beside } from '../../terminal/rows.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import type { Call } from '../command.ts';
import { timelineText } from '../timeline-text.ts';
import type { SentMessage } from './agent.ts';
import { PROGRAM } from './script.ts';
import { runProgram } from './stage.ts';

const WIDEST = 100;

export function showOpening(call: Call): void {
  call.say(call.paint('bold', 'Savepoint: undo for AI coding agents'));
  const what = 'A scripted agent works on a throw-away project here, in a temporary folder.';
  for (const line of wrapWords(what, call.columns)) call.say(line);
  call.say();
}

export function showMessage({ paint, say, columns }: Call, { message }: SentMessage): void {
  const you = { text: `${paint('cyan', '  you ')}  `, width: 8 };
  const agent = { text: `${paint('magenta', 'agent ')}  `, width: 8 };
  for (const line of beside(you, message.prompt, columns, (part) => paint('bold', part))) say(line);
  for (const { tool, file_path } of message.calls)
    say(`        ${paint('dim', `${tool} ${file_path}`)}`);
  for (const line of beside(agent, message.reply, columns)) say(line);
  say();
}

/** What the project's program says, as if somebody had typed the command. */
export async function showProgram({ json, paint, say }: Call, project: string): Promise<void> {
  if (json) return;
  say(`${paint('dim', '$')} node ${PROGRAM}`);
  for (const line of await runProgram(project)) say(/Error/.test(line) ? paint('red', line) : line);
  say();
}

/** What the bad message did: to the program in full, to the rest in a word. */
export async function showDamage(call: Call, savepoint: Savepoint, since: string): Promise<void> {
  const { paint, say } = call;
  const files = (await savepoint.diff(since)).map((diff) => fileDiff(diff));
  const [program, others] = [true, false].map((is) =>
    files.filter(({ diff }) => (diff.path === PROGRAM) === is),
  );
  say(`${paint('dim', '$')} savepoint diff ${since.slice(0, 4)} -- ${PROGRAM}`);
  for (const line of (program ?? []).flatMap((file) => diffText(file, paint))) say(line);
  for (const line of wrapWords(diffSummary(program ?? []), call.columns)) say(line);
  const rest = (others ?? []).map(({ diff, status }) => `${displayText(diff.path)} was ${status}`);
  const summary = `And in the same message: ${rest.join(', ')}.`;
  for (const line of wrapWords(summary, call.columns)) say(line);
  say();
}

export async function showTimeline(
  { io, paint, say }: Call,
  savepoint: Savepoint,
  numbered: boolean,
): Promise<void> {
  const checkpoints = await savepoint.list();
  const lengths = await savepoint.uniqueLengths(checkpoints.map(({ id }) => id));
  const columns = io.terminal ? io.columns : WIDEST;
  say(`${paint('dim', '$')} savepoint list`);
  timelineText({ checkpoints, lengths, now: io.now(), columns, paint, numbered }).map((line) =>
    say(line),
  );
  say();
}

export function showEnding({ io, paint, say, columns }: Call): void {
  say(paint('bold', 'On your own projects'));
  const wrap = '  In an agent that you build, wrap the function that runs its tools:';
  for (const line of wrapWords(wrap, columns, 2)) say(line);
  say();
  for (const line of snippet(displayText(storeHome(io)))) say(`    ${line}`.trimEnd());
  say();
  say('  Then, in the project folder:');
  say();
  for (const [command, meaning] of COMMANDS) {
    const label = { text: `    ${command.padEnd(32)}`, width: 36 };
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
