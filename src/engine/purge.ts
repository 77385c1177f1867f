import { kindAt } from '../fs/observe.ts';
import { check, type Kind, listOf, object, optional, TEXT } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { selectedPath, type TrackedPath } from '../model/path.ts';
import { makePurgePlan, type PurgePlan } from '../timeline/purge-plan.ts';
import { NAMED_PATHS, type NamedPath } from './requests.ts';
import type { Workbench } from './workbench.ts';

export interface PurgeRequest {
  /** Files, and folders with all that is below them. */
  readonly paths?: readonly NamedPath[] | undefined;
  /** As in a .gitignore at the project's root. */
  readonly patterns?: readonly string[] | undefined;
}

const PURGE_REQUEST: Kind<PurgeRequest> = object({
  paths: optional(NAMED_PATHS),
  patterns: optional(listOf(TEXT)),
});

export interface PurgeReport extends PurgePlan {
  /** Those of the paths at which there is a file now: it is recorded again when somebody writes to it. */
  readonly stillThere: readonly TrackedPath[];
}

/** What a purge would remove. Writes nothing. */
export function planPurge(bench: Workbench, request: PurgeRequest): Promise<PurgeReport> {
  return bench.reading(async () => {
    check(PURGE_REQUEST, 'request', request);
    const paths = (request.paths ?? []).map((path) => selectedPath(bench.root, path));
    const plan = await makePurgePlan(bench.site, { paths, patterns: request.patterns ?? [] });
    return { ...plan, stillThere: plan.paths.filter((path) => isFileNow(bench, path)) };
  });
}

/**
 * Removes the contents of paths from every checkpoint, and their bytes from the store. Cannot be undone.
 * Resolves when they are gone; throws `purge-unfinished` when bytes are left for the next start.
 */
export function purge(bench: Workbench, request: PurgeRequest): Promise<PurgeReport> {
  return bench.locked(async () => {
    const report = await planPurge(bench, request);
    if (report.paths.length > 0) await bench.store.purge(report.paths);
    else await bench.store.scrub();
    if (await bench.store.needsScrub()) {
      throw new SavepointError('purge-unfinished', 'bytes of a purge are still to be removed');
    }
    return report;
  });
}

function isFileNow({ root }: Workbench, path: TrackedPath): boolean {
  const kind = kindAt(root, path);
  return kind !== 'absent' && kind !== 'directory';
}
