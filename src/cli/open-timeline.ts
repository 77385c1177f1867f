import { isSavepointError, openSavepoint, type Savepoint, SavepointError } from '../index.ts';
import type { Call } from './command.ts';
import { findProject } from './find-project.ts';
import { storeHome } from './store-home.ts';

/** Opens the timeline of the command's project for `work`, and closes it whatever happens. */
export async function withTimeline<T>(
  call: Call,
  work: (savepoint: Savepoint) => Promise<T>,
  options: { readonly adopt?: boolean } = {},
): Promise<T> {
  const savepoint = await openTimeline(call, options.adopt ?? false);
  try {
    return await work(savepoint);
  } finally {
    await savepoint.close();
  }
}

async function openTimeline(call: Call, adopt: boolean): Promise<Savepoint> {
  const { io } = call;
  const project = findProject(call);
  try {
    return await openSavepoint({
      project,
      home: storeHome(io),
      refusedProjects: [io.homeDirectory],
      // No command of a person begins a timeline: agents do, by recording.
      create: false,
      adopt,
      now: io.now,
    });
  } catch (error) {
    throw isSavepointError(error, 'store-missing') ? nothingRecorded(project) : error;
  }
}

function nothingRecorded(project: string): SavepointError {
  return new SavepointError('store-missing', 'nothing was recorded in this project yet', {
    path: project,
    hint: 'an agent that writes through Savepoint begins the timeline; see how with: savepoint demo',
  });
}
