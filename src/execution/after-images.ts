import { look } from '../capture/capture.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins } from '../model/state.ts';
import type { ExecutionSite } from './execution-site.ts';
import { readLog } from './step-log.ts';

/** Throws `execution-files-changed` where a file is not as the steps of an execution left it. */
export async function verifyAfterImages(site: ExecutionSite, execution: Execution): Promise<void> {
  const changed = await changedSince(site, execution);
  const [path] = changed;
  if (path === undefined) return;
  const message = `${changed.length === 1 ? 'a file is' : `${changed.length} files are`} not as ${execution.id} left it`;
  throw new SavepointError('execution-files-changed', message, {
    path,
    hint: "look at the files, then open the execution with changedFiles: 'accept'",
    details: changed.map((one) => ({ path: one })),
  });
}

/** Also what somebody has rewound since: files went back then, and the steps that wrote them did not. */
async function changedSince(site: ExecutionSite, execution: Execution): Promise<TrackedPath[]> {
  const { live } = await readLog(site.store, execution.id);
  const points = new Set(live.map(({ checkpointId }) => checkpointId));
  const own = await site.store.changes({ sessionIds: [execution.sessionId] });
  const ofSteps = own.filter(
    ({ checkpointId }) => checkpointId !== null && points.has(checkpointId),
  );
  const last = new Map(ofSteps.map((change) => [change.path, change]));
  return [...last.values()]
    .filter(({ path, after }) => after !== null && !joins(after, look(site.files, path).state))
    .map(({ path }) => path);
}
