import { findProject, storeHome } from '../config/find-project.ts';
import { openProjectTimeline } from '../config/project-store.ts';
import { type Configuration, configurationOf } from '../config/settings.ts';
import {
  displayText,
  isSavepointError,
  movedFrom,
  type Savepoint,
  SavepointError,
} from '../index.ts';
import { shellWord } from '../terminal/phrases.ts';
import { wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';

interface OpenTimelineOptions {
  readonly adopt?: boolean;
  /** Begin a timeline where there is none: for commands that record. */
  readonly create?: boolean;
  readonly scan?: boolean;
}

/** Opens the timeline of the command's project for `work`, and closes it in any case. */
export async function withTimeline<T>(
  call: Call,
  work: (savepoint: Savepoint) => Promise<T>,
  options: OpenTimelineOptions = {},
): Promise<T> {
  const savepoint = await openTimeline(call, options);
  try {
    // With --json a command may want them in its answer.
    if (!call.json) await sayNotices(call, savepoint);
    return await work(savepoint);
  } finally {
    call.io.progress.end();
    await savepoint.close();
    await sayNotices(call, savepoint);
  }
}

/**
 * As `withTimeline`, for commands that list: a new project has an empty list, and that is no error. The
 * timeline of a folder that was moved is not empty, so there the person has to hear where it is.
 */
export async function withTimelineIfAny<T>(
  call: Call,
  work: (savepoint: Savepoint) => Promise<T>,
  without: (nothing: SavepointError) => T,
): Promise<T> {
  try {
    return await withTimeline(call, work);
  } catch (error) {
    if (!isSavepointError(error, 'store-missing') || error.details !== undefined) throw error;
    return without(error);
  }
}

/** Says what the engine did by itself, such as finishing a restore that a crash had interrupted. */
export async function sayNotices(call: Call, savepoint: Savepoint): Promise<void> {
  const notices = savepoint.notices();
  if (notices.length === 0) return;
  // Most commands draw no plan, and have no notice.
  const { noteText } = await import('../terminal/plan-text.ts');
  const lines = notices.flatMap((note) => noteText(note, call.columns));
  for (const line of lines) call.io.err(`${line}\n`);
}

async function openTimeline(call: Call, options: OpenTimelineOptions): Promise<Savepoint> {
  const { io } = call;
  const project = findProject(call);
  const home = storeHome(io);
  const configuration = configurationOf(io, project);
  const [problem] = configuration.problems;
  // A command that records must not go on: the broken line may have excluded a file. Others only warn.
  if (problem !== undefined && options.create) throw problem;
  warnOfConfiguration(call, configuration);
  try {
    return await openProjectTimeline(io, {
      project,
      values: configuration.values,
      // A command that only looks does not begin a timeline.
      create: options.create ?? false,
      adopt: options.adopt ?? false,
      scan: options.scan ?? configuration.values.scan,
      now: io.now,
      onProgress: io.progress.tell,
    });
  } catch (error) {
    throw isSavepointError(error, 'store-missing') ? await nothingRecorded(project, home) : error;
  }
}

async function nothingRecorded(project: string, home: string): Promise<SavepointError> {
  const message = `nothing is recorded in ${project} yet; stores are kept in ${home}`;
  const old = await movedFrom(project, home);
  return new SavepointError('store-missing', message, {
    path: project,
    hint: old === null ? BEGIN : adoptHint(old),
    details: old === null ? undefined : { movedFrom: old },
  });
}

const BEGIN =
  'begin with: savepoint run -- COMMAND, or: savepoint save -m LABEL (see how it goes: savepoint demo); was the folder moved? savepoint adopt --from OLDPATH';

function adoptHint(old: string): string {
  return `this folder was recorded as ${old}; keep its timeline with: savepoint adopt --from ${shellWord(old)}`;
}

/** Says on standard error what is wrong with the configuration and does not stop the command. */
export function warnOfConfiguration(call: Call, { problems, warnings }: Configuration): void {
  for (const text of [...problems.map(({ message }) => message), ...warnings]) {
    const lines = wrapWords(`savepoint: ${displayText(text)}`, call.columns, 2);
    call.io.err(`${lines.join('\n')}\n`);
  }
}
