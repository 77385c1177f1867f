import { isSavepointError, openSavepoint, type Savepoint, SavepointError } from '../index.ts';
import type { Call } from './command.ts';
import { findProject } from './find-project.ts';
import { storeHome } from './store-home.ts';

export interface OpenTimelineOptions {
  readonly adopt?: boolean;
  /** Begin a timeline where there is none: for commands that record. */
  readonly create?: boolean;
  readonly scan?: boolean;
}

/** Opens the timeline of the command's project for `work`, and closes it whatever happens. */
export async function withTimeline<T>(
  call: Call,
  work: (savepoint: Savepoint) => Promise<T>,
  options: OpenTimelineOptions = {},
): Promise<T> {
  const savepoint = await openTimeline(call, options);
  try {
    return await work(savepoint);
  } finally {
    await savepoint.close();
  }
}

async function openTimeline(call: Call, options: OpenTimelineOptions): Promise<Savepoint> {
  const { io } = call;
  const project = findProject(call);
  try {
    return await openSavepoint({
      project,
      home: storeHome(io),
      refusedProjects: [io.homeDirectory],
      // Looking begins no timeline.
      create: options.create ?? false,
      adopt: options.adopt ?? false,
      scan: options.scan ?? false,
      environment: io.env,
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
