import { type SwitchedOff, switchedOff, turnOff, turnOn } from '../../agents/switch.ts';
import { findProject, storeHome } from '../../config/find-project.ts';
import { realPathOrNull } from '../../fs/entries.ts';
import { displayText, isSavepointError, type Savepoint } from '../../index.ts';
import { BOOLEAN, described, exact, listOf, TEXT } from '../../model/check.ts';
import { type Call, type Command, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  project: TEXT,
  all: described('Whether no hook records in this project.', BOOLEAN),
  sessions: described('Otherwise, the sessions that are not recorded.', listOf(TEXT)),
});

export const off: Command = {
  name: 'off',
  summary: 'let the hooks of agents record nothing in this project',
  details:
    'From now on the hooks that `savepoint init` added record nothing in the project, or nothing of one\n' +
    'session, until `savepoint on`. What is on record stays, and every other command works as before.\n' +
    'What agents change meanwhile cannot be told from what you change.',
  options: { session: option('ID', 'only this session', 'session') },
  examples: [
    ['savepoint off', 'the whole project'],
    ['savepoint off --session 4f1c…', 'one conversation; savepoint sessions has the ids'],
  ],
  json: { off: SHAPE },
  run: async (call) => {
    const session = await namedSession(call);
    const { home, project } = placesOf(call);
    const isChanged = turnOff(home, project, session);
    const what = session === null ? 'nothing is' : `nothing of ${displayText(session)} is`;
    const where = `recorded by hooks in ${displayText(project)}`;
    if (isChanged) call.tell(`From now on ${what} ${where}.`);
    else call.tell(`Nothing to do: ${what} ${where} already.`);
    call.hint('record again with: savepoint on');
    return answer(call, isChanged);
  },
};

export const on: Command = {
  name: 'on',
  summary: 'let the hooks of agents record again in this project',
  details: 'Takes back `savepoint off`, for the project and for all of its sessions.',
  examples: [['savepoint on', '']],
  json: { on: SHAPE },
  run: async (call) => {
    const { home, project } = placesOf(call);
    const isChanged = turnOn(home, project);
    const where = `hooks record in ${displayText(project)}`;
    call.tell(isChanged ? `From now on ${where}.` : `Nothing to do: ${where}.`);
    call.hint('see whether agents are set up with: savepoint doctor');
    return answer(call, isChanged);
  },
};

/** Hooks hear whole ids, and people type the beginnings that lists print. Null where none is named. */
async function namedSession(call: Call): Promise<string | null> {
  const typed = call.values.get('session');
  if (typed === undefined) return null;
  const find = async (savepoint: Savepoint) => (await savepoint.resolveSession(typed)).id;
  try {
    return await withTimeline(call, find);
  } catch (error) {
    const isNew =
      isSavepointError(error, 'session-not-found') || isSavepointError(error, 'store-missing');
    if (!isNew) throw error;
    const about = 'no session on record has this id: it counts for a new one with exactly this id';
    call.remark(`${displayText(typed)}: ${about}.`);
    return typed;
  }
}

function placesOf(call: Call): { home: string; project: string } {
  const project = findProject(call);
  return { home: storeHome(call.io), project: realPathOrNull(project) ?? project };
}

function answer(call: Call, isChanged: boolean): ExitCode {
  const { home, project } = placesOf(call);
  const now: SwitchedOff = switchedOff(home, project);
  printJson(call, SHAPE, { project, ...now });
  return isChanged ? EXIT.done : EXIT.nothingToDo;
}
