import { look } from '../capture/capture.ts';
import { liveChanges } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins } from '../model/state.ts';
import type { ExecutionSite } from './execution-site.ts';

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

async function changedSince(site: ExecutionSite, execution: Execution): Promise<TrackedPath[]> {
  const own = await site.store.changes({ sessionIds: [execution.sessionId] });
  const paths = [...new Set(own.map((change) => change.path))];
  if (paths.length === 0) return [];
  const changes = await site.store.changes({ paths });
  const cancellations = await site.store.cancellationsOf(changes.map((change) => change.seq));
  const live = liveChanges(changes, cancellations);
  const last = new Map(
    own.filter(({ seq, after }) => live.has(seq) && after !== null).map((one) => [one.path, one]),
  );
  return [...last.values()]
    .filter(({ path, after }) => after !== null && !joins(after, look(site.files, path).state))
    .map(({ path }) => path);
}
