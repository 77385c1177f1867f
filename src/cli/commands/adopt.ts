import { displayText, isSavepointError } from '../../index.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';

export const adopt: Command = {
  name: 'adopt',
  arguments: '',
  summary: 'keep the timeline of a folder that was re-created',
  details:
    'A timeline belongs to one folder. When another folder stands at the same path (restored from a\n' +
    'backup, cloned anew), Savepoint refuses to touch it until you say that it is the same project.',
  options: {},
  examples: [['savepoint adopt', 'this folder carries on the timeline recorded at its path']],
  run: runAdopt,
};

async function runAdopt(call: Call): Promise<ExitCode> {
  expectArgs(call, 'adopt', 0, 0);
  const known = await knownAlready(call);
  if (known !== null) return report(call, known, false);
  return withTimeline(call, async ({ root }) => report(call, root, true), { adopt: true });
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
  printJson(call, { adopted, project });
  const folder = displayText(project);
  call.say(
    adopted
      ? `Done: ${folder} carries on its timeline.`
      : `Nothing to do: the timeline belongs to ${folder}.`,
  );
  call.hint('see it with: savepoint list');
  return adopted ? EXIT.done : EXIT.nothingToDo;
}
