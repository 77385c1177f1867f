import { resolve } from 'node:path';
import type { OpenFile } from '../../fs/read-file.ts';
import {
  displayText,
  type ImportReceipt,
  type Savepoint,
  type Session,
  verifyExport,
} from '../../index.ts';
import { BOOLEAN, COUNT, described, exact, listOf, TEXT } from '../../model/check.ts';
import { openGivenFile } from '../../terminal/given-file.ts';
import { plural, someOf } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { picked, printJson } from '../json.ts';
import { SESSION, type SessionJson, sessionJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  imported: described('False, with exit code 5, when all of it was here already.', BOOLEAN),
  file: described('The file that was read, absolute.', TEXT),
  sessions: listOf(SESSION),
  alreadyHere: described(
    'Sessions of the file that were here before, the same: they stay as they are.',
    listOf(SESSION),
  ),
  labelsLeftOut: described(
    'Labels that a checkpoint here has, or that could be taken for an id: they stay behind.',
    listOf(TEXT),
  ),
  checkpoints: COUNT,
  changes: COUNT,
  operations: COUNT,
  blobs: described('Different contents of files.', COUNT),
});

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
  json: { import: SHAPE },
  run: async (call) => {
    const [name = ''] = expectArgs(call, 'import', 1, 1);
    if (call.args[0] === '-') throw notAStream();
    const path = resolve(call.io.cwd, name);
    const file = openGivenFile(path);
    try {
      // Checked before a timeline is begun, so that a broken file leaves no trace.
      call.io.interrupts.meaning = 'nothing was imported';
      await verifyExport(file.chunks((done, total) => check(call, done, total)));
      return await withTimeline(call, (savepoint) => runImport(call, savepoint, file, path), {
        create: true,
        scan: true,
      });
    } finally {
      file.close();
    }
  },
};

/** It is read twice: to its last byte before anything is written, and then for what is in it. */
function notAStream(): UsageError {
  const hint = 'save it to a file first: savepoint import FILE (./- for a file of that name)';
  return new UsageError('an import is not read from standard input', hint);
}

async function runImport(
  call: Call,
  savepoint: Savepoint,
  file: OpenFile,
  path: string,
): Promise<ExitCode> {
  // Records the files that are here, so that they are told apart from what the import brings.
  const { notice } = await savepoint.scan();
  if (notice !== null) call.io.err(`savepoint: ${displayText(notice)}\n`);
  const receipt = await savepoint.import(file.chunks());
  call.io.interrupts.meaning = receipt.imported ? 'it was imported' : 'it was here already';
  const sessions = [...receipt.brought, ...receipt.alreadyHere];
  const imported = await savepoint.importedSessions(sessions.map(({ id }) => id));
  return report(call, receipt, path, (session) => sessionJson(session, imported));
}

const STEP_BYTES = 1_000_000;

/** In megabytes, where there are several: nobody reads longer numbers. */
function check(call: Call, done: number, total: number): Promise<void> | undefined {
  const whole = Math.ceil(total / STEP_BYTES);
  return call.io.progress.tell({
    step: 'check',
    done: Math.floor(done / STEP_BYTES),
    total: whole > 1 ? whole : null,
  });
}

function report(
  call: Call,
  receipt: ImportReceipt,
  path: string,
  toJson: (session: Session) => SessionJson,
): ExitCode {
  const { imported, brought, alreadyHere, labelsLeftOut, checkpoints, changes } = receipt;
  printJson(call, SHAPE, {
    ...picked(SHAPE, receipt),
    file: path,
    sessions: brought.map(toJson),
    alreadyHere: alreadyHere.map(toJson),
  });
  if (!imported) {
    call.say('Nothing to do: all of it is here already.');
  } else {
    call.io.done = 'it was imported all the same';
    const what = [plural(checkpoints, 'checkpoint'), plural(changes, 'change')];
    const said = `Imported ${plural(brought.length, 'session')}: ${what.join(', ')}.`;
    for (const line of wrapWords(
      `${said}${hereText(alreadyHere)}${labelsText(labelsLeftOut)}`,
      call.columns,
    ))
      call.say(line);
  }
  call.hint('see it with: savepoint list; no file was touched');
  return imported ? EXIT.done : EXIT.nothingToDo;
}

const NAMED = 5;

function hereText(sessions: readonly Session[]): string {
  if (sessions.length === 0) return '';
  const names = sessions.map(({ id }) => displayText(id));
  return ` Here already, and left as ${sessions.length === 1 ? 'it is' : 'they are'}: ${someOf(names, NAMED)}.`;
}

export function labelsText(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  const names = labels.map((label) => `"${displayText(label)}"`);
  return ` Without ${labels.length === 1 ? 'this label, which means' : 'these labels, which mean'} something else here: ${someOf(names, NAMED)}.`;
}
