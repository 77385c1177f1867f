import { openSavepoint, type Receipt } from '../../index.ts';
import { described, exact, listOf, nullable, oneOf, TEXT } from '../../model/check.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { type Call, type Command, flag } from '../command.ts';
import { play } from '../demo/play.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { CHECKPOINT, checkpointJson, RECEIPT, receiptJson } from '../json-shapes.ts';

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
