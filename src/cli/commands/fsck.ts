import {
  type CheckProjectOptions,
  checkProject,
  repairProject,
  type StoreCheck,
  type StoreRepair,
} from '../../index.ts';
import { findProject, storeHome } from '../../terminal/find-project.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { checkText, isDamaged, problemJson, repairText } from '../fsck-text.ts';
import { printJson } from '../json.ts';

export const fsck: Command = {
  name: 'fsck',
  arguments: '',
  summary: 'check that everything on record can still be relied on',
  details:
    'Compares every row of the store with what was written, every recorded content with its hash, and\n' +
    'names what is damaged and what that means: which paths cannot be restored, and at which checkpoints.\n' +
    'Changes nothing. With --repair, what is damaged is moved into the folder "damaged" of the store, what\n' +
    'it said is unknown from then on, and the store works again; end other programs that use it first.\n' +
    'It exits with 0 only when the record is whole again, and with 1 when something is lost for good.\n' +
    'Your files are never touched.',
  options: {
    repair: { type: 'boolean', help: 'set aside what is damaged' },
  },
  examples: [
    ['savepoint fsck', 'after a disk failed, or to be sure'],
    ['savepoint fsck --repair', 'go on with what is whole'],
  ],
  run: async (call) => {
    expectArgs(call, 'fsck', 0, 0);
    const { io } = call;
    const options: CheckProjectOptions = {
      project: findProject(call),
      home: storeHome(io),
      refusedProjects: [io.homeDirectory],
    };
    return call.flags.has('repair') ? runRepair(call, options) : runCheck(call, options);
  },
};

async function runCheck(call: Call, options: CheckProjectOptions): Promise<ExitCode> {
  const { progress } = call.io;
  const check = await checkProject({
    ...options,
    // How many there are is an estimate.
    onProgress: ({ done, total }) =>
      void progress.tell({ step: 'contents', done, total: Math.max(done, total) }),
  });
  progress.end();
  printJson(call, {
    repaired: false,
    ...countsOf(check),
    problems: check.problems.map(problemJson),
  });
  for (const text of checkText(call, check)) call.say(text);
  if (!isDamaged(check)) return EXIT.done;
  call.hint('your files are untouched; set aside what is damaged with: savepoint fsck --repair');
  return EXIT.failure;
}

async function runRepair(call: Call, options: CheckProjectOptions): Promise<ExitCode> {
  const repair = await call.io.interrupts.hold(() => repairProject(options));
  printJson(call, repairJson(repair));
  for (const text of repairText(call, repair)) call.say(text);
  if (isDamaged(repair.left)) return EXIT.failure;
  call.hint('see what there is with: savepoint list');
  if (repair.lost.length > 0) return EXIT.failure;
  return isDamaged(repair.found) ? EXIT.done : EXIT.nothingToDo;
}

function repairJson(repair: StoreRepair): object {
  const { found, left, folder, rows, files, salvaged, lost, kept } = repair;
  return {
    repaired: true,
    ...countsOf(left),
    problems: found.problems.map(problemJson),
    left: left.problems.map(problemJson),
    setAside: folder === null ? null : { folder, rows, files },
    salvaged,
    lost: lost.map(problemJson),
    kept,
  };
}

function countsOf({ readable, rows, blobs }: StoreCheck): object {
  return { readable, rows, blobs };
}
