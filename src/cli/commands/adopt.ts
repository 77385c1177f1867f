import { resolve } from 'node:path';
import { findNewProject, storeHome } from '../../config/find-project.ts';
import { adoptStore, displayText, isSavepointError } from '../../index.ts';
import { BOOLEAN, described, exact, TEXT } from '../../model/check.ts';
import { type Call, type Command, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  adopted: described("False when the timeline was this folder's already.", BOOLEAN),
  project: TEXT,
});

export const adopt: Command = {
  name: 'adopt',
  summary: 'keep the timeline of a folder that was moved or re-created',
  details:
    'A timeline belongs to one folder. When another folder stands at the same path (restored from a\n' +
    'backup, cloned anew), Savepoint refuses to touch it until you say that it is the same project. For a\n' +
    'folder that was moved, say from where: its timeline is still kept under the old path.',
  options: {
    from: option('OLDPATH', 'where the folder was before it was moved', 'folder'),
  },
  examples: [
    ['savepoint adopt', 'this folder carries on the timeline recorded at its path'],
    ['savepoint adopt --from ~/old/place', 'this folder was moved, with all that is in it'],
  ],
  json: { adopt: SHAPE },
  run: runAdopt,
};

async function runAdopt(call: Call): Promise<ExitCode> {
  const from = call.values.get('from');
  if (from !== undefined) await takeOver(call, from);
  const known = from === undefined ? await knownAlready(call) : null;
  if (known !== null) return report(call, known, false);
  return withTimeline(call, async ({ root }) => report(call, root, true), { adopt: true });
}

function takeOver(call: Call, from: string): Promise<void> {
  const { io } = call;
  return adoptStore({
    project: findNewProject(call),
    from: resolve(io.cwd, from),
    home: storeHome(io),
    refusedProjects: [io.homeDirectory],
  });
}

/** The project's folder, if the timeline is its own; null if it is another folder's. */
async function knownAlready(call: Call): Promise<string | null> {
  try {
    return await withTimeline(call, async ({ root }) => root);
  } catch (error) {
    if (isSavepointError(error, 'project-mismatch')) return null;
    throw error;
  }
}

function report(call: Call, project: string, adopted: boolean): ExitCode {
  printJson(call, SHAPE, { adopted, project });
  const folder = displayText(project);
  if (adopted) call.io.done = `${folder} carries on its timeline all the same`;
  call.remark(
    adopted
      ? `Done: ${folder} carries on its timeline.`
      : `Nothing to do: the timeline belongs to ${folder}.`,
  );
  call.hint('see it with: savepoint list');
  return adopted ? EXIT.done : EXIT.nothingToDo;
}
